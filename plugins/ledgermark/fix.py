"""Stale numbers rewritten in place: only the digits that are wrong, in the manner they were written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ledgermark.verify import verify

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledgermark.check import Project
    from ledgermark.metrics import Evaluator
    from ledgermark.pages import Page


@dataclass(frozen=True, order=True)
class Edit:
    """Replace `old`, which stands at `start` of the page's text, by `new`."""

    start: int
    old: str
    new: str


def find_edits(page: Page, project: Project, evaluator: Evaluator) -> list[Edit]:
    """Return the edits that make a page's numbers those of the data, in order and without overlap.

    Only problems that digits can mend are edited; a wrong unit, binding or count is left for its author.
    """
    edits: set[Edit] = set()
    for claim in page.claims.claims:
        for problem in verify(claim, evaluator, project.settings.aliases).problems:
            if problem.shown is not None and problem.expected is not None:
                old = claim.text[problem.shown.start : problem.shown.end]
                edits.add(Edit(claim.start + problem.shown.start, old, problem.expected))
    return sorted(edits)


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with the edits made. Raises ValueError when one does not find its old text."""
    parts: list[str] = []
    position = 0
    for edit in sorted(edits):
        if edit.start < position or not text.startswith(edit.old, edit.start):
            msg = f"the text at {edit.start} is not '{edit.old}'"
            raise ValueError(msg)
        parts += [text[position : edit.start], edit.new]
        position = edit.start + len(edit.old)
    return "".join([*parts, text[position:]])
