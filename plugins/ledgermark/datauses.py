"""Which pages and figures stand on a dataset: read off the evidence that the check has of every number and figure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ledgermark.check import Checked
    from ledgermark.figures import Drawn
    from ledgermark.pages import Page


@dataclass(frozen=True)
class DataUse:
    """A page that stands on a dataset.

    Attributes:
        numbers: how many of its claims were made from rows of it.
        figures: those on the page that read rows of it, in page order.
    """

    page: Page
    numbers: int
    figures: tuple[Drawn, ...]


def data_uses(checked: Checked, language: str) -> dict[str, tuple[DataUse, ...]]:
    """Return, by dataset, the pages of a language that stand on it, in the order of their paths."""
    made_from = {key: {cell.dataset for value in values for cell in value.evidence} for key, values in checked.values.items()}
    drawn_from = {place: {cell.dataset for cell in drawn.evidence} for place, drawn in checked.drawn.items()}
    uses: dict[str, list[DataUse]] = {}
    for page in checked.project.pages.get(language, {}).values():
        numbers: dict[str, int] = {}
        figures: dict[str, list[Drawn]] = {}
        for claim in page.claims.claims:
            for dataset in made_from.get(claim.key, ()):
                numbers[dataset] = numbers.get(dataset, 0) + 1
        for block in page.figures:
            for dataset in drawn_from.get((block.argument, language), ()):
                figures.setdefault(dataset, []).append(checked.drawn[block.argument, language])
        for dataset in {*numbers, *figures}:
            use = DataUse(page, numbers.get(dataset, 0), tuple(figures.get(dataset, ())))
            uses.setdefault(dataset, []).append(use)
    return {dataset: tuple(sorted(items, key=lambda use: use.page.path)) for dataset, items in uses.items()}
