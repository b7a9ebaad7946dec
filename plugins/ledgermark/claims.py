"""Claims in a page: which number stands where, and what in the ledger it is bound to."""

from __future__ import annotations

import bisect
import html
import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import unquote

from ledgermark.findings import Finding, nearest
from ledgermark.messages import Message, joined
from ledgermark.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterator

BOUNDS: Final = ("at_most", "at_least", "less_than", "more_than")
RELATIONS: Final = (*BOUNDS, "about")
SHOWS: Final = ("magnitude", "signed")
RESERVED: Final = ("show", "is", "unit")
_LINK: Final = re.compile(r"\]\(\s*<?(?P<scheme>claim|given):", re.IGNORECASE)
_TARGET: Final = re.compile(
    r"""(?P<target>[^\s()<>"']*(?:\([^\s()<>"']*\)[^\s()<>"']*)*)>?(?P<title>\s+(?:"(?P<double>(?:\\.|[^"\\])*)"|'(?P<single>(?:\\.|[^'\\])*)'))?\s*\)""",
)
_ENTITY: Final = re.compile(r"\]\(\s*<?([^\s()<>]*&[#A-Za-z0-9]+;[^\s()<>]*)")
_ANY_ENTITY: Final = re.compile("&[#A-Za-z0-9]+;")
# Begins with the colon, to which a search jumps: there are few.
_STRAY: Final = re.compile(r":(?<=[cC](?i:laim):)(?<!\w[cC](?i:laim):)(?=[A-Za-z_])")
_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z_][A-Za-z0-9_]*)?")


class Claim(NamedTuple):
    """A number (or a series) in a page and its binding.

    Attributes:
        key: the link's target after `claim:`, as written: what the page carries as `data-claim`.
        name: the metric, or `dataset.column` for a cell.
        params: parameter name to value text, in the order written, without the reserved ones.
        text: the text between the brackets.
        start, end: where that text stands in the file.
        show: `magnitude`, `signed`, or empty.
        relation: one of `RELATIONS`, or empty for equality.
        unit: the unit the number is shown in, where its text has none.
    """

    key: str
    name: str
    text: str
    start: int
    end: int
    params: dict[str, str]
    show: str
    relation: str
    unit: str

    def __hash__(self) -> int:
        """Return the hash of its text and place; parameters have none."""
        return hash((self.key, self.text, self.start))


@dataclass(frozen=True)
class Given:
    """A number that comes from outside the ledger, with its source."""

    text: str
    source: str
    start: int
    end: int


@dataclass(frozen=True)
class PageClaims:
    """What a page binds, in order, and what is wrong with how it is written."""

    claims: tuple[Claim, ...]
    given: tuple[Given, ...]
    findings: tuple[Finding, ...]


def find_claims(source: Source) -> PageClaims:
    """Return the claims and given numbers of a page, front matter included; code and comments are left out."""
    text = source.masked
    claims: list[Claim] = []
    given: list[Given] = []
    findings: list[Finding] = []
    taken: list[tuple[int, int]] = []

    def finding(offset: int, code: str, message: str) -> None:
        findings.append(Finding(source.path, *source.place(offset), code, message))

    before = 0
    for match in _LINK.finditer(text):
        opening = _opening(text, match.start(), before)
        before = match.start()
        target = _TARGET.match(text, match.end())
        taken.append((match.start(), target.end() if target else match.end()))
        if opening is None or target is None:
            finding(match.start() + 2, "LM109", Message("the link is not closed; expected [number](claim:NAME?parameter=value)"))
            continue
        shown, start = source.text[opening + 1 : match.start()], opening + 1
        if match["scheme"].lower() == "given":
            title = target["double"] if target["double"] is not None else target["single"]
            if target["target"] or not (title or "").strip():
                finding(
                    opening, "LM111", Message('[{shown}] has no source; expected [{shown}](given: "where the number comes from")', shown=shown)
                )
            else:
                given.append(Given(shown, title.strip(), start, match.start()))
            continue
        claim, problem = _parse(target["target"], shown, start, match.start())
        if problem or claim is None:
            finding(opening, "LM109", problem)
        else:
            claims.append(claim)
    for offset, message in (*_spelt_with_entities(text), *_strays(text, taken, len(claims))):
        finding(offset, "LM109", message)
    return PageClaims(tuple(claims), tuple(given), tuple(findings))


