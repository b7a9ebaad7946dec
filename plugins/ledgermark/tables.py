"""The pipe tables of a page: their cells with places, and whether the languages' tables have the same shape."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from ledgermark.findings import Finding
from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledgermark.pages import Page
    from ledgermark.source import Source

# The line below a header. A search for it goes from line feed to line feed, and no blank in it can be read two ways.
_RULE: Final = re.compile(r"\n([ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?)$", re.MULTILINE)
_BAR: Final = re.compile(r"(?<!\\)\|")
_ALIGNED: Final = {(True, True): "center", (True, False): "left", (False, True): "right", (False, False): ""}


class Cell(NamedTuple):
    """The text between two bars: where it starts and ends."""

    start: int
    end: int


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        start, end: where it stands.
        alignments: of each column: `left`, `right`, `center`, or empty.
        header: the cells of its first row.
        rows: the cells of the others, in order.
    """

    start: int
    end: int
    alignments: tuple[str, ...]
    header: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @property
    def cells(self) -> Iterator[tuple[int, int, Cell]]:
        """Every cell with its row (the header is row 0) and column."""
        for number, row in enumerate((self.header, *self.rows)):
            for column, cell in enumerate(row):
                yield number, column, cell


@lru_cache(maxsize=8)  # each version of a page is compared with each other, both ways
def find_tables(source: Source) -> tuple[Table, ...]:
    """Return the tables of a page's body, in order; code and comments are left out."""
    text = source.masked
    found: list[Table] = []
    for match in _RULE.finditer(text, source.body_start):
        head_end = match.start()
        head_start = text.rfind("\n", 0, head_end) + 1
        rule = match[1]
        if "|" not in rule or head_end <= source.body_start or "|" not in text[head_start:head_end] or (found and found[-1].end > head_start):
            continue
        header = _cells(text, head_start, head_end)
        alignments = tuple(
            _ALIGNED[mark.startswith(":"), mark.endswith(":")] for mark in (part.strip() for part in rule.strip(" \t|").split("|"))
        )
        rows: list[tuple[Cell, ...]] = []
        position = match.end() + 1
        while position < len(text):
            end = text.find("\n", position)
            end = len(text) if end < 0 else end
            if "|" not in text[position:end]:
                break
            rows.append(_cells(text, position, end))
            position = end + 1
        found.append(Table(head_start, min(position, len(text)), alignments, header, tuple(rows)))
    return tuple(found)


def _cells(text: str, start: int, end: int) -> tuple[Cell, ...]:
    """Return the cells of a line: bars at its ends are the table's frame, and a bar after a backslash is text."""
    bars = [match.start() for match in _BAR.finditer(text, start, end)]
    inner = text[start:end]
    lead, trail = start + len(inner) - len(inner.lstrip()), start + len(inner.rstrip())
    edges = [start - 1, *bars, end]
    if bars and bars[0] == lead:
        edges = edges[1:]
    if bars and bars[-1] == trail - 1 and len(edges) > 2:  # noqa: PLR2004  (a lone bar opens a cell)
        edges = edges[:-1]
    return tuple(Cell(left + 1, right) for left, right in pairwise(edges))


def check_tables(page: Page, other: Page) -> list[Finding]:
    """Return where a page's tables differ in shape from those of its version in another language, section by section.

    Args:
        page: the page to report on.
        other: the same page in another language.
    """
    theirs = _by_section(other)
    findings: list[Finding] = []
    for section, tables in _by_section(page).items():
        where = Message(" in the section '{section}'", section=section) if section else ""
        others = theirs.get(section, [])
        findings += [
            _finding(
                page,
                table.start,
                "LM307",
                Message("a table stands here{where} and not there, or fewer, in {path}", where=where, path=other.source.path),
            )
            for table in tables[len(others) :]
        ]
        if page.language < other.language:
            for mine, their in zip(tables, others, strict=False):
                findings += _differences(page, mine, other, their)
    return findings


def _differences(page: Page, mine: Table, other: Page, their: Table) -> Iterator[Finding]:
    path = other.source.path
    if len(mine.header) != len(their.header):
        message = Message("the table has {here} columns here and {there} in {path}", here=len(mine.header), there=len(their.header), path=path)
        yield _finding(page, mine.start, "LM307", message)
        return
    if len(mine.rows) != len(their.rows):
        message = Message("the table has {here} rows here and {there} in {path}", here=len(mine.rows), there=len(their.rows), path=path)
        yield _finding(page, mine.start, "LM307", message)
        return
    for number, (here, there) in enumerate(zip(mine.alignments, their.alignments, strict=False), 1):
        if here != there:
            message = Message(
                "column {number} of the table is aligned '{here}' here and '{there}' in {path}",
                number=number,
                here=here or "default",
                there=there or "default",
                path=path,
            )
            yield _finding(page, mine.start, "LM307", message)
    counterparts = {(row, column): cell for row, column, cell in their.cells}
    ours, others = _keys(page, mine), _keys(other, their)
    for row, column, cell in mine.cells:
        counterpart = counterparts.get((row, column))
        bound = ours.get(cell, [])
        bound_there = others.get(counterpart, []) if counterpart else []
        if bound != bound_there:
            place = Message("row {row}, column {column}", row=row + 1, column=column + 1)
            message = Message(
                "{place} of the table binds {here} here and {there} in {path}",
                place=place,
                here=", ".join(bound) or Message("nothing"),
                there=", ".join(bound_there) or Message("nothing"),
                path=path,
            )
            yield _finding(page, cell.start, "LM308", message)


def _keys(page: Page, table: Table) -> dict[Cell, list[str]]:
    """Return what the cells of a table bind, in order."""
    cells = sorted((cell.start, cell) for _, _, cell in table.cells)
    starts = [start for start, _ in cells]
    found: dict[Cell, list[str]] = {}
    for claim in page.claims.claims:
        if table.start <= claim.start < table.end:
            cell = cells[bisect.bisect_right(starts, claim.start) - 1][1]
            found.setdefault(cell, []).append(claim.key.replace("&amp;", "&"))
    return found


def _by_section(page: Page) -> dict[str, list[Table]]:
    sections: dict[str, list[Table]] = {}
    for table in find_tables(page.source):
        sections.setdefault(page.source.section_at(table.start), []).append(table)
    return sections


def _finding(page: Page, offset: int, code: str, message: str) -> Finding:
    text = page.source.text
    while offset < len(text) and text[offset] in " \t":
        offset += 1
    return Finding(page.source.path, *page.source.place(offset), code, message)
