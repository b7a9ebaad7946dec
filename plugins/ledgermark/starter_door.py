"""Writes the starter project: a small bilingual site whose numbers are bound, to be changed into one's own."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING

from ledgermark.findings import ConfigError
from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable
    from pathlib import Path


def write_starter(folder: Path) -> list[str]:
    """Write the starter into a folder and return the names of its files.

    Raises:
        ConfigError: one of the files is there already; nothing was written then.
    """
    files = dict(_files(resources.files("ledgermark") / "starter", ""))
    present = [name for name in files if (folder / name).exists()]
    if present:
        msg = Message("{folder} is there already; nothing was written", folder=folder / present[0])
        raise ConfigError(msg)
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return list(files)


def _files(place: Traversable, name: str) -> Iterator[tuple[str, bytes]]:
    for item in sorted(place.iterdir(), key=lambda entry: entry.name):
        path = f"{name}{item.name}"
        if item.is_dir():
            if item.name != "__pycache__":
                yield from _files(item, f"{path}/")
        else:
            yield path, item.read_bytes()
