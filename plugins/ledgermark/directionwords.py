"""Words of direction at a number: what rises to it, falls to it, is lost or gained by it.

Only a word right at the number counts, for one further away may speak of something else.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ledgermark.alternation import one_of
from ledgermark.passages import CLAUSE, NUMBER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledgermark.claims import Claim
    from ledgermark.passages import Reading

UP, DOWN, BETTER, WORSE = "up", "down", "better", "worse"


@dataclass(frozen=True)
class Lexicon:
    """The words of direction of a language.

    Attributes:
        moves: words for what goes from one number to another, with their directions.
        changes: words before a change: "loses", "a gain of", 掉了.
        behind: words behind a change: "slower", "higher".
        between: what may stand between a word and the number behind it.
        first: the text before the first of two numbers, where the second is what it goes to; `MOVE` stands for a word of `moves`.
        second: the text between the two.
        swaps: to each of some words its opposite, of the same grammar.
    """

    moves: dict[str, tuple[str, ...]]
    changes: dict[str, tuple[str, ...]]
    behind: dict[str, tuple[str, ...]]
    between: str
    first: str
    second: str
    swaps: dict[str, str]


def _forms(*verbs: str) -> tuple[str, ...]:
    """Return the forms of some regular English verbs, of which the last letter may be doubled: `drop+`."""
    found: list[str] = []
    for verb in verbs:
        stem = verb.rstrip("e+")
        double = stem[-1] if verb.endswith("+") else ""
        found += [verb.rstrip("+"), f"{verb.rstrip('+')}s", f"{stem}{double}ed", f"{stem}{double}ing"]
    return tuple(found)


_GOES: Final = (
    "is",
    "are",
    "was",
    "were",
    "be",
    "been",
    "go",
    "goes",
    "went",
    "gone",
    "going",
    "come",
    "comes",
    "came",
    "move",
    "moves",
    "moved",
)
_RISES: Final = (
    *(f"{verb} up" for verb in _GOES),
    *("rise", "rises", "rose", "risen", "rising", "grow", "grows", "grew", "grown", "growing", *_forms("increase", "climb", "raise")),
)
_FALLS: Final = (
    *(f"{verb} down" for verb in _GOES),
    *("fall", "falls", "fell", "fallen", "falling", "shrink", "shrinks", "shrank", "shrunk", "sink", "sinks", "sank", "sunk"),
    *_forms("drop+", "decrease", "decline", "lower", "reduce"),
)


def _both_ways(*pairs: tuple[str, str]) -> dict[str, str]:
    return dict(pairs) | {right: left for left, right in pairs}


LEXICONS: Final[dict[str, Lexicon]] = {
    "en": Lexicon(
        moves={UP: _RISES, DOWN: _FALLS},
        changes={
            UP: (*_RISES, "growth", "add", "adds", "added"),
            DOWN: (*_FALLS, "cut", "cuts"),
            BETTER: _forms("gain"),
            WORSE: ("lose", "loses", "losing", "lost", "loss", "losses", "cost", "costs", "costing"),
        },
        behind={
            UP: ("higher", "more", "growth", "increase", "rise"),
            DOWN: ("lower", "less", "fewer", "decrease", "drop", "fall", "decline"),
            BETTER: ("faster", "gain"),
            WORSE: ("slower", "loss"),
        },
        between=r"(?: (?:by|of|an?|about|around|roughly|nearly|almost|only|just|as much as|at most|at least|up to|(?:more|less) than)\b)*+",
        first=r"(?:.*(?<![\w-])MOVE(?: (?!(?:that|which|who|with|when|where|as|while|and|or|but|than|not|never)\b)[\w’'-]+){0,6} |(?:.*\b)?)"
        "from(?: about| around| roughly)?",
        second="(?: [^.;:]{0,60}?)??(?: (?P<way>up|down))? to(?: about| around| roughly)?",
        swaps=_both_ways(
            *(("rises", "falls"), ("rise", "fall"), ("rose", "fell"), ("grows", "shrinks"), ("grew", "shrank"), ("raises", "lowers")),
            *(("gains", "loses"), ("gain", "loss"), ("gained", "lost"), ("faster", "slower"), ("higher", "lower"), ("adds", "cuts")),
            *(("increases", "drops"), ("increased", "dropped"), ("more", "less"), ("up", "down")),
        )
        | {"costs": "gains", "lose": "gain"},
    ),
    "zh": Lexicon(
        moves={
            UP: ("涨", "升", "上升", "升高", "增", "增加", "增长", "提高", "提升", "加", "爬"),
            DOWN: ("降", "下降", "降低", "减", "减少", "掉", "跌", "下跌", "落", "缩", "缩小", "缩短"),
        },
        changes={
            UP: ("涨", "上涨", "升", "上升", "升高", "增加", "增长", "提高", "提升", "增大", "变大", "高", "多"),
            DOWN: ("降", "下降", "降低", "减少", "减小", "缩小", "缩短", "变小", "掉", "跌", "下跌", "下滑", "低", "少"),
            BETTER: ("快", "提速", "赚", "多赚"),
            WORSE: ("慢", "亏", "丢", "损失", "丢掉", "亏掉"),
        },
        behind={},
        between="(?:了|出)?(?: ?(?:约|大约|大概|将近|近|超过|不到|不超过|至少|至多|最多|最少))?",
        first=".*?(?P<lead>[从由])[^，。；：]{0,16}",
        second=" ?[^，。；：]{0,24}?MOVE[到至成为]了?",
        swaps=_both_ways(
            *(("涨", "降"), ("上升", "下降"), ("提高", "降低"), ("增加", "减少"), ("加", "减")),
            *(("快", "慢"), ("高", "低"), ("多", "少"), ("赚", "亏")),
        )
        | {"升": "降", "掉": "涨", "丢": "赚", "丢掉": "赚", "跌": "涨", "落": "涨"},
    ),
}
# Right before a word: then it says what did not happen.
_DENIED: Final = re.compile(
    r"(?:\b(?:not|never|no|cannot|without|nor|neither)|n['’]t)(?: [\w’'-]+){0,2} $|[没未不无别](?:有|会|能|再|曾|是|必)?$", re.IGNORECASE
)
_REACH: Final = 90  # characters beside a number that are looked at
_APART: Final = 400  # characters between two numbers, a link's target among them, beyond which the second goes on from nothing


@dataclass(frozen=True)
class _Compiled:
    first: re.Pattern[str]
    second: re.Pattern[str]
    before: re.Pattern[str]
    after: re.Pattern[str]
    moves: dict[str, str]
    changes: dict[str, str]
    behind: dict[str, str]


@lru_cache(maxsize=8)
def _compiled(language: str) -> _Compiled | None:
    lexicon = LEXICONS.get(language)
    if lexicon is None:
        return None
    moves, changes, behind = (
        {word: way for way, words in table.items() for word in words} for table in (lexicon.moves, lexicon.changes, lexicon.behind)
    )
    start, end = (r"(?<![\w-])", r"(?![\w-])") if language == "en" else ("(?<![最至顶不])", "")
    first, second = (text.replace("MOVE", f"(?P<word>{one_of(moves)})") for text in (lexicon.first, lexicon.second))
    before = f"{start}(?P<word>{one_of(changes)}){end}{lexicon.between}$"
    after = rf"(?P<word>{one_of(behind)})\b(?! (?:from|to|slowly|often)\b)" if behind else "(?!)"
    leads, goes, ahead, follows = (re.compile(text, re.IGNORECASE) for text in (first, second, before, after))
    return _Compiled(leads, goes, ahead, follows, moves, changes, behind)


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
    text = reading.text
    if before is not None and clause.start <= before.start and claim.start - before.end < _APART:
        between, ahead = " ".join(text[before.end : claim.start].split()), " ".join(text[clause.start : before.start].split())
        second = compiled.second.fullmatch(f" {between}") if NUMBER not in between else None
        first = compiled.first.fullmatch(ahead) if second else None
        if first and second:
            found = next((match for match in (first, second) if match.groupdict().get("word")), None)
            way = second.groupdict().get("way")
            if found and not _denied(first, "lead"):
                return _said(found, compiled.moves, before)
            return Said(way, way.lower(), before) if way else None
    if not change:
        return None
    ahead = " ".join(text[max(clause.start, claim.start - _REACH) : claim.start].split())
    if found := compiled.before.search(ahead):
        return _said(found, compiled.changes)
    found = compiled.after.match(text[claim.end : clause.end].lstrip()[:_REACH])
    return _said(found, compiled.behind) if found else None


def _said(found: re.Match[str], ways: Mapping[str, str], first: Claim | None = None) -> Said | None:
    return None if _denied(found, "word") else Said(found["word"], ways[found["word"].lower()], first)


def _denied(found: re.Match[str], group: str) -> bool:
    """Return whether what a group of a match says is said not to be."""
    return group in found.re.groupindex and _DENIED.search(found.string, 0, found.start(group)) is not None
