"""The text of a page: its front matter, the parts that are not prose blanked out, and places as line and column."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

_FRONT: Final = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)(?:\r?\n)?^(?:---|\.\.\.)[ \t]*(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
_FENCE: Final = re.compile(
    r"^(?P<indent>[ \t]*(?:>[ \t]?)*)(?P<fence>`{3,}|~{3,})[^\n]*\n(?:.*?\n)??[ \t]*(?:>[ \t]?)*(?P=fence)[`~]*[ \t]*$",
    re.DOTALL | re.MULTILINE,
)
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_TICKS: Final = re.compile(r"(?<![\\`])(`+)(?!`)((?:(?!\n[ \t]*\n).)+?)(?<!`)\1(?!`)", re.DOTALL)
_RAW: Final = re.compile(r"<(script|style)\b[^>]*>.*?</\1>", re.DOTALL | re.IGNORECASE)
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
    def comments(self) -> list[tuple[int, str]]:
        """The HTML comments outside code, as offset and text between the marks."""
        return [(match.start(), match.group()[4:-3].strip()) for match in _COMMENT.finditer(self._without_code)]

    @cached_property
    def _without_code(self) -> str:
        return _blank(_TICKS, _blank(_FENCE, self.text))

    @cached_property
    def masked(self) -> str:
        """The text with code, comments, scripts and styles replaced by as many spaces, so that offsets stay.

        Only what Markdown itself surely takes for code is blanked: a fence or a run of ticks that is never closed is prose, and so is text
        that is merely indented (it may be the body of a list item). The safe mistake is to check too much.
        """
        return _blank(_RAW, _blank(_COMMENT, self._without_code))

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


def _blank(pattern: re.Pattern[str], text: str) -> str:
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)
