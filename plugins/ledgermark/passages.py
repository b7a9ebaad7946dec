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
_HIDDEN: Final = re.compile(
    r"&(?:#[0-9]+|#x[0-9a-fA-F]+|[a-zA-Z]+);"  # an entity, which is a space or a mark
    r"|\{[:#.][^}\n]*\}"  # the id of a heading
    r"|^/{3,}[^\n]*(?:\n(?: {4}|\t)[^\n]*)*"  # a block's fence with its options
    r"|^[ \t]*(?:>[ \t]?)+"  # the marks of a quotation
    r"|<[a-zA-Z/][^<>\n]*>",  # a tag
    re.MULTILINE,
)
_FRONT_KEY: Final = re.compile(r"^[ \t]*[\w-]+:[ \t]*", re.MULTILINE)
_MARKS: Final = str.maketrans("[]*`", "    ")
# What ends a clause, a part of a sentence, a sentence. A point inside a number or after a short form ends nothing.
_END: Final = re.compile(
    r"(?P<sentence>[。！？][\"”’」』）)]*|(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bcf)(?<!\bca)(?<!\bFig)(?<!\bapprox)[.!?][\"”’)]*(?=\s|$))"
    r"|(?P<part>[；：]|[;:](?=\s|$))"
    r"|(?P<clause>[，（）]|,(?=\s|$)|[()]|\s[—–]\s|——)"
)
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
        span = self.passage(start).span
        left, right = span.start, span.end
        for first, last, strength in self._boundaries(span):
            if strength < level:
                continue
            if last <= start:
                left = last
            elif first >= end:
                right = first
                break
        return Span(left, max(right, end))

    def nearest(self, start: int, end: int, level: int = CLAUSE) -> Span:
        """Return the stretch of the clause (or part, or sentence) around a number that no other claims: from the one before to the one after."""
        span = self.around(start, end, level)
        index = bisect.bisect_left(self._numbers, (start, end))
        left = self._numbers[index - 1][1] if index else span.start
        right = self._numbers[index + 1][0] if index + 1 < len(self._numbers) else span.end
        return Span(max(span.start, left), min(span.end, right))

    def _boundaries(self, span: Span) -> list[tuple[int, int, int]]:
        if span not in self._ends:
            strengths = {"sentence": SENTENCE, "part": PART, "clause": CLAUSE}
            matches = _END.finditer(self.text, span.start, span.end)
            self._ends[span] = [(match.start(), match.end(), strengths[match.lastgroup or "clause"]) for match in matches]
        return self._ends[span]


def _visible(source: Source, numbers: Iterable[tuple[int, int]]) -> str:
    parts: list[str] = []
    position = 0
    for start, end in numbers:
        if start >= position:
            parts += [source.with_code[position:start], NUMBER * (end - start)]
            position = end
    text = "".join([*parts, source.with_code[position:]])
    text = _blank(_TARGET, text)
    text = _blank(_HIDDEN, text).translate(_MARKS)
    front = text[: source.body_start]
    return _blank(_FRONT_KEY, front) + text[source.body_start :]


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: "".join("\n" if char == "\n" else " " for char in match.group()), text)


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
