"""What mutants grow on: a project that is clean, with what its claims are bound to and how its languages correspond."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from ledgermark.claims import BOUNDS, parse_key
from ledgermark.display import DisplayError, Shown, read_numbers
from ledgermark.fix import Edit
from ledgermark.metrics import EvaluationError, Evaluator
from ledgermark.mutants import Mutant, Rewritten
from ledgermark.passages import Reading
from ledgermark.units import Unit, UnitError, parse_unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ledgermark.check import Project
    from ledgermark.claims import Claim, Given
    from ledgermark.pages import Page
    from ledgermark.quantity import Quantity

_REST: Final = re.compile(r""">?(?:\s+(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))?\s*\)""")


@dataclass(frozen=True)
class Ground:
    """A project and what is needed of it to think of faults.

    Attributes:
        descriptor: the text of its data descriptor.
    """

    project: Project
    descriptor: str = ""

    @cached_property
    def evaluator(self) -> Evaluator:
        """The project's metrics over its ledger."""
        return Evaluator(self.project.ledger, self.project.metrics or {})

    @cached_property
    def bound(self) -> tuple[tuple[Page, Claim], ...]:
        """Every claim with its page."""
        return tuple((page, claim) for page in self.project.all_pages for claim in page.claims.claims)

    @cached_property
    def _readings(self) -> dict[str, Reading]:
        return {}

    def reading(self, page: Page) -> Reading:
        """Return a page as it is read."""
        path = page.source.path
        if path not in self._readings:
            self._readings[path] = Reading(page.source, page.claims)
        return self._readings[path]

    @cached_property
    def _places(self) -> dict[tuple[str, str, str], dict[str, list[tuple[Page, Claim]]]]:
        """Page path, section and key, to the claims there by language."""
        places: dict[tuple[str, str, str], dict[str, list[tuple[Page, Claim]]]] = defaultdict(lambda: defaultdict(list))
        for page, claim in self.bound:
            places[self._place(page, claim)][page.language].append((page, claim))
        return places

    def _place(self, page: Page, claim: Claim) -> tuple[str, str, str]:
        path = page.path if page.language else f"/{page.path}"
        return path, page.source.section_at(claim.start), claim.key.replace("&amp;", "&")

    def twins(self, page: Page, claim: Claim) -> list[tuple[Page, Claim]]:
        """Return the claim as it stands in each language: what must change so that the languages still agree."""
        by_language = self._places[self._place(page, claim)]
        nth = by_language[page.language].index((page, claim))
        return [found[nth] for found in by_language.values() if nth < len(found)]

    def numbers(self, claim: Claim) -> list[Shown]:
        """Return the numbers a claim shows; none where they cannot be read."""
        try:
            return read_numbers(claim.text, dict(self.project.settings.aliases))
        except DisplayError:
            return []

    def fits(self, key: str, text: str) -> bool:
        """Return whether what is shown is right by arithmetic alone: then a mutant that shows it is no fault."""
        try:
            claim = parse_key(key)
            values = self.evaluator.values(claim)
            shown = read_numbers(text, dict(self.project.settings.aliases))
        except (EvaluationError, DisplayError, UnitError, ValueError):
            return False
        return distance(claim, values, shown) <= 1


def distance(claim: Claim, values: Sequence[Quantity], shown: Sequence[Shown]) -> float:
    """Return how far the numbers shown are from a claim's values, the furthest of them, in halves of its last place."""
    if claim.show == "magnitude":
        values = [abs(value) for value in values]
    if claim.relation in BOUNDS and len(values) > len(shown) == 1:
        values = [sorted(values, key=lambda item: item.value)[-1 if claim.relation in ("at_most", "less_than") else 0]]
    if len(values) != len(shown):
        return float("inf")
    stated = parse_unit(claim.unit) if claim.unit else None
    return max(_apart(value, number, stated) for value, number in zip(values, shown, strict=True))


def _apart(value: Quantity, shown: Shown, stated: Unit | None) -> float:
    """Return how far a number shown is from a value, in halves of its last place; infinitely far where the units differ in kind."""
    unit = shown.unit or stated or value.unit
    if unit.dimensions != value.unit.dimensions:
        return float("inf")
    return float(abs(value.value * value.unit.factor / unit.factor - shown.value) / shown.place * 2)


def link_of(page: Page, item: Claim | Given) -> tuple[int, int]:
    """Return where the link of a claim or given number starts and ends."""
    text = page.source.text
    after = text.index(":", item.end) + 1
    after += len(getattr(item, "key", ""))
    match = _REST.match(text, after)
    return item.start - 1, match.end() if match else text.index(")", after) + 1


def key_edit(page: Page, claim: Claim, new: str) -> tuple[str, Edit]:
    """Return the edit that binds a claim to another key."""
    return page.source.path, Edit(page.source.text.index(claim.key, claim.end), claim.key, new)


def inner_edit(page: Page, claim: Claim, start: int, end: int, new: str) -> tuple[str, Edit]:
    """Return the edit of a stretch of a claim's text."""
    return page.source.path, Edit(claim.start + start, claim.text[start:end], new)


def rewritten(
    kind: str,
    page: Page,
    offset: int,
    subject: str,
    change: str,
    edits: Sequence[tuple[str, Edit]],
    shows: Sequence[tuple[str, str]] = (),
) -> Mutant:
    """Return a mutant of the text of pages."""
    place = page.source.place(offset)
    return Mutant(kind, page.source.path, *place, page.source.section_at(offset), subject, change, Rewritten(tuple(edits), tuple(shows)))


def pages_of(project: Project, path: str) -> Iterator[Page]:
    """Yield the page of a path in each language."""
    for language in project.settings.languages:
        if page := project.pages.get(language, {}).get(path):
            yield page
