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
# Where code, a comment, a script or a style may begin, and what takes the meaning from the next.
_MARK: Final = re.compile(r"[`<~\\]")
_FENCE: Final = re.compile(r"(?P<prefix>[ \t]*(?:>[ \t]?)*)(?:`{3,}|~{3,})(?=[^`\n]*$)", re.MULTILINE)
# What can stand in a paragraph and is not prose; tried from left to right, so that none hides the beginning of another.
_INLINE: Final = re.compile(
    r"\\[\\`<]|(?P<ticks>(?<!`)(?P<run>`+)(?!`).+?(?<!`)(?P=run)(?!`))|(?P<comment><!--(?!-?>)(?:(?!--!?>).)*-->)"
    r"|(?P<raw><(?P<tag>script|style)(?=[\s>])[^>]*>.*?</(?P=tag)>)",
    re.DOTALL | re.IGNORECASE,
)
# Before a line that begins a block of its own or stands alone: no span of code reaches across it.
_BOUNDARY: Final = re.compile(r"\n(?=[ \t]*(?:[-*+>|:#=<]|[0-9]+[.)]|/{3}|`{3}|~{3}|$)| {4}|\t|[^|\n]*\|)", re.MULTILINE)
_STANDS_ALONE: Final = re.compile(r"[ \t]*#|.*\|")
# Begins with the `#` itself, to which a search jumps; it counts at the beginning of a line.
_HEADING: Final = re.compile(
    r"#(?<![^\n]#)(?P<deeper>#{0,5})[ \t]+(.+?)[ \t]*(?:\{[^}\n]*?#(?P<id>[\w.-]+)[^}\n]*\})?[ \t]*#*[ \t]*$", re.MULTILINE
)


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
    def _fenced_front(self) -> tuple[str, int]:
        match = _FRONT.match(self.text)
        return (match[1], match.end()) if match else ("", 0)

    @property
    def front(self) -> str:
        """The front matter between its fences, or an empty text."""
        return self._fenced_front[0]

    @property
    def body_start(self) -> int:
        """Where the text after the front matter begins."""
        return self._fenced_front[1]

    @cached_property
    def _hidden(self) -> list[tuple[str, int, int]]:
        """What is surely not prose: kind (`fence`, `ticks`, `comment`, `raw`), start and end."""
        return list(_hidden_parts(self.text, self.body_start))

    @cached_property
    def comments(self) -> list[tuple[int, str]]:
        """The HTML comments outside code, as offset and text between the marks."""
        return [(start, self.text[start + 4 : end - 3].strip()) for kind, start, end in self._hidden if kind == "comment"]

    @cached_property
    def codes(self) -> list[tuple[int, str]]:
        """The pieces of code within sentences, front matter included, as offset and text between the ticks."""
        return [(start, self.text[start:end].strip("`").strip()) for kind, start, end in self._hidden if kind == "ticks"]

    @cached_property
    def fences(self) -> list[tuple[int, str]]:
        """The blocks of code between fences, as offset and text with both fences."""
        return [(start, self.text[start:end]) for kind, start, end in self._hidden if kind == "fence"]

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
        return self._blanked("fence", "comment", "raw") if any(kind == "ticks" for kind, _, _ in self._hidden) else self.masked

    def _blanked(self, *kinds: str) -> str:
        parts: list[str] = []
        position = 0
        for kind, start, end in self._hidden:
            if kind in kinds:
                parts += [self.text[position:start], _blank(self.text[start:end])]
                position = end
        return "".join([*parts, self.text[position:]])

    @cached_property
    def sections(self) -> tuple[Section, ...]:
        """The headings that carry an id, in order."""
        headings = _HEADING.finditer(self.masked, self.body_start)
        return tuple(Section(match["id"], 1 + len(match["deeper"]), match.start()) for match in headings if match["id"])

    @cached_property
    def _section_starts(self) -> list[int]:
        return [section.offset for section in self.sections]

    def section_at(self, offset: int) -> str:
        """Return the id of the section an offset lies in; empty before the first."""
        index = bisect.bisect_right(self._section_starts, offset)
        return self.sections[index - 1].id if index else ""


def _blank(text: str) -> str:
    """Return as many spaces as a text has characters, and its line feeds."""
    return "\n".join(" " * len(line) for line in text.split("\n"))


def _hidden_parts(text: str, body_start: int) -> Iterator[tuple[str, int, int]]:
    """Yield kind (`fence`, `ticks`, `comment`, `raw`), start and end of what is surely code or comment, in order."""
    position = reach = 0
    while mark := _MARK.search(text, position):
        at = mark.start()
        limit = reach
        if at >= reach:
            line = text.rfind("\n", 0, at) + 1
            whole = line >= position
            if whole and line >= body_start and (fence := _fence(text, line)):
                yield "fence", *fence
                position = fence[1]
                continue
            limit = reach = _reach(text, line)
            if whole and at == line and text[at] == "<":
                limit = len(text)  # a comment, script or style at the margin may hold blank lines; one inside a paragraph may not
        match = _INLINE.match(text, at, limit)
        if match and match.lastgroup:
            yield match.lastgroup, at, match.end()
        position = match.end() if match else at + 1


def _fence(text: str, line: int) -> tuple[int, int] | None:
    """Return start and end of the code fenced from a line: to the same fence at the same place, with nothing between that is less indented."""
    opening = _FENCE.match(text, line)
    if opening is None:
        return None
    prefix = opening["prefix"]
    needed = prefix.rstrip() if prefix.strip() else prefix if len(prefix.expandtabs(4)) >= 4 else ""  # noqa: PLR2004  (Markdown's own four)
    closing = rf"(?P<closing>{opening.group()}[^\S\n]*$)"
    outdented = rf"|(?!{needed})[^\S\n]*\S" if needed else ""
    end = re.compile(f"\n(?:{closing}{outdented})", re.MULTILINE).search(text, opening.end())
    return (line, min(end.end() + 1, len(text))) if end and end["closing"] is not None else None


def _reach(text: str, line: int) -> int:
    """Return where the lines end that a span of code may reach across from a line: before the next one that begins a block or stands alone."""
    end = text.find("\n", line) + 1 or len(text)
    if _STANDS_ALONE.match(text, line):
        return end
    following = _BOUNDARY.search(text, end - 1)
    return following.end() if following else len(text)
