"""Whether the days at the head of a page can be: none is to come, and each day of measuring is that of rows behind the page."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from ledgermark.findings import Finding
from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ledgermark.ledger import Ledger
    from ledgermark.pages import Page
    from ledgermark.quantity import Cell, Quantity
    from ledgermark.source import Source


def check_published(page: Page, today: date) -> list[Finding]:
    """Return the finding that a page is dated after the day of the build, if it is."""
    if page.published is None or page.published <= today:
        return []
    message = Message("the page is dated {date}, after the build's date {today}", date=page.published, today=today)
    return [Finding(page.source.path, *page.source.place(max(page.source.text.find("date:"), 0)), "LM904", message)]


def check_chips(behind: Behind, chips: Mapping[str, list[dict[str, object]]], source: Source | None, today: date) -> Iterator[Finding]:
    """Yield the days in mastheads that are to come, or that no row behind the page has.

    Args:
        behind: what the pages rest on.
        chips: page path without its ending to its chips.
        source: the file of mastheads.
        today: the date of the build.
    """
    for name, items in chips.items():
        days = sorted(behind.days(f"{name}.md"))
        for day in (day for chip in items for day in _dates(chip)):
            if day > today:
                message = Message("'{page}': {date} is after the build's date {today}", page=name, date=day, today=today)
            elif days and day not in days:
                message = Message(
                    "'{page}': no row behind the page's numbers and figures is of {date}; they are of {count} days from {first} to {last}",
                    page=name,
                    date=day,
                    count=len(days),
                    first=days[0],
                    last=days[-1],
                )
            else:
                continue
            yield Finding(source.path if source else "", *_place(source, name, day), "LM904", message)


def _dates(chip: dict[str, object]) -> list[date]:
    dates = chip.get("dates")
    return dates if isinstance(dates, list) else []


@dataclass(frozen=True)
class Behind:
    """What the pages of one language rest on.

    Attributes:
        pages: by path.
        values: what the data gives, by claim key.
        drawn: the cells that each figure has read.
        ledger: the data.
    """

    pages: Mapping[str, Page]
    values: Mapping[str, tuple[Quantity, ...]]
    drawn: Mapping[str, frozenset[Cell]]
    ledger: Ledger

    def days(self, path: str) -> set[date]:
        """Return the days in the rows behind a page's claims and figures; none where not all of them are known."""
        page = self.pages.get(path)
        if page is None or not all(self.values.get(claim.key) for claim in page.claims.claims):
            return set()
        if not all(block.argument in self.drawn for block in page.figures):
            return set()
        cells = {cell for claim in page.claims.claims for value in self.values[claim.key] for cell in value.evidence}
        cells.update(cell for block in page.figures for cell in self.drawn[block.argument])
        return {day for dataset, line in {(cell.dataset, cell.line) for cell in cells} for day in self._days(dataset, line)}

    def _days(self, dataset: str, line: int) -> Iterator[date]:
        table = self.ledger.table(dataset)
        for column in table.dataset.columns:
            if column.type == "date":
                with suppress(ValueError):  # an empty cell, or one that is a finding of the table
                    yield date.fromisoformat(table.columns[column.name][table.position(line)])


def _place(source: Source | None, name: str, day: date) -> tuple[int, int]:
    """Return line and column of a day in the file of mastheads."""
    if source is None:
        return 1, 1
    at = source.text.find(day.isoformat(), max(source.text.find(f"\n{name}:"), 0))
    return source.place(max(at, 0))
