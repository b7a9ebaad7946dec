"""Checking again at each change of the project's files, until someone ends it."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Final

from ledgermark.config_file import read_config, settings_in
from ledgermark.findings import ConfigError, spoken
from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ledgermark.findings import Finding
    from ledgermark.messages import Say

_TICK_MS: Final = 300  # how often mkdocs.yml itself is looked at: editors replace it, and what watches a file then watches nothing
_CALM_MS: Final = 100  # how long files must have been left alone


@dataclass(frozen=True)
class Look:
    """What one check said: findings and summary, or why it could not run."""

    findings: tuple[Finding, ...] = ()
    summary: str = ""
    error: str = ""

    @property
    def status(self) -> int:
        """The exit status."""
        return 2 if self.error else int(bool(self.findings))


def follow(config: Path, look: Callable[[], Look], tell: Callable[[str], None], say: Say = str) -> int:
    """Check now and after each change, say what is new and what is mended, and return the last check's status once interrupted.

    Args:
        config: the project's `mkdocs.yml`.
        look: checks once.
        tell: takes lines for the person who watches.
        say: in which language.

    Raises:
        ConfigError: the package that watches files is not installed.
    """
    last: Look | None = None
    try:
        for _ in _moments(config):
            before, last = last, look()
            for line in news(before, last, say):
                tell(line)
    except KeyboardInterrupt:
        pass
    return last.status if last else 2


def news(before: Look | None, now: Look, say: Say = str) -> list[str]:
    """Return what a check says that the one before did not; a finding that only moved to another line is none.

    Args:
        before: None when there was none; all is then news.
        now: the later one.
        say: in which language.
    """
    if now.error:
        return [] if before and before.error == now.error else [f"Error: {say(now.error)}"]
    if before is None or before.error:
        return [*(str(spoken(finding, say)) for finding in now.findings), say(now.summary)]
    new, mended = _without(now.findings, before.findings), _without(before.findings, now.findings)
    lines = [say(Message("mended: {finding}", finding=spoken(finding, say))) for finding in mended]
    lines += [str(spoken(finding, say)) for finding in new]
    return [*lines, say(now.summary)] if lines or before.summary != now.summary else []


def _without(findings: Iterable[Finding], others: Iterable[Finding]) -> list[Finding]:
    known = Counter(_sense(finding) for finding in others)
    kept = []
    for finding in findings:
        if known[_sense(finding)]:
            known[_sense(finding)] -= 1
        else:
            kept.append(finding)
    return kept


def _sense(finding: Finding) -> tuple[str, str, str, str | None]:
    return finding.path, finding.code, finding.message, finding.shown


def _moments(config: Path) -> Iterator[None]:
    """Yield once at the start, and after each change of the project's files."""
    try:
        from watchfiles import watch  # noqa: PLC0415  (an extra)
    except ImportError as error:
        msg = Message("--watch needs the package watchfiles; install it with: pip install 'ledgermark[watch]'")
        raise ConfigError(msg) from error
    root = config.resolve().parent

    def matters(_change: object, path: str) -> bool:
        parts = Path(path).parts[len(root.parts) :]
        return "__pycache__" not in parts and not any(part.startswith(".") for part in parts)

    folders = watched_folders(config) or (root,)
    while True:
        stamp = _stamp(config)
        found = [folder for folder in folders if folder.is_dir()]
        with closing(
            watch(*found, watch_filter=matters, yield_on_timeout=True, rust_timeout=_TICK_MS, step=_CALM_MS, debounce=10 * _CALM_MS)
        ) as changes:
            # Only when the first wait has passed is it certain that the folders are watched: what changes from now on is not missed.
            next(changes)
            yield
            for changed in changes:
                if _stamp(config) != stamp:
                    break
                if changed:
                    yield
        folders = watched_folders(config) or folders


def watched_folders(config: Path) -> tuple[Path, ...]:
    """Return the folders that hold what a check reads, none inside another; none at all when the settings cannot be read."""
    root = config.resolve().parent
    try:
        settings = settings_in(read_config(config))
    except ConfigError:
        return ()
    files = (settings.descriptor, settings.metrics, settings.figures, settings.mastheads, settings.subjects)
    names = {*settings.languages.values(), settings.pages, settings.locale, *(str(PurePosixPath(name).parent) for name in files)}
    folders = sorted({(root / name).resolve() for name in names})
    return tuple(folder for folder in folders if not any(folder != other and folder.is_relative_to(other) for other in folders))


def _stamp(config: Path) -> tuple[int, int] | None:
    """Return what tells one state of a file from the next; None when it is not there."""
    try:
        found = config.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
