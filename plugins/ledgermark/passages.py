"""A page as it is read aloud: its passages, and around a number the clause and the sentence, or the cell and its headers.

Offsets are those of the file. What a reader does not see is blank, and each bound or given number is one run of `NUMBER`, so that words can
be looked for beside it without reading its digits.
"""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from ledgermark.tables import find_tables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledgermark.claims import PageClaims
    from ledgermark.source import Source
    from ledgermark.tables import Cell, Table

NUMBER: Final = "\ufffc"
CLAUSE, PART, SENTENCE = 1, 2, 3
_TARGET: Final = re.compile(r"""\]\([^()\s"']*(?:\([^()\n]*\)[^()\s"']*)*(?:\s*(?:"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*'))?\s*\)""")
# Each begins with one character, which is what makes looking for it fast: an entity, the id of a heading, a tag.
_HIDDEN: Final = re.compile(
    r"[&{<](?:(?<=&)(?:#[0-9]+|#x[0-9a-fA-F]+|[a-zA-Z]+);|(?<=\{)[:#.][^}\n]*\}|(?<=<)[a-zA-Z/][^<>\n]*>)",
)
_FENCE: Final = re.compile(r"\n/{3,}[^\n]*(?:\n(?: {4}|\t)[^\n]*)*")  # of a block, with its options
_QUOTE: Final = re.compile(r"\n[ \t]*(?:>[ \t]?)+")
_FRONT_KEY: Final = re.compile(r"^[ \t]*[\w-]+:[ \t]*", re.MULTILINE)
# What ends a clause, a part of a sentence, a sentence (or a dash, which may), and the marks that follow: a point in a number ends nothing,
# nor does a comma in one. It begins with one character too.
_END: Final = re.compile(
    r"[。！？.!?；：;:，,（）()—–](?:(?<=[。！？；：，（）()—–])|(?<=[;:,])(?=\s|\Z)|(?<=[.!?])(?=[\"”’」』）)]*(?:\s|\Z)))(?=([\"”’」』）)]*))"
)
_STRENGTH: Final = {**dict.fromkeys("。！？.!?", SENTENCE), **dict.fromkeys("；：;:", PART), **dict.fromkeys("，,（）()—–", CLAUSE)}
_SHORT: Final = re.compile(r"(?:\b(?:e\.g|i\.e|vs|cf|ca|Fig)|approx)$")  # forms whose point ends nothing
_LEADING: Final = 12  # letters beside a number, or a range, that leads its passage: "At least", "to"
_HEADING: Final = r" {0,3}#{1,6}[ \t]"
_ITEM: Final = r"[ \t]*(?:[-+*]|[0-9]{1,9}[.)])[ \t]+"
_WORDS: Final = r"[^\S\n]*\S[^\n]*\n?"  # a line that is not blank
# Behind blank lines a heading, or lines that belong together: until a blank one, a heading or the next item.
_PARAGRAPH: Final = re.compile(rf"(?:[^\S\n]*\n)*+({_HEADING}[^\n]*\n?|{_WORDS}(?:(?!{_HEADING}|{_ITEM}){_WORDS})*)")


