"""When and from which commit a build is made."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING

from ledgermark.findings import ConfigError
from ledgermark.messages import Message
from ledgermark.stamp import Stamp

if TYPE_CHECKING:
    from pathlib import Path


def today() -> date:
    """Return the date of the build: `SOURCE_DATE_EPOCH` if it is set, else the clock's, in UTC."""
    return now().date()


def now() -> datetime:
    """Return the time of the build in UTC, by `SOURCE_DATE_EPOCH` or the clock. Raises ConfigError when the variable is no number."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if not epoch:
        return datetime.now(UTC).replace(microsecond=0)
    try:
        return datetime.fromtimestamp(int(epoch), UTC)
    except (ValueError, OverflowError, OSError) as error:
        msg = Message("SOURCE_DATE_EPOCH is '{epoch}', expected seconds since 1970", epoch=epoch)
        raise ConfigError(msg) from error


def read_stamp(root: Path, repo_url: str) -> Stamp:
    """Return what a build in this folder is made of: git's commit if there is one, and the time.

    Args:
        root: the project's folder.
        repo_url: the repository's page, from which the address of a data row follows; may be empty.
    """
    commit = git(root, "rev-parse", "HEAD")
    source = f"{repo_url.rstrip('/')}/blob/{commit}/{{path}}#L{{line}}" if repo_url and commit else ""
    modified = bool(git(root, "status", "--porcelain", "--untracked-files=no"))
    return Stamp(commit, modified, now().isoformat().replace("+00:00", "Z"), source)


def git(root: Path, *arguments: str) -> str:
    """Return what a git command prints in a folder, or an empty text when there is no git, no repository, or no answer."""
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False, timeout=20)  # noqa: S603, S607
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
