"""Which pages a command is asked to report on."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ledgermark.findings import ConfigError
from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledgermark.check import Project


def pages_asked(config: Path, files: Sequence[Path], project: Project, *, changed: bool = False) -> frozenset[str] | None:
    """Return the paths of the pages among some files, or None for all pages.

    Args:
        config: the project's `mkdocs.yml`.
        files: as named on the command line; none asks for all pages.
        project: as read.
        changed: the files are whatever changed. A page then stands for its other languages too, data and code for every page, and a
            file that is none of the project's for nothing.

    Raises:
        ConfigError: a file does not exist or is no page, where not whatever changed was named.
    """
    if not files:
        return None
    root = config.resolve().parent
    pages = {page.source.path: page.path for page in project.all_pages}
    if changed:
        names = {name for file in files if (name := path_in(root, file))}
        if any(_concerns_all(name, config, project) for name in names):
            return None
        paths = {pages[name] for name in names if name in pages}
        return frozenset(name for name, path in pages.items() if path in paths)
    asked: set[str] = set()
    for file in files:
        if not file.exists():
            msg = Message("no file {file}", file=file)
            raise ConfigError(msg)
        name = path_in(root, file)
        if name is None:
            msg = Message("{file} is not below {root}", file=file, root=root)
            raise ConfigError(msg)
        if name not in pages and all(finding.path != name for finding in project.findings):
            msg = Message("{path} is no page of this project", path=name)
            raise ConfigError(msg)
        asked.add(name)
    return frozenset(asked)


def path_in(root: Path, file: Path) -> str | None:
    """Return a file's path as findings write it, relative to the project's folder; None for a file outside."""
    try:
        return file.resolve().relative_to(root).as_posix()
    except ValueError:
        return None


def _concerns_all(name: str, config: Path, project: Project) -> bool:
    """Return whether more than one page hangs on a file: settings, data, or what computes and translates."""
    settings = project.settings
    single = (settings.mastheads, settings.subjects, config.name)
    folders = {PurePosixPath(item).parent for item in (settings.descriptor, settings.metrics, settings.figures)} | {
        PurePosixPath(settings.locale)
    }
    path = PurePosixPath(name)
    return name in single or (path.suffix in (".csv", ".json", ".parquet", ".py", ".po") and any(path.is_relative_to(item) for item in folders))
