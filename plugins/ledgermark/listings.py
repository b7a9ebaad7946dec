"""Blocks of code across the languages: the same code in both, whatever its comments say."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Final

from ledgermark.findings import Finding
from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledgermark.pages import Page

_KIND: Final = re.compile(r"[ \t>]*[`~]{3,}[ \t]*\{?[ \t]*\.?([A-Za-z0-9_+-]*)")
_WORDS: Final = frozenset({"", "text", "txt", "plain", "markdown", "md"})  # not code: its words are those of the language
_COMMENT: Final = re.compile(r"(?:^|[ \t])(?:#|//|--[ ]).*")
_NUMBER: Final = re.compile(r"[0-9]+(?:\.[0-9]+)*")

Listing = tuple[int, str, list[str]]
"""Where a block starts, what its fence calls it, and its lines."""


def check_listings(page: Page, other: Page) -> Iterator[Finding]:
    """Yield the lines of code that differ from those at their place in the page in another language.

    Blocks are paired in order within a section, where both have as many, and as many lines in them. A line has the same numbers in both, its
    comment too, and outside it, unless there are words of a language in it, the same code.

    Args:
        page: the page to report on.
        other: the same page in another language.
    """
    theirs = _by_section(other)
    for section, listings in _by_section(page).items():
        counterparts = theirs.get(section, [])
        if len(listings) != len(counterparts):
            continue
        where = Message(" in the section '{section}'", section=section) if section else ""
        for (start, kind, lines), (_, _, others) in zip(listings, counterparts, strict=True):
            if len(lines) != len(others):
                continue
            for here, there in zip(lines, others, strict=True):
                if _differ(here, there, kind):
                    message = Message(
                        "the line of code '{here}'{where} is '{there}' in {path}",
                        here=here.strip(),
                        where=where,
                        there=there.strip(),
                        path=other.source.path,
                    )
                    # At the fence, for above it a comment may silence this; within it nothing is one.
                    yield Finding(page.source.path, *page.source.place(start), "LM309", message)


def _differ(here: str, there: str, kind: str) -> bool:
    if here == there:
        return False
    if sorted(_NUMBER.findall(here)) != sorted(_NUMBER.findall(there)):
        return True
    code, counterpart = (_COMMENT.sub("", line).strip() for line in (here, there))
    return kind not in _WORDS and code.isascii() and counterpart.isascii() and code != counterpart


def _by_section(page: Page) -> dict[str, list[Listing]]:
    found: dict[str, list[Listing]] = defaultdict(list)
    for start, text in page.source.fences:
        first, *lines = text.rstrip("\n").split("\n")
        kind = _KIND.match(first)
        found[page.source.section_at(start)].append((start, kind[1].lower() if kind else "", lines[:-1]))
    return found
