"""What stands at a place of a page, given as `path:line:column`: a claim, a given number, or another number that readers see."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ledgermark.coverage import coverage_of
from ledgermark.findings import ConfigError
from ledgermark.messages import Message
from ledgermark.unbound import BOUND, GIVEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ledgermark.check import Project
    from ledgermark.claims import Claim, Given
    from ledgermark.findings import Finding
    from ledgermark.source import Source
    from ledgermark.unbound import Number

_PLACE: Final = re.compile(r"(?P<path>[^?]+?):(?P<line>[0-9]{1,9})(?::(?P<column>[0-9]{1,9}))?:?")
_LONG: Final = 60  # characters of a line that a message repeats


@dataclass(frozen=True)
class Place:
    """A line of a file, 1-based, and perhaps a column, in characters."""

    path: str
    line: int
    column: int | None


@dataclass(frozen=True)
class Item:
    """A number as it stands in a file.

    Attributes:
        path: the file.
        line, column: where its text begins.
        text: as written.
        start, end: from its first character to the last of its link, as offsets.
        what: what it is.
    """

    path: str
    line: int
    column: int
    text: str
    start: int
    end: int
    what: Claim | Given | Number


@dataclass(frozen=True)
class Found:
    """What was asked for, and what else stands on that line."""

    item: Item
    others: tuple[Item, ...]


def parse_place(text: str) -> Place | None:
    """Return the place that a text names, such as `en/gate.md:12:9`, or None when it is none; a claim's name holds no colon."""
    match = _PLACE.fullmatch(text)
    return Place(match["path"], int(match["line"]), int(match["column"]) if match["column"] else None) if match else None


def number_at(project: Project, place: Place) -> Found:
    """Return the number at a place: the one there, else the nearest on the line, else the first where no column is named.

    Args:
        project: as read.
        place: its path is relative to the project's folder.

    Raises:
        ConfigError: the file holds no numbers that readers see, or none on that line.
    """
    source = next((page.source for page in project.all_pages if page.source.path == place.path), None) or project.texts.get(place.path)
    if source is None:
        msg = Message("{path} is no page of this project", path=place.path)
        raise ConfigError(msg)
    items = sorted(_items(project, place.path, source), key=lambda item: item.start)
    lines = source.text.split("\n")
    if not 1 <= place.line <= len(lines):
        msg = Message("{path} has no line {line}; it has {count}", path=place.path, line=place.line, count=len(lines))
        raise ConfigError(msg)
    begin = sum(len(line) + 1 for line in lines[: place.line - 1])
    end = begin + len(lines[place.line - 1])
    here = [item for item in items if item.start <= end and item.end > begin]
    if not here:
        text = lines[place.line - 1].strip()
        part = text if len(text) <= _LONG else f"{text[:_LONG]}…"
        words = Message("'{text}'", text=part) if text else Message("nothing")
        near = min(items, key=lambda item: abs(item.line - place.line), default=None)
        nearest = (
            Message("; the nearest is '{text}' at {path}:{line}:{column}", text=near.text, path=near.path, line=near.line, column=near.column)
            if near
            else ""
        )
        msg = Message("no number at {path}:{line}, there is {words}{nearest}", path=place.path, line=place.line, words=words, nearest=nearest)
        raise ConfigError(msg)
    at = begin + (place.column or 1) - 1
    chosen = min(here, key=lambda item: max(item.start - at, at - item.end, 0))
    return Found(chosen, tuple(item for item in here if item is not chosen))


def _items(project: Project, path: str, source: Source) -> Iterator[Item]:
    """Yield the numbers of a file, those of a link once each."""
    for page in project.all_pages:
        if page.source.path == path:
            links: tuple[Claim | Given, ...] = (*page.claims.claims, *page.claims.given)
            for bound in links:
                close = source.text.find(")", bound.end)
                yield Item(path, *source.place(bound.start), bound.text, bound.start - 1, close + 1 if close >= 0 else bound.end, bound)
    for file in coverage_of(project).of_path(path):
        for line, column, number in file.numbers:
            if number.code or number.state not in (BOUND, GIVEN):
                start = source.offset(line, column)
                yield Item(path, line, column, number.text, start, start + len(number.text), number)


def findings_about(item: Item, findings: Sequence[Finding], source: Source) -> tuple[Finding, ...]:
    """Return those findings that are placed at a number or its link."""
    return tuple(
        finding for finding in findings if finding.path == item.path and item.start <= source.offset(finding.line, finding.column) < item.end
    )
