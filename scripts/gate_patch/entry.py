"""The entry point on disk: a small distribution beside vLLM, as an installer would leave it.

vLLM finds it through the metadata of installed packages; no file of vLLM is touched, and `pip uninstall
vllm-gate-patch` removes it as well as `revert` does.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
import tempfile
from pathlib import Path

from .plugin import VERSION
from .plugin.releases import RefusedError

PACKAGE = "vllm_gate_patch"
INFO = f"{PACKAGE}-{VERSION}.dist-info"
ABSENT, INSTALLED, MODIFIED = "absent", "installed", "modified"

_METADATA = f"""Metadata-Version: 2.1
Name: vllm-gate-patch
Version: {VERSION}
Summary: Admits verify steps of speculative decoding to the 3D path of vLLM's Triton backend
Requires-Python: >=3.10
"""
_ENTRY_POINTS = f"""[vllm.general_plugins]
gate_patch = {PACKAGE}:register
"""
_WHEEL = """Wheel-Version: 1.0
Generator: scripts.gate_patch
Root-Is-Purelib: true
Tag: py3-none-any
"""


def distribution() -> dict[str, bytes]:
    """Return the files of the distribution: path below the root, bytes."""
    source = Path(__file__).parent / "plugin"
    files = {f"{PACKAGE}/{path.name}": path.read_bytes() for path in sorted(source.glob("*.py"))}
    files |= {
        f"{INFO}/METADATA": _METADATA.encode(),
        f"{INFO}/WHEEL": _WHEEL.encode(),
        f"{INFO}/INSTALLER": b"scripts.gate_patch\n",
        f"{INFO}/entry_points.txt": _ENTRY_POINTS.encode(),
    }
    record = "".join(f"{name},sha256={_record_digest(text)},{len(text)}\n" for name, text in files.items())
    return files | {f"{INFO}/RECORD": f"{record}{INFO}/RECORD,,\n".encode()}


def _record_digest(text: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()


def read_state(root: Path) -> tuple[str, tuple[str, ...]]:
    """Return whether the distribution is there, and the paths that speak against it.

    The paths are those that differ, are missing, or are nothing of ours; byte code does not count.
    """
    wanted = distribution()
    folders = [root / PACKAGE, *sorted(root.glob(f"{PACKAGE}-*.dist-info"))]
    found = {
        path.relative_to(root).as_posix(): path.read_bytes()
        for folder in folders
        if folder.is_dir()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts and path.name not in {"REQUESTED", "direct_url.json"}
    }
    if not found:
        return ABSENT, ()
    odd = tuple(sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name)))
    return (MODIFIED, odd) if odd else (INSTALLED, ())


def check_unmodified(root: Path) -> str:
    """Return whether the distribution is absent or installed.

    Raises:
        RefusedError: It is there, but not as this program writes it.
    """
    state, odd = read_state(root)
    if state == MODIFIED:
        raise RefusedError(f"found an entry point that this program did not write, in {root}: {', '.join(odd)}")
    return state


def apply_entry(root: Path) -> bool:
    """Put the distribution beside vLLM; say whether anything changed.

    The metadata comes last: until it is there, vLLM sees nothing.

    Raises:
        RefusedError: One is there that this program did not write.
        OSError: The disk refuses; nothing is left.
    """
    if check_unmodified(root) == INSTALLED:
        return False
    work = Path(tempfile.mkdtemp(prefix=f".{PACKAGE}.", dir=root))
    try:
        for name, text in distribution().items():
            (work / name).parent.mkdir(exist_ok=True)
            (work / name).write_bytes(text)
        shutil.rmtree(root / PACKAGE, ignore_errors=True)  # at most byte code of an earlier one
        (work / PACKAGE).rename(root / PACKAGE)
        try:
            (work / INFO).rename(root / INFO)
        except OSError:
            shutil.rmtree(root / PACKAGE)
            raise
    finally:
        shutil.rmtree(work)
    return True


def revert_entry(root: Path) -> bool:
    """Take the distribution away; say whether anything changed.

    Raises:
        RefusedError: One is there that this program did not write.
        OSError: The disk refuses.
    """
    if check_unmodified(root) == ABSENT:
        return False
    for name in (INFO, PACKAGE):
        shutil.rmtree(root / name)
    return True
