"""What a reader sees of a page: the text without markup, each character with the place it has in the file.

A number split by emphasis (`7**0.8**`), by a comment or by a tag is one number to a reader, so what is not shown is left out, not blanked.
"""

from __future__ import annotations

import bisect
import html
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ledgermark.pages import Page
    from ledgermark.source import Source

CODE: Final = "\ufffc"  # stands for a piece of code: something is there, and it is no number
MACHINE_KEYS: Final = frozenset({"date", "kind", "template", "search", "hide", "icon", "lang", "status", "slug", "robots"})
_SILENT: Final = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff\u20e3"
# The characters at which markup may begin: everything between two of them is plain and is copied whole.
_SPECIAL: Final = re.compile(rf"[\\&<!\[\]{{*~_${_SILENT}]|[ ](?=[ ][ ])")
_ESCAPE: Final = re.compile(r"\\[!-/:-@\[-`{-~]")
_ENTITY: Final = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_TAG: Final = re.compile(r"<(?:(?:https?|mailto):[^\s<>]*|/?[A-Za-z][^<>]*)>")
_NOTE: Final = re.compile(r"\[\^[^\]\s]+\]")
_REFERENCE: Final = re.compile(r"\]\[[^\]\n]*\]")
_ATTRIBUTES: Final = re.compile(r"\{:?[ \t]*[^{}\n]*\}")
_MATH: Final = re.compile(r"\$\$?[^$\n]+\$\$?")
_UNDERSCORE: Final = re.compile(r"(?<![A-Za-z0-9_])_+(?=\S)|(?<=[^\s_])_+(?![A-Za-z0-9_])")
_SPACES: Final = re.compile(r" +")
_BLOCK: Final = re.compile(r"^/{3,}[^\n]*$", re.MULTILINE)
_RULE: Final = re.compile(r"^[ \t]*\|?[ \t]*:?-{3,}:?[ \t|:-]*$", re.MULTILINE)
_DEFINITION: Final = re.compile(
    r"""^ {0,3}\[(?:\^[^\]\s]+\]:|(?P<label>[^\]\n]+)\]:[ \t]*(?P<url>\S+)(?=[ \t]*$|[ \t]+(?:"[^"\n]*"|'[^'\n]*')[ \t]*$))""", re.MULTILINE
)
_OPTIONS: Final = re.compile(r"(?:\n(?: {4}|\t)[^\n]*)*")
_SHOWN_TARGET: Final = re.compile(
    r"""\s*<?(?P<url>[^\s()<>"']*(?:\([^\s()<>"']*\)[^\s()<>"']*)*)>?(?:\s+(?P<quote>["'])(?P<title>(?:\\.|(?!(?P=quote)).)*)(?P=quote))?\s*\)""",
    re.DOTALL,
)
_OWN_BLOCK: Final = re.compile(r"/{3,}[ \t]*(?:(?:figure|evidence|erratum|abstract)\b[^\n]*)?$")
_UNSEEN: Final = re.compile(f"[{_SILENT}]")
_ALT: Final = re.compile(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_FOLD: Final = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if chr(code) not in "，；：！？（）"} | {
    ord("　"): " ",
    **dict.fromkeys(map(ord, "−﹣‐‑"), "-"),
    ord("\t"): " ",
}


