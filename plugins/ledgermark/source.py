"""The text of a page: its front matter, the parts that are not prose blanked out, and places as line and column."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_FRONT: Final = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)(?:\r?\n)?^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_FENCE: Final = re.compile(r"(?P<prefix>[ \t]*(?:>[ \t]?)*)(?P<fence>`{3,}(?=[^`]*$)|~{3,}(?=[^`]*$))")
# What can stand in a paragraph and is not prose; tried from left to right, so that none hides the beginning of another.
_INLINE: Final = re.compile(
    r"\\[\\`<]|(?P<ticks>(?<!`)(?P<run>`+)(?!`).+?(?<!`)(?P=run)(?!`))|(?P<comment><!--(?!-?>)(?:(?!--!?>).)*-->)"
    r"|(?P<raw><(?P<tag>script|style)(?=[\s>])[^>]*>.*?</(?P=tag)>)",
    re.DOTALL | re.IGNORECASE,
)
# A line that begins a block of its own: no span of code reaches across it.
_STARTS_BLOCK: Final = re.compile(r"[ \t]*(?:[-*+>|:#=<]|[0-9]+[.)]|/{3,}|`{3,}|~{3,}|\|)|[ \t]*$| {4}|\t")
_STANDS_ALONE: Final = re.compile(r"[ \t]*(?:#|\||.*\|)")
HEADING: Final = re.compile(r"^(#{1,6})[ \t]+(.+?)[ \t]*(?:\{[^}\n]*?#(?P<id>[\w.-]+)[^}\n]*\})?[ \t]*#*[ \t]*$", re.MULTILINE)


@dataclass(frozen=True)
class Section:
    """A heading with an explicit id, and where it begins."""

    id: str
    level: int
    offset: int


@dataclass(frozen=True)
class Source:
    """A text file: path relative to the project's folder, and the text as it stands in the file, with plain line feeds."""

    path: str
    text: str

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def place(self, offset: int) -> tuple[int, int]:
        """Return the 1-based line and column of an offset."""
        line = bisect.bisect_right(self._line_starts, offset)
        return line, offset - self._line_starts[line - 1] + 1

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a 1-based line and column; the end of the text for a line behind it."""
        return self._line_starts[line - 1] + column - 1 if line <= len(self._line_starts) else len(self.text)

    @cached_property
    def body_start(self) -> int:
        """Where the text after the front matter begins."""
        match = _FRONT.match(self.text)
        return match.end() if match else 0

    @cached_property
    def front(self) -> str:
        """The front matter between its fences, or an empty text."""
        match = _FRONT.match(self.text)
        return match.group(1) if match else ""

    @cached_property
    def _hidden(self) -> list[tuple[str, int, int]]:
        """What is surely not prose: kind (`fence`, `ticks`, `comment`, `raw`), start and end."""
        return list(_hidden_parts(self.text, self.body_start))

    @cached_property
    def comments(self) -> list[tuple[int, str]]:
        """The HTML comments outside code, as offset and text between the marks."""
        return [(start, self.text[start + 4 : end - 3].strip()) for kind, start, end in self._hidden if kind == "comment"]

    @cached_property
    def masked(self) -> str:
        """The text with code, comments, scripts and styles replaced by as many spaces, so that offsets stay.

        Only what Markdown itself surely takes for code is blanked: a fence or a run of ticks that is never closed is prose, and so is text
        that is merely indented (it may be the body of a list item). The safe mistake is to check too much.
        """
        return self._blanked("fence", "ticks", "comment", "raw")

    @cached_property
    def with_code(self) -> str:
        """The text with comments, scripts, styles and fenced code blanked, but code within a sentence left: a reader takes it for words."""
        return self._blanked("fence", "comment", "raw")

    def _blanked(self, *kinds: str) -> str:
        parts: list[str] = []
        position = 0
        for kind, start, end in self._hidden:
            if kind in kinds:
                parts += [self.text[position:start], re.sub(r"[^\n]", " ", self.text[start:end])]
                position = end
        return "".join([*parts, self.text[position:]])

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The headings that carry an id, in order."""
        body = re.sub(r"[^\n]", " ", self.masked[: self.body_start]) + self.masked[self.body_start :]
        return tuple(Section(match["id"], len(match[1]), match.start()) for match in HEADING.finditer(body) if match["id"])

    @cached_property
    def _section_starts(self) -> list[int]:
        return [section.offset for section in self.sections]

    def section_at(self, offset: int) -> str:
        """Return the id of the section an offset lies in; empty before the first."""
        index = bisect.bisect_right(self._section_starts, offset)
        return self.sections[index - 1].id if index else ""


def _hidden_parts(text: str, body_start: int) -> Iterator[tuple[str, int, int]]:
    """Yield kind, start and end of what is surely code or comment, in order."""
    for kind, start, end in _passages(text, body_start):
        if kind:
            yield kind, start, end
            continue
        for match in _INLINE.finditer(text, start, end):
            found = next((name for name in ("ticks", "comment", "raw") if match[name]), "")
            if found:
                yield found, match.start(), match.end()


def _passages(text: str, body_start: int) -> Iterator[tuple[str, int, int]]:
    """Yield kind, start and end of stretches of text: `fence`, `comment`, or none for one within which a span of code may reach on."""
    lines = [f"{line}\n" for line in text.split("\n")]
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    begun, index = 0, 0
    while index < len(lines):
        start = starts[index]
        closing = _closing_fence(lines, index) if start >= body_start else None
        # A comment, script or style at the margin may hold blank lines; one inside a paragraph may not.
        block = _INLINE.match(text, start) if text.startswith("<", start) else None
        hidden = next((name for name in ("comment", "raw") if block and block[name]), "")
        if closing is not None:
            yield "", begun, start
            yield "fence", start, min(starts[closing + 1], len(text))
            begun, index = starts[closing + 1], closing + 1
        elif block and hidden:
            yield "", begun, start
            yield hidden, start, block.end()
            begun, index = block.end(), bisect.bisect_left(starts, block.end())
        else:
            alone = _STANDS_ALONE.match(lines[index]) or (index and _STANDS_ALONE.match(lines[index - 1]))
            if alone or _STARTS_BLOCK.match(lines[index]):
                yield "", begun, start
                begun = start
            index += 1
    yield "", begun, len(text)


def _closing_fence(lines: list[str], index: int) -> int | None:
    """Return the line that closes the fence opened on a line: the same fence at the same place, with nothing between that is less indented."""
    opening = _FENCE.match(lines[index].rstrip("\r\n"))
    if opening is None:
        return None
    prefix, fence = opening["prefix"], opening["fence"]
    needed = prefix.rstrip() if prefix.strip() else prefix if len(prefix.expandtabs(4)) >= 4 else ""  # noqa: PLR2004  (Markdown's own four)
    for number in range(index + 1, len(lines)):
        line = lines[number].rstrip()
        if line == prefix + fence:
            return number
        if line and not line.startswith(needed):
            return None
    return None
