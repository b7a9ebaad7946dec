"""A page as it is read aloud: its passages, and around a number the clause and the sentence, or the cell and its headers.

Offsets are those of the file. What a reader does not see is blank, and each bound or given number is one run of `NUMBER`, so that words can
be looked for beside it without reading its digits.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ledgermark.tables import find_tables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledgermark.claims import PageClaims
    from ledgermark.source import Source
    from ledgermark.tables import Table

NUMBER: Final = "\ufffc"
CLAUSE, PART, SENTENCE = 1, 2, 3
_TARGET: Final = re.compile(r"""\]\((?:[^()\s"']|\([^()\n]*\))*(?:\s*(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))?\s*\)""")
# Each begins with one character, which is what makes looking for it fast: an entity, the id of a heading, a tag.
_HIDDEN: Final = re.compile(
    r"[&{<](?:(?<=&)(?:#[0-9]+|#x[0-9a-fA-F]+|[a-zA-Z]+);|(?<=\{)[:#.][^}\n]*\}|(?<=<)[a-zA-Z/][^<>\n]*>)",
)
_FENCE: Final = re.compile(r"\n/{3,}[^\n]*(?:\n(?: {4}|\t)[^\n]*)*")  # of a block, with its options
_QUOTE: Final = re.compile(r"\n[ \t]*(?:>[ \t]?)+")
_FRONT_KEY: Final = re.compile(r"^[ \t]*[\w-]+:[ \t]*", re.MULTILINE)
# What can end a clause, a part of a sentence, a sentence, and the marks that may follow it.
_END: Final = re.compile(r"[。！？.!?；：;:，,（）()—–]")
_AFTER: Final = re.compile(r"[\"”’」』）)]*")
_STRENGTH: Final = {**dict.fromkeys("。！？.!?", SENTENCE), **dict.fromkeys("；：;:", PART), **dict.fromkeys("，,（）()—–", CLAUSE)}
_SHORT: Final = re.compile(r"(?:\b(?:e\.g|i\.e|vs|cf|ca|Fig)|approx)$")  # forms whose point ends nothing
_LEADING: Final = 12  # letters beside a number, or a range, that leads its passage: "At least", "to"
_ITEM: Final = re.compile(r"[ \t]*(?:[-+*]|[0-9]{1,9}[.)])[ \t]+")
_HEADING: Final = re.compile(r" {0,3}#{1,6}[ \t]")


@dataclass(frozen=True)
class Span:
    """A stretch of the text."""

    start: int
    end: int


@dataclass(frozen=True)
class Passage:
    """A paragraph, list item, heading, line of the front matter, or table cell, with the headers of a cell.

    Attributes:
        beside: of a cell, the other cells of its row.
        above: of a cell, the header of its column.
    """

    span: Span
    beside: tuple[Span, ...] = ()
    above: Span | None = None


class Reading:
    """A page's text as it is read, cut into passages."""

    def __init__(self, source: Source, claims: PageClaims) -> None:
        numbers = sorted({(claim.start, claim.end) for claim in claims.claims} | {(given.start, given.end) for given in claims.given})
        self.text = _visible(source, numbers)
        self.passages = _passages(self.text, source.body_start, find_tables(source))
        self._starts = [passage.span.start for passage in self.passages]
        self._numbers = numbers
        self._ends: dict[Span, list[tuple[int, int, int]]] = {}
        self._around: dict[tuple[int, int], tuple[Span, Span, Span]] = {}

    def passage(self, offset: int) -> Passage:
        """Return the passage an offset lies in."""
        index = bisect.bisect_right(self._starts, offset) - 1
        return self.passages[index] if index >= 0 else Passage(Span(0, len(self.text)))

    def around(self, start: int, end: int, level: int) -> Span:
        """Return the clause, part or sentence around a stretch.

        Args:
            start: where it starts.
            end: where it ends.
            level: `CLAUSE`, `PART` or `SENTENCE`.
        """
        place = start, end
        if place not in self._around:
            self._around[place] = self._levels(start, end)
        return self._around[place][level - 1]

    def _levels(self, start: int, end: int) -> tuple[Span, Span, Span]:
        """Return clause, part and sentence around a stretch."""
        span = self.passage(start).span
        ends = self._boundaries(span)
        index = bisect.bisect_right(ends, (start,))
        lefts, rights = [span.start] * 3, [max(span.end, end)] * 3
        reached = 0
        for at in range(index - 1, -1, -1):
            _, last, strength = ends[at]
            if strength > reached and last <= start:
                lefts[reached:strength] = [last] * (strength - reached)
                reached = strength
                if reached == SENTENCE:
                    break
        reached = 0
        for at in range(index, len(ends)):
            first, _, strength = ends[at]
            if strength > reached and first >= end:
                rights[reached:strength] = [first] * (strength - reached)
                reached = strength
                if reached == SENTENCE:
                    break
        clause, part, sentence = map(Span, lefts, rights)
        return clause, part, sentence

    def nearest(self, start: int, end: int, level: int = CLAUSE) -> Span:
        """Return the stretch of the clause (part, sentence) around a number that no other claims: from the one before to the one after."""
        span = self.around(start, end, level)
        index = bisect.bisect_left(self._numbers, (start, end))
        left = self._numbers[index - 1][1] if index else span.start
        right = self._numbers[index + 1][0] if index + 1 < len(self._numbers) else span.end
        return Span(max(span.start, left), min(span.end, right))

    def _boundaries(self, span: Span) -> list[tuple[int, int, int]]:
        """Return what ends something in a passage: start, end and strength of each, in order."""
        if span not in self._ends:
            found = (_boundary(self.text, match.start(), span.end) for match in _END.finditer(self.text, span.start, span.end))
            self._ends[span] = [boundary for boundary in found if boundary and not self._leads(span.start, boundary)]
        return self._ends[span]

    def _leads(self, start: int, boundary: tuple[int, int, int]) -> bool:
        """Return whether a mark is the colon after a number that leads its passage: what follows is said of that number."""
        if self.text[boundary[0]] not in ":：":
            return False
        head = self.text[start : boundary[0]]
        return NUMBER in head and sum(char.isalnum() for char in head) <= _LEADING


def _boundary(text: str, at: int, end: int) -> tuple[int, int, int] | None:
    """Return the boundary that a mark makes, or None: a point in a number or after a short form ends nothing, nor does a comma in a number."""
    mark = text[at]
    strength = _STRENGTH[mark]
    after = text[at + 1 : at + 2] if at + 1 < end else ""
    if strength == SENTENCE:
        quotes = _AFTER.match(text, at + 1, end)
        stop = quotes.end() if quotes else at + 1
        if mark in ".!?" and ((stop < end and not text[stop].isspace()) or (mark == "." and _SHORT.search(text, max(at - 8, 0), at))):
            return None
        return at, stop, strength
    if mark in ";:," and after and not after.isspace():
        return None
    if mark in "—–" and not (after == mark == "—" or text[at - 1] == "—" or (text[at - 1].isspace() and after.isspace())):
        return None
    return at, at + 1, strength


def _visible(source: Source, numbers: Iterable[tuple[int, int]]) -> str:
    parts: list[str] = []
    position = 0
    for start, end in numbers:
        if start >= position:
            parts += [source.with_code[position:start], NUMBER * (end - start)]
            position = end
    text = "".join([*parts, source.with_code[position:]])
    text = "\n" + _blank(_HIDDEN, _blank(_TARGET, text))
    for pattern, mark in ((_FENCE, "\n///"), (_QUOTE, ">")):
        text = _blank(pattern, text) if mark in text else text
    text = text[1:]
    for mark in "[]*`":
        text = text.replace(mark, " ")
    front = text[: source.body_start]
    return _blank(_FRONT_KEY, front) + text[source.body_start :]


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(_spaces, text)


def _spaces(match: re.Match[str]) -> str:
    text = match.group()
    return re.sub(r"[^\n]", " ", text) if "\n" in text else " " * len(text)


def _passages(text: str, body_start: int, tables: tuple[Table, ...]) -> list[Passage]:
    found: list[Passage] = []
    position = 0
    for table in tables:
        found += _paragraphs(text, position, table.start, body_start)
        for row in (table.header, *table.rows):
            spans = [Span(cell.start, cell.end) for cell in row]
            for column, span in enumerate(spans):
                header = table.header[column] if row is not table.header and column < len(table.header) else None
                beside = tuple(other for other in spans if other != span) if header else ()
                found.append(Passage(span, beside, Span(header.start, header.end) if header else None))
        position = table.end
    return [*found, *_paragraphs(text, position, len(text), body_start)]


def _paragraphs(text: str, start: int, end: int, body_start: int) -> list[Passage]:
    """Return the passages between two offsets: lines belong together until a blank one, a heading or the next item."""
    found: list[Passage] = []
    opened: int | None = None
    position = start
    while position < end:
        stop = text.find("\n", position, end)
        stop = end if stop < 0 else stop + 1
        line = text[position:stop]
        blank = not line.strip()
        alone = position < body_start or bool(_HEADING.match(line))
        if opened is not None and (blank or alone or _ITEM.match(line)):
            found.append(Passage(Span(opened, position)))
            opened = None
        if alone and not blank:
            found.append(Passage(Span(position, stop)))
        elif not blank and opened is None:
            opened = position
        position = stop
    if opened is not None:
        found.append(Passage(Span(opened, end)))
    return found
