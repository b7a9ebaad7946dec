"""What a check without findings looked at: while all of that is the same, there is nothing to check again.

Only a clean verdict is kept, under a digest of everything a check reads: every file of the project's folders, the program itself and the
versions of what it is built on, the settings, the date, git's commit. Whatever cannot be digested for certain is no reason to skip a check. A
build never asks here.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ledgermark.clock import git, today
from ledgermark.config_file import read_config, settings_in
from ledgermark.files import write_whole
from ledgermark.findings import ConfigError
from ledgermark.watch import watched_folders

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PLACE: Final = Path(".cache/ledgermark/clean-check.json")
_CHUNK: Final = 1 << 20


@dataclass(frozen=True)
class Clean:
    """A check without findings: claims in each language, whether the record was not held against git, how many comments silence something."""

    claims: Mapping[str, int]
    unchecked: bool
    silenced: int = 0


def digest_of(config: Path) -> str | None:
    """Return a digest of everything that a check of a project reads; None when that cannot be told for certain."""
    digest = hashlib.sha256()
    try:
        for part in _facts(config):
            digest.update(f"{part}\0".encode())
        for path in (config, *(path for folder in (Path(__file__).parent, *watched_folders(config)) for path in _files(folder))):
            with path.open("rb") as file:
                digest.update(f"{path}\0{os.fstat(file.fileno()).st_size}\0".encode())
                while chunk := file.read(_CHUNK):
                    digest.update(chunk)
    except (ConfigError, OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    return digest.hexdigest()


def recall(config: Path, digest: str | None) -> Clean | None:
    """Return the clean check that a project with this digest had, if it had one."""
    try:
        content = json.loads(_place(config).read_bytes())
        if digest is not None and content["digest"] == digest:
            claims = {str(language): int(count) for language, count in content["claims"].items()}
            return Clean(claims, bool(content["unchecked"]), int(content["silenced"]))
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        pass
    return None


def keep(config: Path, digest: str | None, clean: Clean) -> None:
    """Keep a clean check of a project, unless something has changed since its digest was taken; a folder that takes no files is no fault."""
    if digest is None or digest_of(config) != digest:
        return
    place = _place(config)
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, json.dumps({"digest": digest, **asdict(clean)}))
    except (ConfigError, OSError):
        return


def _place(config: Path) -> Path:
    return config.resolve().parent / _PLACE


def _facts(config: Path) -> Iterator[str]:
    """Yield what a check depends on besides files. Raises ConfigError when the settings cannot be read."""
    root, settings = config.resolve().parent, read_config(config)
    yield from (today().isoformat(), sys.version, git(root, "rev-parse", "HEAD"))
    yield json.dumps(settings, default=str, sort_keys=True)  # with what it inherits
    # Of an instrument it matters only whether it is there: a badge rests on that.
    resources = json.loads((root / settings_in(settings).descriptor).read_bytes())["resources"]
    yield from (
        f"{name} {(root / name).is_file()}" for name in sorted({str(item["instrument"]) for item in resources if item.get("instrument")})
    )
    yield from (f"{folder} {folder.is_dir()}" for folder in watched_folders(config))
    for requirement in ("ledgermark", *(requires("ledgermark") or ())):
        name = requirement.partition(";")[0].partition("[")[0].rstrip("<>=!~.0123456789, ")
        try:
            yield f"{name} {version(name)}"
        except PackageNotFoundError:
            yield name


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, in order. Raises ValueError for a linked folder: what a check makes of it is not known here."""
    for parent, names, files in os.walk(folder):
        names.sort()
        if any((Path(parent) / name).is_symlink() for name in names):
            raise ValueError(parent)
        yield from (Path(parent) / name for name in sorted(files) if not name.endswith(".pyc"))