def _spelt_with_entities(text: str) -> Iterator[tuple[int, str]]:
    """Yield place and message for links to claims that only a browser reads as such."""
    for match in _ENTITY.finditer(text) if _ANY_ENTITY.search(text) else ():
        if re.match(r"\s*(?:claim|given)\s*:", html.unescape(match[1]), re.IGNORECASE):
            message = Message(
                "'{written}' spells a claim with entities; write it plainly as [number](claim:NAME?parameter=value)", written=match[1]
            )
            yield (match.start(1), message)


def _strays(text: str, taken: list[tuple[int, int]], claims: int) -> Iterator[tuple[int, str]]:
    """Yield place and message for claims written in a form that is not checked.

    Args:
        text: the text.
        taken: where links to claims and given numbers start and end, in order.
        claims: how many of them are claims. Each is found here once too, so that where no more are found none is astray.
    """
    found = [match.start() - len("claim") for match in _STRAY.finditer(text)]
    if len(found) == claims:
        return
    starts, ends = [start for start, _ in taken], list(accumulate((end for _, end in taken), max))
    for start in found:
        before = bisect.bisect_right(starts, start) - 1
        if before < 0 or start >= ends[before]:
            yield start, Message("'claim:' outside a link of the form [number](claim:NAME?parameter=value) is not checked")


def _opening(text: str, closing: int, before: int) -> int | None:
    """Return where the bracket that `closing` closes was opened, in the same paragraph; `before` is where the link before closes its own."""
    opening = text.rfind("[", before, closing)
    if opening >= 0:
        words = text[opening + 1 : closing]
        if not ("]" in words or "\n\n" in words or words.endswith("\\") or text.startswith("\\[", opening - 1)):
            return opening
    depth = 0
    floor = max(text.rfind("\n\n", 0, closing), 0)
    for position in range(closing, floor - 1, -1):
        if position and text[position - 1] == "\\":
            continue
        if text[position] == "]":
            depth += 1
        elif text[position] == "[":
            depth -= 1
            if depth == 0:
                return position
    return None


def parse_key(key: str) -> Claim:
    """Return the claim a bare key (`NAME?params`) stands for, with no text or place. Raises ValueError saying what is wrong."""
    claim, problem = _parse(key, "", 0, 0)
    if claim is None:
        raise ValueError(problem)
    return claim


def _parse(key: str, text: str, start: int, end: int) -> tuple[Claim | None, str]:
    name, _, query = key.replace("&amp;", "&").partition("?")
    if not _NAME.fullmatch(name):
        joined_on = not query and _NAME.fullmatch(name.partition("&")[0])
        slip = Message("'{key}' has its first parameter after '&'; expected NAME?parameter=value&…", key=key)
        return None, slip if joined_on else Message("'{name}' is no name; expected a metric, or dataset.column", name=name)
    params: dict[str, str] = {}
    for part in query.split("&") if query else ():
        parameter, equals, value = part.partition("=")
        if not equals or not parameter or not value:
            return None, Message("'{part}' in '{key}' is no parameter; expected parameter=value", part=part, key=key)
        if parameter in params:
            return None, Message("parameter '{parameter}' stands twice in '{key}'", parameter=parameter, key=key)
        params[parameter] = unquote(value) if "%" in value else value
    show, relation, unit = params.pop("show", ""), params.pop("is", ""), params.pop("unit", "")
    if show and show not in SHOWS:
        return None, Message("show={show}; expected {names}{hint}", show=show, names=joined(SHOWS, Message(" or ")), hint=nearest(show, SHOWS))
    if relation and relation not in RELATIONS:
        return None, Message(
            "is={relation}; expected one of {names}{hint}", relation=relation, names=", ".join(RELATIONS), hint=nearest(relation, RELATIONS)
        )
    return Claim(key, name, text, start, end, params, show, relation, unit), ""


def without_links(text: str) -> str:
    """Return a line of Markdown as plain text: claims and given numbers as what they show, marks of emphasis and code gone."""
    source = Source("", text)
    found = find_claims(source)
    parts: list[str] = []
    position = 0
    spans: list[Claim | Given] = sorted((*found.claims, *found.given), key=lambda item: item.start)
    for item in spans:
        target = _TARGET.match(text, text.index(":", item.end) + 1)
        parts += [text[position : item.start - 1], item.text]
        position = target.end() if target else item.end
    return re.sub(r"[*`]", "", "".join([*parts, text[position:]]))
