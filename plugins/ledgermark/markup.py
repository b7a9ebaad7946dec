"""Markdown as a reader sees it: the text without its markup, each character with the place it has in the file.

A number split by emphasis (`7**0.8**`), by a comment or by a tag is one number to a reader, so what is not shown is left out, not blanked.
"""

from __future__ import annotations

import bisect
import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

CODE: Final = "\ufffc"  # stands for a piece of code: something is there, and it is no number
_SILENT: Final = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff\u20e3"
# Where markup may begin: everything between two of these is plain and is copied whole.
_MARKS: Final = rf"\\&<!\[\]{{*~_${_SILENT}"
_SPECIAL: Final = re.compile(f"[{_MARKS}]")
_BLANK: Final = "   "  # what is left of a piece of code
# Nearly all links: plain words and a plain target. Each other one is read bracket by bracket.
_LINK: Final = re.compile(rf"""\[([^^\n{_MARKS}][^\n{_MARKS}]*)\]\(([^\s()<>"']*)\)""")
_ESCAPE: Final = re.compile(r"\\[!-/:-@\[-`{-~]")
_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TAG: Final = re.compile(r"<(?:(?:https?|mailto):[^\s<>]*|/?[A-Za-z][^<>]*)>")
_NOTE: Final = re.compile(r"\[\^[^\]\s]+\]")
_REFERENCE: Final = re.compile(r"\]\[[^\]\n]*\]")
_ATTRIBUTES: Final = re.compile(r"\{:?[ \t]*(?:[#.][^\s{}]|[A-Za-z-]+=)[^{}\n]*\}")
_MATH: Final = re.compile(r"\$\$?[^$\n]+\$\$?")
_UNDERSCORE: Final = re.compile(r"(?<![A-Za-z0-9_])_+(?=\S)|(?<=[^\s_])_+(?![A-Za-z0-9_])")
_SPACES: Final = re.compile(r" +")
_BLOCK: Final = re.compile(r"/{3,}[^\n]*")
_RULE: Final = re.compile(r"[ \t]*\|?[ \t]*:?-{3,}:?[ \t|:-]*$", re.MULTILINE)
_DEFINITION: Final = re.compile(
    r""" {0,3}\[(?:\^[^\]\s]+\]:|(?P<label>[^\]\n]+)\]:[ \t]*(?P<url>\S+)(?=[ \t]*$|[ \t]+(?:"[^"\n]*"|'[^'\n]*')[ \t]*$))""", re.MULTILINE
)
_OPTIONS: Final = re.compile(r"(?:\n(?: {4}|\t)[^\n]*)*")
_SHOWN_TARGET: Final = re.compile(
    r"""\s*<?(?P<url>[^\s()<>"']*(?:\([^\s()<>"']*\)[^\s()<>"']*)*)>?(?:\s+(?P<quote>["'])(?P<title>(?:\\.|(?!(?P=quote)).)*)(?P=quote))?\s*\)""",
    re.DOTALL,
)
_OWN_BLOCK: Final = re.compile(r"/{3,}[ \t]*(?:(?:figure|evidence|erratum|abstract|corrections)\b[^\n]*)?$")
_UNSEEN: Final = re.compile(f"[{_SILENT}]")
_ALT: Final = re.compile(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
FOLD: Final[dict[int, str]] = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if chr(code) not in "，；：！？（）"} | {
    ord("　"): " ",
    **dict.fromkeys(map(ord, "−﹣‐‑"), "-"),
    ord("\t"): " ",
}
_FOLDED: Final = re.compile(f"[{re.escape(''.join(map(chr, FOLD)))}]")


def fold(text: str) -> str:
    """Return a text with full-width forms, minus signs and tabs made plain, character for character; Chinese punctuation stays."""
    for char in {*_FOLDED.findall(text)}:
        text = text.replace(char, FOLD[ord(char)])
    return text


class Link(NamedTuple):
    """A link in the visible text: where its words stand, and its target."""

    start: int
    end: int
    target: str


