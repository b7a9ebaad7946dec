"""What a build was made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Stamp:
    """What a build was made of.

    Attributes:
        commit: the commit's hash, or an empty text outside a repository.
        modified: whether files differed from that commit.
        built: the date and time of the build, ISO 8601.
        source_url: address of a file at that commit, with `{path}` and `{line}`; empty when unknown.
    """

    commit: str
    modified: bool
    built: str
    source_url: str = ""

    @property
    def commit_short(self) -> str:
        """The commit as readers see it: twelve digits, and a plus when files differed from it."""
        return (self.commit[:12] or "–") + ("+" if self.modified else "")


NO_STAMP = Stamp(commit="", modified=False, built="")
