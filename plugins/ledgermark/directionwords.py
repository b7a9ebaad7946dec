"""Words of direction at a number: what rises to it, falls to it, is lost or gained by it.

Only a word right at the number counts, for one further away may speak of something else. Where what is said is denied, supposed or turned round
("did not lose", "if it lost", "without it"), no word is found: the safe mistake is to say nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ledgermark.alternation import one_of
from ledgermark.directionlexicons import DOWN, LEXICONS, UP
from ledgermark.passages import CLAUSE, NUMBER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledgermark.claims import Claim
    from ledgermark.directionlexicons import Lexicon
    from ledgermark.passages import Reading

_REACH: Final = 160  # characters beside a number that are looked at
_APART: Final = 400  # characters between two numbers, a link's target among them, beyond which the second goes on from nothing


@dataclass(frozen=True)
class _Compiled:
    lexicon: Lexicon
    first: re.Pattern[str]
    second: re.Pattern[str]
    before: re.Pattern[str]
    after: re.Pattern[str]
    denied: re.Pattern[str]
    turned: re.Pattern[str]
    moves: dict[str, str]
    changes: dict[str, str]
    behind: dict[str, str]


@lru_cache(maxsize=8)
def _compiled(language: str) -> _Compiled | None:
    lexicon = LEXICONS.get(language)
    if lexicon is None:
        return None
    moves, carries, changes, behind = (
        {word: way for way, words in table.items() for word in words}
        for table in (lexicon.moves, lexicon.carries, lexicon.changes, lexicon.behind)
    )

    def compiled(pattern: str, words: Mapping[str, str]) -> re.Pattern[str]:
        filled = pattern.replace("WORD", f"(?P<word>{one_of(words)})" if words else "(?!)")
        # Letters of other scripts that a case-blind pattern takes for these (ſ for s) are in no table.
        return re.compile(filled.replace("CARRIED", f"(?P<carried>{one_of(carries)})" if carries else "(?!)"), re.IGNORECASE | re.ASCII)

    return _Compiled(
        lexicon,
        compiled(lexicon.first, moves),
        compiled(lexicon.second, moves),
        compiled(lexicon.before, changes),
        compiled(lexicon.after, behind),
        compiled(lexicon.denied, {}),
        compiled(lexicon.turned, {}),
        moves | carries | {UP: UP, DOWN: DOWN},
        changes,
        behind,
    )


@dataclass(frozen=True)
class Said:
    """A word of direction at a claim.

    Attributes:
        word: as it is written.
        direction: `up` or `down`, or `better` or `worse`.
        first: the claim before, where the word says how one goes on from the other.
    """

    word: str
    direction: str
    first: Claim | None = None


def said_at(claim: Claim, before: Claim | None, reading: Reading, language: str, *, change: bool) -> Said | None:
    """Return the word of direction at a claim, or None.

    Args:
        claim: the claim.
        before: the claim before it on its page.
        reading: the page's text.
        language: the language it is written in.
        change: whether the claim may be a change by itself, and not only where something goes.
    """
    compiled = _compiled(language)
    if compiled is None:
        return None
    clause = reading.around(claim.start, claim.end, CLAUSE)
    text, gap = reading.text, compiled.lexicon.gap
    if before is not None and clause.start <= before.start and claim.start - before.end < _APART:
        between = _flat(text, before.end, claim.start, gap)
        second = compiled.second.fullmatch(gap + between) if NUMBER not in between else None
        first = compiled.first.fullmatch(_flat(text, max(clause.start, before.start - _REACH), before.start, gap)) if second else None
        if first and second:
            return _moved(compiled, first, second, before)
    if not change:
        return None
    ahead = _flat(text, max(clause.start, claim.start - _REACH), claim.start, gap)
    behind = _flat(text, claim.end, min(clause.end, claim.end + _REACH + _APART), gap)
    if compiled.turned.search(ahead):
        return None
    if found := compiled.before.fullmatch(ahead):
        said = _said(compiled, found, "word", compiled.changes)
        return None if said and said.direction in (UP, DOWN) and re.match(compiled.lexicon.other, behind) else said
    found = compiled.after.fullmatch(behind)
    return None if found is None or compiled.denied.search(f"{ahead}{gap}") else _said(compiled, found, "word", compiled.behind)


def _flat(text: str, start: int, end: int, gap: str) -> str:
    """Return a stretch of a text on one line, its marks of emphasis gone."""
    return gap.join(text[start:end].replace("_", " ").split())


def _moved(compiled: _Compiled, first: re.Match[str], second: re.Match[str], before: Claim) -> Said | None:
    for found in (first, second):
        for group in ("word", "carried", "way"):
            if found.groupdict().get(group):
                denied = "lead" in first.groupdict() and compiled.denied.search(first.string, 0, first.start("lead"))
                return None if denied else _said(compiled, found, group, compiled.moves, before)
    return None


def _said(compiled: _Compiled, found: re.Match[str], group: str, ways: Mapping[str, str], first: Claim | None = None) -> Said | None:
    if compiled.denied.search(found.string, 0, found.start(group)):
        return None
    return Said(found[group], ways[found[group].lower()], first)
