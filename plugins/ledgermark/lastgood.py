"""The last good site: kept aside while a new one is built, and put back when the building fails, whoever makes it fail."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class LastGood:
    """A copy of a built site.

    Attributes:
        site: the folder that is built into.
        copy: where the copy is.
    """

    site: Path
    copy: Path

    def keep(self) -> None:
        """Copy the site aside, if there is one; an older copy, left by a build that was killed, is what that build had to save."""
        if self.copy.exists():
            self.restore()
        if self.site.is_dir() and any(self.site.iterdir()):
            self.copy.parent.mkdir(parents=True, exist_ok=True)
            scratch = self.copy.with_name(f"{self.copy.name}.part")
            shutil.rmtree(scratch, ignore_errors=True)
            shutil.copytree(self.site, scratch, symlinks=True)
            scratch.rename(self.copy)

    def restore(self) -> None:
        """Put the copy back in place of what was built; without a copy there was no site, and half a one is removed."""
        shutil.rmtree(self.site, ignore_errors=True)
        if self.copy.exists():
            shutil.move(self.copy, self.site)

    def forget(self) -> None:
        """Remove the copy: the new site is good."""
        shutil.rmtree(self.copy, ignore_errors=True)