class Span(NamedTuple):
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
        self._numbers = sorted({(claim.start, claim.end) for claim in claims.claims} | {(given.start, given.end) for given in claims.given})
        self.text = _visible(source, self._numbers)
        self._spans, self._cells = _passages(self.text, source.body_start, find_tables(source))
        self._starts = [span.start for span in self._spans]
        self._ends: dict[Span, _Ends] = {}
        self._around: dict[tuple[int, int], tuple[Span, Span, Span]] = {}
        self._passages: dict[int, Passage] = {}

    def passage(self, offset: int) -> Passage:
        """Return the passage an offset lies in."""
        index = bisect.bisect_right(self._starts, offset) - 1
        if index not in self._passages:
            self._passages[index] = self._passage(index)
        return self._passages[index]

    def _passage(self, index: int) -> Passage:
        span = self._span(index)
        row, header = self._cells.get(index, ((), None))
        if header is None:
            return Passage(span)
        return Passage(span, tuple(Span(cell.start, cell.end) for cell in row if cell.start != span.start), Span(header.start, header.end))

    def _span(self, index: int) -> Span:
        return self._spans[index] if index >= 0 else Span(0, len(self.text))

    def around(self, start: int, end: int, level: int) -> Span:
        """Return the clause, part or sentence around a stretch.

        Args:
            start: where it starts.
            end: where it ends.
            level: `CLAUSE`, `PART` or `SENTENCE`.
        """
        return self.levels(start, end)[level - 1]

    def levels(self, start: int, end: int) -> tuple[Span, Span, Span]:
        """Return clause, part and sentence around a stretch."""
        place = start, end
        if place not in self._around:
            self._around[place] = self._levels(start, end)
        return self._around[place]

    def _levels(self, start: int, end: int) -> tuple[Span, Span, Span]:
        span = self._span(bisect.bisect_right(self._starts, start) - 1)
        ends = self._ends.get(span)
        if ends is None:
            ends = self._ends[span] = self._boundaries(span)
        lefts = ends.before[bisect.bisect_left(ends.places, start)]
        rights = ends.behind[bisect.bisect_left(ends.places, end)]
        return Span(lefts[0], max(rights[0], end)), Span(lefts[1], max(rights[1], end)), Span(lefts[2], max(rights[2], end))

    def nearest(self, start: int, end: int, level: int = CLAUSE) -> Span:
        """Return the stretch of the clause (part, sentence) around a number that no other claims: from the one before to the one after."""
        span = self.around(start, end, level)
        index = bisect.bisect_left(self._numbers, (start, end))
        left = self._numbers[index - 1][1] if index else span.start
        right = self._numbers[index + 1][0] if index + 1 < len(self._numbers) else span.end
        return Span(max(span.start, left), min(span.end, right))

    def _boundaries(self, span: Span) -> _Ends:
        """Return what ends something in a passage; what ends a sentence ends a part of it too, and what ends that a clause."""
        text = self.text
        clause = part = sentence = span.start
        places: list[int] = []
        strengths: list[int] = []
        before = [(clause, part, sentence)]
        counted, letters, numbered = span.start, 0, False
        for match in _END.finditer(text, span.start, span.end):
            at = match.start()
            mark = text[at]
            strength = _STRENGTH[mark]
            if strength == SENTENCE:
                if mark == "." and _SHORT.search(text, max(at - 8, 0), at):
                    continue
                clause = part = sentence = match.end(1)
            elif strength == PART:
                if mark in ":：" and letters <= _LEADING:
                    # The colon after a number that leads its passage: what follows is said of that number.
                    numbered = numbered or NUMBER in text[counted:at]
                    letters += sum(map(str.isalnum, text[counted:at]))
                    counted = at
                    if numbered and letters <= _LEADING:
                        continue
                clause = part = at + 1
            elif mark in "—–" and not _is_dash(text, at, span.end):
                continue
            else:
                clause = at + 1
            places.append(at)
            strengths.append(strength)
            before.append((clause, part, sentence))
        clause = part = sentence = span.end
        behind = [(clause, part, sentence)]
        for at, strength in zip(reversed(places), reversed(strengths), strict=True):
            clause = at
            part = at if strength >= PART else part
            sentence = at if strength == SENTENCE else sentence
            behind.append((clause, part, sentence))
        return _Ends(places, before, behind[::-1])


class _Ends(NamedTuple):
    """What ends something in a passage.

    Attributes:
        places: where each mark stands, in order.
        before: where clause, part and sentence begin that stand before the first mark, behind the first, behind the second …
        behind: where they end.
    """

    places: list[int]
    before: list[tuple[int, int, int]]
    behind: list[tuple[int, int, int]]


def _is_dash(text: str, at: int, end: int) -> bool:
    """Return whether a dash stands between clauses: it is a double one, or has spaces around it."""
    before, after = text[at - 1], text[at + 1 : min(at + 2, end)]
    return after == text[at] == "—" or before == "—" or (before.isspace() and after.isspace())


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


def _passages(text: str, body_start: int, tables: tuple[Table, ...]) -> tuple[list[Span], dict[int, tuple[tuple[Cell, ...], Cell | None]]]:
    """Return the passages of a text in order, and of those that are cells, by their place among them, the row and the header of the column."""
    found: list[Span] = []
    cells: dict[int, tuple[tuple[Cell, ...], Cell | None]] = {}
    position = 0
    for table in tables:
        found += _paragraphs(text, position, table.start, body_start)
        for row in (table.header, *table.rows):
            for column, cell in enumerate(row):
                header = table.header[column] if row is not table.header and column < len(table.header) else None
                cells[len(found)] = row, header
                found.append(Span(cell.start, cell.end))
        position = table.end
    return [*found, *_paragraphs(text, position, len(text), body_start)], cells


def _paragraphs(text: str, start: int, end: int, body_start: int) -> list[Span]:
    """Return the passages between two offsets at which lines begin; each line of the front matter is one."""
    found: list[Span] = []
    position = start
    while position < min(body_start, end):
        stop = text.find("\n", position, end) + 1 or end
        if not text[position:stop].isspace():
            found.append(Span(position, stop))
        position = stop
    while match := _PARAGRAPH.match(text, position, end):
        found.append(Span(*match.span(1)))
        position = match.end()
    return found
