"""Everything of a page that readers see: the texts of its front matter, its body, the titles of its errata."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from ledgermark.markup import MarkupReader, Visible, fold, is_plain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledgermark.pages import Page
    from ledgermark.source import Source

# Front matter for programs. Whatever else stands there may be shown by a template.
MACHINE_KEYS: Final = frozenset({"date", "kind", "template", "search", "hide", "icon", "lang", "status", "slug", "robots"})


def visible_parts(page: Page, *, math: bool = False) -> Iterator[Visible]:
    """Yield everything of a page that readers see: its front matter's texts, its body, the titles of its errata.

    Args:
        page: the page.
        math: whether `$…$` is math here; then it is left out, as it has no numbers of its own.
    """
    source = page.source
    base = source.text.find(source.front) if source.front else 0
    for key, value in page.meta.items():
        if key not in MACHINE_KEYS:
            start = _key(key).search(source.front)
            at = base + start.end() if start else 0
            for text in _texts(value):
                yield _value(text, source, at, math=math)
    yield MarkupReader(source.text, source.masked, source.body_start, math=math).read()
    for erratum in page.errata:
        if erratum.title:
            head = source.text[erratum.start : erratum.body_start]
            match = re.search(r"^\s+title:[ \t]*", head, re.MULTILINE)
            yield _value(erratum.title, source, erratum.start + (match.end() if match else 0), math=math)


@lru_cache(maxsize=256)
def _key(key: str) -> re.Pattern[str]:
    """Return a pattern of how a key begins its line."""
    return re.compile(rf"^{re.escape(key)}:[ \t]*", re.MULTILINE)


def plain_text(text: str) -> Visible:
    """Return a text that carries no markup as a reader sees it; offsets are those in the text."""
    return Visible(fold(text), (), (), (0,), ((0, True),))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
    elif value is not None and not isinstance(value, bool):
        yield str(value)


def _value(value: str, source: Source, at: int, *, math: bool) -> Visible:
    """Return a YAML text: at its exact place where it stands in the file as it is, else at the place of its key."""
    for start in (at, at + 1):
        if value and source.text.startswith(value, start):
            end = start + len(value)
            if source.masked.startswith(value, start) and is_plain(value):
                return Visible(fold(value), (), (), (0,), ((start, True),))
            return MarkupReader(source.text[:end], source.masked[:end], start, math=math).read()
    read = MarkupReader(value, value, 0, math=math).read()
    # Written with YAML's own escapes or over several lines: all of it stands where its key does.
    return Visible(read.text, read.links, read.codes, (0,), ((at, False),))