@dataclass(frozen=True)
class Visible:
    """A stretch of visible text.

    Attributes:
        text: what a reader reads, full-width forms and minus signs made plain, character for character.
        links: the links in it, claims and given numbers too.
        codes: pieces of inline code, as written, with their place in the file.
        _starts: where pieces of it begin.
        _places: where each of these stands in the file, and whether it is in it as it is, character for character.
    """

    text: str
    links: tuple[Link, ...]
    codes: tuple[tuple[str, int], ...]
    _starts: Sequence[int]
    _places: Sequence[tuple[int, bool]]

    def offset(self, position: int) -> int:
        """Return where in the file the character at a position stands."""
        if not self._starts:
            return 0
        piece = bisect.bisect_right(self._starts, position) - 1
        offset, linear = self._places[piece]
        return offset + position - self._starts[piece] if linear else offset


def is_plain(text: str) -> bool:
    """Return whether a text surely has no markup in it, so that a reader sees it as it is."""
    return not (_SPECIAL.search(text) or _BLANK in text or "///" in text or "---" in text)


class MarkupReader:
    """Reads the markup of a text once, from left to right, and keeps what is shown.

    Args:
        text: the file's text.
        masked: the same with code and comments blanked.
        start: where to begin.
        math: whether `$…$` is math.
    """

    def __init__(self, text: str, masked: str, start: int, *, math: bool) -> None:
        self.source, self.masked, self.position, self.math = text, masked, start, math
        self.parts: list[str] = []
        self.length = 0
        self.starts: list[int] = []
        self.places: list[tuple[int, bool]] = []
        self.opened: list[int] = []
        self.links: list[Link] = []
        self.codes: list[tuple[str, int]] = []
        self.targets: dict[str, str] = {}
        self.handlers: dict[str, Callable[[int], int]] = {
            "\\": self._escape,
            "&": self._entity,
            "<": self._tag,
            "!": self._image,
            "[": self._open,
            "]": self._close,
            "{": self._attributes,
            "*": lambda at: at + 1,
            "~": lambda at: at + (2 if masked.startswith("~~", at) else self._copy(at)),
            "_": self._underscore,
            "$": self._math,
            " ": self._spaces,
        }

    def read(self) -> Visible:
        """Return the visible text."""
        masked, position = self.masked, self.position
        blank = masked.find(_BLANK, position)
        for start, end in [*self._lines(), (len(masked), len(masked))]:
            while position < start:
                if -1 < blank < position:
                    blank = masked.find(_BLANK, position)
                stop = blank if -1 < blank < start else start
                match = _SPECIAL.search(masked, position, stop)
                at = match.start() if match else stop
                if position < at:
                    self._emit(masked[position:at], position)
                    position = at
                if at < start:
                    # What hides no reader from a number, such as a space of no width, is dropped.
                    handler = self.handlers.get(masked[at])
                    position = handler(at) if handler else at + 1
            position = max(end, position)
        return Visible(fold("".join(self.parts)), tuple(self.links), tuple(self.codes), self.starts, self.places)

    def _lines(self) -> list[tuple[int, int]]:
        """Return what is left out because of how its line begins: fences of blocks, rules of tables, targets of links."""
        masked = self.masked
        found: list[tuple[int, int]] = []
        for line in self._lines_with("]:"):
            if match := _DEFINITION.match(masked, line):
                self.targets[match["label"] or match.group().strip()[1:-2]] = match["url"] or ""
                found.append(match.span())
        for line in self._lines_with("///"):
            if (match := _BLOCK.match(masked, line)) and _OWN_BLOCK.match(match.group()):
                options = _OPTIONS.match(self.source, match.end()) if "erratum" in match.group() else None
                found.append((line, options.end() if options else match.end()))
        found += [match.span() for line in self._lines_with("---") if (match := _RULE.match(masked, line))]
        return sorted(found)

    def _lines_with(self, mark: str) -> Iterator[int]:
        """Yield where each line begins that has a mark in it."""
        masked = self.masked
        at = masked.find(mark, self.position)
        while at >= 0:
            line = masked.rfind("\n", 0, at) + 1
            if line >= self.position:
                yield line
            end = masked.find("\n", at)
            at = masked.find(mark, end) if end >= 0 else -1

    def _copy(self, at: int, length: int = 1) -> int:
        self._emit(self.masked[at : at + length], at)
        return length

    def _emit(self, text: str, offset: int, *, linear: bool = True) -> None:
        if text:
            self.starts.append(self.length)
            self.places.append((offset, linear))
            self.parts.append(text)
            self.length += len(text)

    def _escape(self, at: int) -> int:
        if _ESCAPE.match(self.masked, at):
            self._emit(self.masked[at + 1], at + 1)
            return at + 2
        return at + self._copy(at)

    def _entity(self, at: int) -> int:
        match = _ENTITY.match(self.masked, at)
        if match is None:
            return at + self._copy(at)
        kept = _UNSEEN.sub("", html.unescape(match.group()))
        self._emit(kept, at, linear=False)
        return match.end()

    def _tag(self, at: int) -> int:
        match = _TAG.match(self.masked, at)
        if match is None:
            return at + self._copy(at)
        tag = match.group()
        if tag[1:4].lower() == "img" and (alt := _ALT.search(tag)):
            group = 1 if alt[1] is not None else 2
            self._apart(at + alt.start(group), at + alt.end(group))
        elif tag[1:3].lower() == "br":
            self._emit(" ", at)
        return match.end()

    def _apart(self, start: int, end: int) -> None:
        """Show a text that stands beside the running one."""
        self._emit(" ", start)
        self._emit(self.masked[start:end], start)
        self._emit(" ", end)

    def _image(self, at: int) -> int:
        return self._open(at + 1) if self.masked.startswith("[", at + 1) else at + self._copy(at)

    def _open(self, at: int) -> int:
        link = _LINK.match(self.masked, at)
        if link and _BLANK not in (words := link[1]):
            start = self.length
            self._emit(words, at + 1)
            self.links.append(Link(start, self.length, link[2]))
            return link.end()
        note = _NOTE.match(self.masked, at)
        if note and note.group()[1:-1] in self.targets:
            return note.end()
        self.opened.append(self.length)
        return at + 1

    def _link(self, target: str) -> None:
        if self.opened:
            self.links.append(Link(self.opened.pop(), self.length, target))

    def _close(self, at: int) -> int:
        masked = self.masked
        if masked.startswith("](", at) and (found := _SHOWN_TARGET.match(masked, at + 2)):
            url = found["url"]
            self._link(url)
            if found["title"] and not url.lower().startswith(("claim:", "given:")):
                self._apart(found.start("title"), found.end("title"))
            return found.end()
        if reference := _REFERENCE.match(masked, at):
            label = reference.group()[2:-1] or "".join(self.parts)[self.opened[-1] if self.opened else 0 :]
            if label in self.targets:
                self._link(self.targets[label])
                return reference.end()
        if self.opened:
            self.opened.pop()
        return at + self._copy(at)

    def _attributes(self, at: int) -> int:
        match = _ATTRIBUTES.match(self.masked, at)
        if match is None:
            return at + self._copy(at)
        line = self.masked[self.masked.rfind("\n", 0, at) + 1 : at]
        ends = self.masked[match.end() : match.end() + 1] in ("", "\n")
        if (ends and (line.lstrip().startswith("#") or not line.strip())) or line[-1:] in (")", "]", "*", "_"):
            return match.end()
        return at + self._copy(at)

    def _underscore(self, at: int) -> int:
        match = _UNDERSCORE.match(self.masked, at)
        return match.end() if match else at + self._copy(at)

    def _math(self, at: int) -> int:
        match = _MATH.match(self.masked, at) if self.math else None
        if match is None:
            return at + self._copy(at)
        self._emit(CODE, at, linear=False)
        return match.end()

    def _spaces(self, at: int) -> int:
        match = _SPACES.match(self.masked, at)
        end = match.end() if match else at + 1
        raw = self.source[at:end]
        inner = raw.strip(" ")
        lead = len(raw) - len(raw.lstrip(" "))
        self._emit(raw[:lead], at)
        if inner and not (inner.startswith("<!--") or inner.endswith("-->")):
            self.codes.append((inner, at + lead))
            self._emit(CODE, at + lead, linear=False)
        if inner:
            trail = len(raw.rstrip(" "))
            self._emit(raw[trail:], at + trail)
        return end
