"""Which vLLM lies in a folder, and whether its two files are the released ones.

Standard library only: this package also runs inside a bare vLLM container, where it is called `vllm_gate_patch`.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LAUNCHER = "v1/attention/ops/triton_unified_attention.py"
BACKEND = "v1/attention/backends/triton_attn.py"
FILES = (LAUNCHER, BACKEND)
FIRST_ADMITTING = (0, 33, 0)
MARK = "gate patch:"

_OPS_022 = "2d0a32f16fc94dce026850e09f26dc9e9bb830caa0c21a8650d85c8669c618a2"
_OPS_024 = "bab2c0b9f9a7793ca411796b48ebb4734433160e7e99eabf46ddb7f1c30cb6e0"
_OPS_025 = "a653bd1e1c200be4189804956f680bb462ca80e582b418d279b5afc6ff855311"
_OPS_026 = "992a2bc892e2e2b43fbd3c8163816ccf7e97ced56cb542bd827adb0ddb2df9fa"
_OPS_030 = "65d0fbcf33d00789df8ca688c0a1c908e710cfaef53471178747ecae11f05829"
_OPS_032 = "a1d13e015969ce0b80a1024ba9e9703bfa50481cd9aa7d8f893f6cc955e657a1"

# Release -> sha256 of the launcher and of the backend, read off the wheels of the package index.
RELEASES: dict[str, tuple[str, str]] = {
    "0.22.0": (_OPS_022, "78f93ffc3582ab5d62b726292bc2f42c72d8459680fffcbbb751d8293370505d"),
    "0.22.1": (_OPS_022, "78f93ffc3582ab5d62b726292bc2f42c72d8459680fffcbbb751d8293370505d"),
    "0.23.0": (_OPS_022, "5a9d78f4082408d12c97408569b3e26c55ac1edf589840cfc005aff61baa74b5"),
    "0.24.0": (_OPS_024, "1219c4d1820b56e99ef6686de8a49c8c5aa57707794bcabf3322023799a03605"),
    "0.25.0": (_OPS_025, "15028b24f50158fa77343fc3a7cc4134e7be81ce5d067cdcfa94c02e31f43730"),
    "0.25.1": (_OPS_025, "15028b24f50158fa77343fc3a7cc4134e7be81ce5d067cdcfa94c02e31f43730"),
    "0.26.0": (_OPS_026, "20b4dd5f8c15cd2d6f9598268368f5fc572f2c980eb75327c5992100c49ff3ed"),
    "0.27.0": (_OPS_026, "20b4dd5f8c15cd2d6f9598268368f5fc572f2c980eb75327c5992100c49ff3ed"),
    "0.27.1": (_OPS_026, "20b4dd5f8c15cd2d6f9598268368f5fc572f2c980eb75327c5992100c49ff3ed"),
    "0.28.0": (_OPS_026, "c4b58201d73d1af68719976051f905e4d628b28cc9b6fed91cffe2058e23bcfb"),
    "0.29.0": (_OPS_026, "fe15ef175705a18203ff2c75eeb04d471b45beefd6b816f3b2358f3c834aaf9d"),
    "0.30.0": (_OPS_030, "1057663d110e1d5229495a799027b27277c1eca325d5b6780fa2259afbf58a1a"),
    "0.31.0": (_OPS_030, "d4089a21fe947648c253f1ede264a60ea4e7534f2ef8812a5547c1483bc27374"),
    "0.32.0": (_OPS_032, "8c886ae19377949ad98ad8fb492239f25d7f3168b30153c0dc1c1a120f4c44b9"),
}


class RefusedError(Exception):
    """The patch does not go on this vLLM; the message says what was found."""


class NoVllmError(Exception):
    """There is no vLLM in the folder that was given."""


@dataclass(frozen=True)
class Installation:
    """A vLLM in a folder.

    Attributes:
        package: The folder `vllm`.
        version: The version as it is written there, local label included: `0.28.0+rocm700`.
        texts: The two files as bytes, launcher first, in the order of `FILES`.
    """

    package: Path
    version: str
    texts: tuple[bytes, bytes]

    @property
    def release(self) -> str:
        """The version without its local label."""
        return self.version.split("+", 1)[0]


def digest(text: bytes) -> str:
    """Return the sha256 of some bytes, in hexadecimal."""
    return hashlib.sha256(text).hexdigest()


def find_installation(root: Path) -> Installation:
    """Return the vLLM whose package folder is `root`, or lies in `root`.

    Raises:
        NoVllmError: There is none, it does not say its version, or one of its two files is missing.
    """
    package = next((folder for folder in (root / "vllm", root) if (folder / LAUNCHER).is_file()), None)
    if package is None:
        raise NoVllmError(f"{root}: no vLLM here (looked for vllm/{LAUNCHER})")
    if not (package / BACKEND).is_file():
        raise NoVllmError(f"{package}: has {LAUNCHER}, but no {BACKEND}")
    version = _read_version(package)
    if version is None:
        raise NoVllmError(f"{package}: says its version neither in _version.py nor in a vllm-*.dist-info beside it")
    return Installation(package, version, ((package / LAUNCHER).read_bytes(), (package / BACKEND).read_bytes()))


def _read_version(package: Path) -> str | None:
    """Return the version of a package folder: what is written beside it, else what is written in it."""
    named = sorted(path.name for path in package.parent.glob("vllm-*.dist-info"))
    if len(named) == 1:
        return named[0].removeprefix("vllm-").removesuffix(".dist-info")
    source = package / "_version.py"
    if not source.is_file():
        return None
    found = re.search(r"^__version__\b[^'\"\n]*['\"]([^'\"]+)['\"]", source.read_text("utf-8"), re.MULTILINE)
    return found.group(1) if found else None


def check_release(installation: Installation) -> tuple[str, str]:
    """Return the digests that the two files must have.

    Raises:
        RefusedError: The release is unknown, or admits verify steps by itself.
    """
    known = RELEASES.get(installation.release)
    if known:
        return known
    numbers = re.match(r"([0-9]+)\.([0-9]+)(?:\.([0-9]+))?", installation.release)
    if numbers and tuple(int(part or 0) for part in numbers.groups()) >= FIRST_ADMITTING:
        found = re.search(rb"^MAX_3D_QUERY_LEN = ([0-9]+)", installation.texts[0], re.MULTILINE)
        rows = f"MAX_3D_QUERY_LEN = {found.group(1).decode()}" if found else "but no MAX_3D_QUERY_LEN is in its launcher"
        raise RefusedError(f"found vLLM {installation.version}, which already admits up to 8 rows ({rows}): 0.33.0 and later need no patch")
    raise RefusedError(f"found vLLM {installation.version}, an unknown release; known are {', '.join(RELEASES)}")


def check_stock(installation: Installation) -> None:
    """Return when both files are the released ones.

    Raises:
        RefusedError: The release is not one to patch, or a file differs from the release.
    """
    expected = check_release(installation)
    for name, text, wanted in zip(FILES, installation.texts, expected, strict=True):
        if digest(text) != wanted:
            how = "carries the source patch" if MARK.encode() in text else "is modified"
            raise RefusedError(
                f"found vLLM {installation.version}, but {name} {how}: sha256 {digest(text)[:12]}, the release has {wanted[:12]}"
            )
