"""Fetches the few files of a vLLM release that the tests read: `python -m scripts.gate_patch.fetch 0.28.0`.

pip downloads the wheel by name (some 300 MB), four members are unpacked and the wheel is deleted.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from .plugin.releases import BACKEND, LAUNCHER

CACHE = Path(".cache/vllm")
MEMBERS = (LAUNCHER, BACKEND, "v1/attention/ops/triton_attention_helpers.py", "_version.py")
PLATFORM = ("--platform", "manylinux_2_28_x86_64", "--python-version", "3.12", "--only-binary", ":all:")


class FetchError(Exception):
    """pip could not download the wheel; the message is its last line."""


def fetch(version: str, cache: Path = CACHE) -> Path:
    """Return the folder that holds `vllm/` of a release, downloading what is not there yet.

    Raises:
        FetchError: The wheel cannot be had.
    """
    root = cache / version
    if all((root / "vllm" / name).is_file() for name in MEMBERS):
        return root
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".fetch.", dir=cache) as work, zipfile.ZipFile(_download(version, Path(work))) as wheel:
        for name in MEMBERS:  # one by one, so that a folder which holds some of them is completed
            new = Path(wheel.extract(f"vllm/{name}", work))
            (root / "vllm" / name).parent.mkdir(parents=True, exist_ok=True)
            new.replace(root / "vllm" / name)
    return root


def _download(version: str, folder: Path) -> Path:
    """Return the wheel of a release, downloaded into a folder."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-cache-dir"]
    done = subprocess.run(  # noqa: S603  # a fixed command; the version is one argument of it
        [*command, *PLATFORM, "--dest", str(folder), f"vllm=={version}"], capture_output=True, text=True, check=False
    )
    wheels = sorted(folder.glob("vllm-*.whl"))
    if done.returncode or not wheels:
        lines = done.stderr.strip().splitlines() or ["pip said nothing"]
        raise FetchError(f"vllm=={version}: {lines[-1]}")
    return wheels[0]


def main() -> int:
    """Fetch the releases that are named and print their folders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("version", nargs="+")
    parser.add_argument("--cache", type=Path, default=CACHE)
    arguments = parser.parse_args()
    for version in arguments.version:
        try:
            sys.stdout.write(f"{fetch(version, arguments.cache)}\n")
        except FetchError as reason:
            sys.stderr.write(f"could not run: {reason}\n")
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
