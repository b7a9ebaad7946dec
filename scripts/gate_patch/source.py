"""The source patch on disk: two files, changed together or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .edits import EditError, apply_edits, undo_edits
from .plugin.releases import FILES, MARK, RefusedError, check_release, digest

if TYPE_CHECKING:
    from pathlib import Path

    from .plugin.releases import Installation

STOCK, PATCHED, MODIFIED = "stock", "patched", "modified"


@dataclass(frozen=True)
class FileState:
    """One of the two files.

    Attributes:
        name: Path inside the package folder.
        path: Path on disk.
        state: `stock`, `patched` or `modified`.
        sha256: Of what is there.
        stock: The released bytes; empty for a modified file.
    """

    name: str
    path: Path
    state: str
    sha256: str
    stock: bytes


def read_states(installation: Installation) -> tuple[FileState, ...]:
    """Return the state of both files.

    Raises:
        RefusedError: The release is not one to patch.
    """
    expected = check_release(installation)
    return tuple(
        _read_state(name, installation.package / name, text, wanted)
        for name, text, wanted in zip(FILES, installation.texts, expected, strict=True)
    )


def _read_state(name: str, path: Path, text: bytes, wanted: str) -> FileState:
    found = digest(text)
    if found == wanted:
        return FileState(name, path, STOCK, found, text)
    with suppress(EditError, UnicodeDecodeError):
        stock = undo_edits(name, text.decode()).encode()
        if digest(stock) == wanted and apply_edits(name, stock.decode()).encode() == text:
            return FileState(name, path, PATCHED, found, stock)
    return FileState(name, path, MODIFIED, found, b"")


def check_unmodified(installation: Installation, states: tuple[FileState, ...]) -> None:
    """Return when each file is stock or patched.

    Raises:
        RefusedError: A file is neither; the message names each such file.
    """
    modified = [state for state in states if state.state == MODIFIED]
    if modified:
        which = "; ".join(
            f"{state.name} is modified (sha256 {state.sha256[:12]}"
            + (", it carries marks of a gate patch)" if MARK.encode() in state.path.read_bytes() else ")")
            for state in modified
        )
        raise RefusedError(f"found vLLM {installation.version}, but {which}")


def apply_source(installation: Installation) -> bool:
    """Patch both files; say whether anything changed.

    Raises:
        RefusedError: The release is not one to patch, or a file is modified; nothing has been written.
        OSError: The disk refuses; nothing is left half done.
    """
    states = read_states(installation)
    check_unmodified(installation, states)
    wanted = {state.path: apply_edits(state.name, state.stock.decode()).encode() for state in states}
    return write_together(wanted)


def revert_source(installation: Installation) -> bool:
    """Give both files their released bytes; say whether anything changed.

    Raises:
        RefusedError: The release is not one to patch, or a file is modified; nothing has been written.
        OSError: The disk refuses; nothing is left half done.
    """
    states = read_states(installation)
    check_unmodified(installation, states)
    return write_together({state.path: state.stock for state in states})


def write_together(wanted: dict[Path, bytes]) -> bool:
    """Write files so that all change or none; say whether any did.

    Each new text is complete on disk beside its file before the first file is replaced, and a replacement that fails
    puts back those before it. Mode and owner stay; a hard link elsewhere keeps the old bytes.

    Raises:
        OSError: A file cannot be written; all are as they were.
    """
    changed = {path.resolve(): text for path, text in wanted.items() if path.read_bytes() != text}
    before = {path: path.read_bytes() for path in changed}
    prepared: dict[Path, Path] = {}
    done: list[Path] = []
    try:
        for path, text in changed.items():
            prepared[path] = _write_beside(path, text)
        for path, new in prepared.items():
            new.replace(path)
            done.append(path)
    except OSError:
        for path in done:
            _write_beside(path, before[path]).replace(path)
        raise
    finally:
        for new in prepared.values():
            new.unlink(missing_ok=True)
    return bool(changed)


def _write_beside(path: Path, text: bytes) -> Path:
    """Return a new file in the folder of `path` with these bytes and the mode and owner of `path`."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    new = path.with_name(os.path.basename(name))  # noqa: PTH119  # mkstemp gives a string
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        shutil.copymode(path, new)
        with suppress(PermissionError):
            os.chown(new, path.stat().st_uid, path.stat().st_gid)
    except OSError:
        new.unlink(missing_ok=True)
        raise
    return new
