"""The `///` blocks of a page that concern the ledger: figures, errata, evidence."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from ledgermark.messages import Message
from ledgermark.yamls import YamlError, read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledgermark.source import Source

_START: Final = re.compile(
    r"^(?P<prefix>[ \t>]*(?:(?:[-*+]|[0-9]+[.)])[ \t]+)?)(?P<fence>/{3,})"
    r"[ \t]*(?P<kind>[a-z][\w-]*)[ \t]*(?:\|[ \t]*(?P<argument>[^\n]*?)[ \t]*)?$",
    re.MULTILINE,
)
# What cannot stand in a caption or a correction: it begins the next part of the page.
_NEXT: Final = re.compile(r"^(?:#{1,6}[ \t]+\S[^\n]*|/{3,}[ \t]*(?:figure|erratum|evidence|abstract|corrections)\b[^\n]*)", re.MULTILINE)
_ANY: Final = re.compile(r"^[ \t>]*/{3,}[ \t]*(?P<kind>[A-Za-z][\w-]*)[ \t]*(?:\||$)", re.MULTILINE)
KINDS: Final = ("figure", "erratum", "evidence", "abstract", "corrections")
# Blocks of pymdownx itself that resemble ours.
_OTHERS: Final = frozenset({"figure-caption", "error", "details", "caption", "define", "attention"})
_OPTION: Final = re.compile(r"(?: {4}|\t)[^\n]*(?:\n|\Z)")


@dataclass(frozen=True)
class Block:
    """A block: its kind, the argument after the bar, its options, and where it and its body stand.

    Attributes:
        start: the offset of the opening fence.
        argument_start: the offset of the argument.
        body: the text between options and closing fence.
        problem: what is wrong with how it is written, or an empty text.
    """

    kind: str
    argument: str
    start: int
    argument_start: int
    body_start: int
    body_end: int
    options: dict[str, Any] = field(default_factory=dict, hash=False)
    problem: str = ""


def misspelt_blocks(source: Source) -> list[tuple[int, str]]:
    """Return place and message for block lines whose kind nobody knows but which look like one of ours: a page would show the line itself."""
    found: list[tuple[int, str]] = []
    for match in _matches(_ANY, source):
        kind = match["kind"]
        if kind in KINDS or kind in _OTHERS:
            continue
        if close := difflib.get_close_matches(kind.lower(), KINDS, n=1, cutoff=0.6):
            found.append((match.start("kind"), Message("no block is called '{kind}'; did you mean '{close}'?", kind=kind, close=close[0])))
    return found


def _matches(pattern: re.Pattern[str], source: Source) -> Iterator[re.Match[str]]:
    """Yield where a pattern matches from the beginning of a line that holds a fence of a block, in a page's body without code and comments."""
    text, end = source.masked, source.body_start
    while (at := text.find("///", end)) >= 0:
        if match := pattern.match(text, text.rfind("\n", 0, at) + 1):
            yield match
        end = text.find("\n", at)
        if end < 0:
            return


def find_blocks(source: Source, kinds: tuple[str, ...]) -> tuple[Block, ...]:
    """Return the blocks of some kinds in a page's body, in order; code and comments are left out."""
    text = source.masked
    found: list[Block] = []
    for match in _matches(_START, source):
        if match["kind"] not in kinds:
            continue
        position = match.end() + 1
        options_start = position
        # In the text as written: a paragraph that begins with code is blank at its beginning once the code is masked.
        while option := _OPTION.match(source.text, position):
            position = option.end()
        closing = re.compile(rf"^[ \t>]*{match['fence']}[ \t]*$", re.MULTILINE).search(text, position)
        options, problem = _options(source.text[options_start:position])
        if match["prefix"]:
            problem = Message("the block must begin at the margin")
        if closing is None:
            problem = Message("the block is not closed; expected a line '{fence}'", fence=match["fence"])
        if match["kind"] in ("figure", "erratum") and closing and (inner := _NEXT.search(text, position, closing.start())):
            problem = Message(
                "the block is not closed before '{next}'; expected a line '{fence}'", next=inner.group().strip(), fence=match["fence"]
            )
        argument_start = match.start("argument") if match["argument"] else match.start("fence")
        found.append(
            Block(
                match["kind"],
                (match["argument"] or "").strip(),
                match.start("fence"),
                argument_start,
                min(position, len(text)),
                closing.start() if closing else len(text),
                options,
                problem,
            )
        )
    return tuple(found)


def _options(text: str) -> tuple[dict[str, Any], str]:
    if not text.strip():
        return {}, ""
    lost = re.search(r"^[^'\"\n]*\s#", text, re.MULTILINE)
    if lost:
        return {}, Message("a '#' after a space begins a comment in YAML and what follows is lost; put the value in quotes")
    try:
        options = read_yaml(text)
    except YamlError as error:
        return {}, Message("its options are no YAML: {error}", error=error)
    if not isinstance(options, dict):
        return {}, Message("its options must be 'key: value' lines")
    return {str(key): value for key, value in options.items()}, ""
