"""Files read with their reason when they cannot be, and written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ledgermark.findings import ConfigError
from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def read_file(path: Path) -> bytes | str:
    """Return a file's bytes, or in words why it cannot be read."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return Message("the file does not exist")
    except OSError as error:
        return Message("the file cannot be read: {reason}", reason=error.strerror or error)


def files_under(folder: Path, suffixes: tuple[str, ...]) -> Iterator[Path]:
    """Yield the files in a folder and those in it, in any order; links to folders are not followed, and what cannot be listed has none.

    Args:
        folder: where to look.
        suffixes: those a file may have, in small letters with their dots.
    """
    folders = [str(folder)]
    while folders:
        try:
            with os.scandir(folders.pop()) as listed:
                entries = list(listed)
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            elif entry.name.lower().endswith(suffixes):
                path = Path(entry.path)
                # The listing itself tells of a plain file what it is; the disk is asked of a link only.
                if path.suffix and (entry.is_file(follow_symlinks=False) or path.is_file()):
                    yield path


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all, with the permissions it has.

    Raises:
        ConfigError: it cannot be written; the file is as it was.
    """
    path = path.resolve()  # a link stays a link; what it points to is written
    scratch = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        scratch.write_bytes(content.encode() if isinstance(content, str) else content)
        if path.exists():
            scratch.chmod(path.stat().st_mode)
        scratch.replace(path)
    except OSError as error:
        msg = Message("{path} cannot be written: {reason}; it is as it was", path=path, reason=error.strerror or error)
        raise ConfigError(msg) from error
    finally:
        scratch.unlink(missing_ok=True)


def rewrite(path: Path, edit: Callable[[str], str]) -> None:
    """Rewrite a page by a function of its text with plain line feeds; lines keep the ends they have. Whole or not at all."""
    text = path.read_bytes().decode()
    returns = [line.endswith("\r") for line in text.split("\n")[:-1]]
    edited = edit(text.replace("\r\n", "\n"))
    if any(returns):
        lines = edited.split("\n")
        edited = "\n".join(line + "\r" if index < len(returns) and returns[index] else line for index, line in enumerate(lines))
    write_whole(path, edited)