@dataclass(frozen=True)
class Link:
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
        codes: pieces of inline code, as written between the ticks, with their place in the file.
        what: `text`, or the name of the front matter's key, or `title` for a block's.
    """

    text: str
    links: tuple[Link, ...]
    codes: tuple[tuple[str, int], ...]
    what: str
    _starts: tuple[int, ...]
    _offsets: tuple[int, ...]
    _linear: tuple[bool, ...]

    def offset(self, position: int) -> int:
        """Return where in the file the character at a position stands."""
        index = max(bisect.bisect_right(self._starts, position) - 1, 0)
        if not self._starts:
            return 0
        return self._offsets[index] + (position - self._starts[index] if self._linear[index] else 0)


def visible_parts(page: Page, *, math: bool = False) -> Iterator[Visible]:
    """Yield everything of a page that readers see: its front matter's texts, its body, the titles of its errata.

    Args:
        page: the page.
        math: whether `$…$` is math here; then it is left out, as it has no numbers of its own.
    """
    source = page.source
    for key, value in page.meta.items():
        if key not in MACHINE_KEYS:
            start = re.search(rf"^{re.escape(key)}:[ \t]*", source.front, re.MULTILINE)
            base = source.text.find(source.front) if source.front else 0
            at = base + start.end() if start else 0
            for text in _texts(value):
                yield _value(text, source, at, key, math=math)
    yield _Reader(source.text, source.masked, source.body_start, "text", math=math).read()
    for erratum in page.errata:
        if erratum.title:
            head = source.text[erratum.start : erratum.body_start]
            match = re.search(r"^\s+title:[ \t]*", head, re.MULTILINE)
            yield _value(erratum.title, source, erratum.start + (match.end() if match else 0), "title", math=math)


def plain_text(text: str, what: str = "text") -> Visible:
    """Return a text that carries no markup as a reader sees it; offsets are those in the text."""
    return Visible(text.translate(_FOLD), (), (), what, (0,), (0,), (True,))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _value(value: str, source: Source, at: int, what: str, *, math: bool) -> Visible:
    """Return a YAML text: at its exact place where it stands in the file as it is, else at the place of its key."""
    for start in (at, at + 1):
        if value and source.text.startswith(value, start):
            end = start + len(value)
            return _Reader(source.text[:end], source.masked[:end], start, what, math=math).read()
    read = _Reader(value, value, 0, what, math=math).read()
    # Written with YAML's own escapes or over several lines: all of it stands where its key does.
    return Visible(read.text, read.links, read.codes, what, (0,), (at,), (False,))


class _Reader:
    """Reads markup once, from left to right."""

    def __init__(self, text: str, masked: str, start: int, what: str, *, math: bool) -> None:
        self.source, self.masked, self.position, self.what, self.math = text, masked, start, what, math
        self.parts: list[str] = []
        self.length = 0
        self.starts: list[int] = []
        self.offsets: list[int] = []
        self.linear: list[bool] = []
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
        masked = self.masked
        position = self.position
        for start, end in [*self._lines(), (len(masked), len(masked))]:
            while match := _SPECIAL.search(masked, position, start):
                at = match.start()
                self._emit(masked[position:at], position)
                # What hides no reader from a number, such as a space of no width, is dropped.
                handler = self.handlers.get(masked[at])
                position = handler(at) if handler else at + 1
            self._emit(masked[position:start], position)
            position = max(end, position)
        text = "".join(self.parts)
        return Visible(
            text if text.isascii() and "\t" not in text else text.translate(_FOLD),
            tuple(self.links),
            tuple(self.codes),
            self.what,
            tuple(self.starts),
            tuple(self.offsets),
            tuple(self.linear),
        )

    def _lines(self) -> list[tuple[int, int]]:
        """Return what is left out because of how its line begins: fences of blocks, rules of tables, targets of links."""
        masked, found = self.masked, []
        if "]:" in masked:
            for match in _DEFINITION.finditer(masked, self.position):
                self.targets[match["label"] or match.group().strip()[1:-2]] = match["url"] or ""
                found.append(match.span())
        if "///" in masked:
            for match in _BLOCK.finditer(masked, self.position):
                if _OWN_BLOCK.match(match.group()):
                    options = _OPTIONS.match(masked, match.end()) if "erratum" in match.group() else None
                    found.append((match.start(), options.end() if options else match.end()))
        if "---" in masked:
            found += [match.span() for match in _RULE.finditer(masked, self.position)]
        return sorted(found)

    def _copy(self, at: int, length: int = 1) -> int:
        self._emit(self.masked[at : at + length], at)
        return length

    def _emit(self, text: str, offset: int, *, linear: bool = True) -> None:
        if text:
            self.starts.append(self.length)
            self.offsets.append(offset)
            self.linear.append(linear)
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
        else:
            self._copy(at)
        return at + 1

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
