"""A page as it is read aloud: its passages, and around a number the clause and the sentence, or the cell and its headers.

Offsets are those of the file. What a reader does not see is blank, and each bound or given number is one run of `NUMBER`, so that words can
be looked for beside it without reading its digits.
"""

from __future__ import annotations

import bisect
import re
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
_SHORT_ENDS: Final = frozenset("gesfax\n")  # what stands before such a point
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


class Passage(NamedTuple):
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
        self._starts = [start for start, _ in self._spans]
        self._marks: dict[int, tuple[_Ends, list[int]]] = {}
        self._ends: dict[int, dict[int, _Ends]] = {CLAUSE: {}, PART: {}, SENTENCE: {}}
        self._passages: dict[int, Passage] = {}

    def passage(self, offset: int) -> Passage:
        """Return the passage an offset lies in."""
        index = bisect.bisect_right(self._starts, offset) - 1
        if index not in self._passages:
            self._passages[index] = self._passage(index)
        return self._passages[index]

    def _passage(self, index: int) -> Passage:
        span = Span(*self._span(index))
        row, header = self._cells.get(index, ((), None))
        if header is None:
            return Passage(span)
        return Passage(span, tuple(Span(cell.start, cell.end) for cell in row if cell.start != span.start), Span(header.start, header.end))

    def _span(self, index: int) -> tuple[int, int]:
        return self._spans[index] if index >= 0 else (0, len(self.text))

    def around(self, start: int, end: int, level: int) -> Span:
        """Return the clause, part or sentence around a stretch.

        Args:
            start: where it starts.
            end: where it ends.
            level: `CLAUSE`, `PART` or `SENTENCE`.
        """
        index = bisect.bisect_right(self._starts, start) - 1
        known = self._ends[level]
        if index not in known:
            known[index] = self._ends_in(index, level)
        places, begins = known[index]
        at = bisect.bisect_left(places, end)
        right = places[at] if at < len(places) else self._span(index)[1]
        return Span(begins[bisect.bisect_left(places, start)], max(right, end))

    def _ends_in(self, index: int, level: int) -> _Ends:
        start, end = self._span(index)
        if index not in self._marks:
            self._marks[index] = _marks(self.text, start, end)
        ends, strengths = self._marks[index]
        if level == CLAUSE:
            return ends
        places, begins = ends
        kept = [at for at, strength in enumerate(strengths) if strength >= level]
        return [places[at] for at in kept], [start, *[begins[at + 1] for at in kept]]

    def nearest(self, start: int, end: int, level: int = CLAUSE) -> Span:
        """Return the stretch of the clause (part, sentence) around a number that no other claims: from the one before to the one after."""
        span = self.around(start, end, level)
        index = bisect.bisect_left(self._numbers, (start, end))
        left = self._numbers[index - 1][1] if index else span.start
        right = self._numbers[index + 1][0] if index + 1 < len(self._numbers) else span.end
        return Span(max(span.start, left), min(span.end, right))


_Ends = tuple[list[int], list[int]]
"""Where the marks stand that end clauses, parts or sentences of a passage, and where these begin: the first, and behind each mark the next."""


def _marks(text: str, start: int, end: int) -> tuple[_Ends, list[int]]:
    """Return what ends the clauses of a passage, and how strong each mark is."""
    places: list[int] = []
    begins = [start]
    strengths: list[int] = []
    counted, letters, numbered = start, 0, False
    for match in _END.finditer(text, start, end):
        at = match.start()
        mark = text[at]
        strength = _STRENGTH[mark]
        begin = at + 1
        if strength == SENTENCE:
            if mark == "." and text[at - 1] in _SHORT_ENDS and _SHORT.search(text, max(at - 8, 0), at):
                continue
            begin = match.end(1)
        elif strength == PART:
            if mark in ":：" and letters <= _LEADING:
                # The colon after a number that leads its passage: what follows is said of that number.
                numbered = numbered or NUMBER in text[counted:at]
                letters += sum(map(str.isalnum, text[counted:at]))
                counted = at
                if numbered and letters <= _LEADING:
                    continue
        elif mark in "—–" and not _is_dash(text, at, end):
            continue
        places.append(at)
        begins.append(begin)
        strengths.append(strength)
    return (places, begins), strengths


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


def _passages(
    text: str, body_start: int, tables: tuple[Table, ...]
) -> tuple[list[tuple[int, int]], dict[int, tuple[tuple[Cell, ...], Cell | None]]]:
    """Return the passages of a text in order, and of those that are cells, by their place among them, the row and the header of the column."""
    found: list[tuple[int, int]] = []
    cells: dict[int, tuple[tuple[Cell, ...], Cell | None]] = {}
    position = 0
    for table in tables:
        found += _paragraphs(text, position, table.start, body_start)
        for row in (table.header, *table.rows):
            for column, cell in enumerate(row):
                header = table.header[column] if row is not table.header and column < len(table.header) else None
                cells[len(found)] = row, header
                found.append(cell)
        position = table.end
    return [*found, *_paragraphs(text, position, len(text), body_start)], cells


def _paragraphs(text: str, start: int, end: int, body_start: int) -> list[tuple[int, int]]:
    """Return the passages between two offsets at which lines begin; each line of the front matter is one."""
    found: list[tuple[int, int]] = []
    position = start
    while position < min(body_start, end):
        stop = text.find("\n", position, end) + 1 or end
        if not text[position:stop].isspace():
            found.append((position, stop))
        position = stop
    while match := _PARAGRAPH.match(text, position, end):
        found.append(match.span(1))
        position = match.end()
    return found
