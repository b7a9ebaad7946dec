"""A project's own phrases with a number in them: names and settings that need no source, each with its reason in the settings."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from ledgermark.alternation import one_of
from ledgermark.messages import Message
from ledgermark.near import COMPARED, Exemption, Near
from ledgermark.numberwords import find_tokens
from ledgermark.tuples import made

if TYPE_CHECKING:
    from collections.abc import Mapping

_AMOUNT_BEFORE: Final = re.compile(
    r"(?:[+±~≈<>≤≥=×$€£¥^-]|[快慢多少高低大小长短][了至到]?|约|近|达|超过|不到|不足|[至最][多少]"
    r"|\b(?:by|about|roughly|nearly|almost|exactly|than|least|most))[ ]?$"
)
# How all of that ends: after anything else, nothing has to be looked for.
_AMOUNT_END: Final = frozenset("+±~≈<>≤≥=×$€£¥^-快慢多少高低大小长短了至到约近达过足ytn")
_AMOUNT_AFTER: Final = re.compile(r"[ ]?个|\+|/[A-Za-z秒]")
_AFTER: Final = frozenset(" \n个+/")  # how that, or a comparison, begins
# How what stands before a term ends where the term may be part of something longer.
_JOINED_END: Final = frozenset("_.,0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_JOINED: Final = re.compile(r"(?:[A-Za-z0-9_]|[0-9][.,])\Z")
_REACH: Final = 12  # characters before a term that are looked at


def compile_terms(terms: Mapping[str, str]) -> re.Pattern[str] | None:
    """Return a pattern that finds a project's terms, the longest first, as whole words."""
    if not terms:
        return None
    # Begins with the phrases themselves, so that the search leaps to them; what stands before is looked at afterwards.
    phrases = one_of((" ".join(said.split()) for phrase in terms for said in spellings(phrase)), _phrase_end)
    return re.compile(phrases.replace(r"\ ", "[ \u00a0\u2009\u202f\n]+"))


def spellings(term: str) -> tuple[str, ...]:
    """Return how a term may be written: also with the capital that begins a sentence."""
    return (term, term[:1].upper() + term[1:]) if "a" <= term[:1] <= "z" else (term,)


def _phrase_end(phrase: str) -> str:
    return r"(?![A-Za-z0-9_])(?![.,][0-9])" if phrase[-1:].isascii() else ""


def find_terms(near: Near, pattern: re.Pattern[str] | None) -> list[Exemption]:
    """Return a project's own phrases in a text, never with a unit after them or a word of amount beside them."""
    text = near.text
    found: list[Exemption] = []
    for match in pattern.finditer(text) if pattern else ():
        start, end = match.span()
        phrase = match.group()
        before = text[max(0, start - _REACH) : start]
        if phrase[0].isascii() and before[-1:] in _JOINED_END and _JOINED.search(before[-3:]):
            continue
        if (
            near.unit.match(text, end)
            or (before.rstrip()[-1:] in _AMOUNT_END and _AMOUNT_BEFORE.search(before))
            or (text[end : end + 1] in _AFTER and (COMPARED.match(text, end) or _AMOUNT_AFTER.match(text, end)))
        ):
            continue
        found.append(made(Exemption, (start, end, "term", " ".join(phrase.split()), "")))
    return found


def term_problem(term: str, unit: re.Pattern[str]) -> str:
    """Return why a phrase may not be a term, or an empty text: terms are names and settings, never measurements.

    Args:
        term: the phrase.
        unit: finds a unit after a number.
    """
    tokens = find_tokens(term)
    if not tokens:
        return Message("has no number in it")
    # 7B, glued, is the size of a model and not seven bytes.
    if any((found := unit.match(term, token.end)) and found.group() != "B" for token in tokens):
        return Message("has a number with a unit in it; that is a measurement")
    rest = "".join(char for at, char in enumerate(term) if not any(token.start <= at < token.end for token in tokens))
    if not any(char.isalpha() for char in rest):
        return Message("is a bare number")
    words = sorted({*re.findall("[a-z]+", rest.lower())} & _QUANTITY | {*rest} & _AMOUNTS | {part.group() for part in _SHARE.finditer(term)})
    words += [term[left.start : right.end] for left, right in pairwise(tokens) if _OUT_OF.fullmatch(term.lower(), left.end, right.start)]
    return Message("says how much ({names}); that is a measurement", names=", ".join(words)) if words else ""


_PART: Final = "(?:third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|twentieth|hundredth|thousandth)"
# Parts and multiples; `half precision` and `double buffering` are names.
_SHARE: Final = re.compile(
    rf"""\b(?:(?:half|quarter|double|triple|quadruple)(?![ -](?:precision|buffer))|halve[sd]?|halving|quarters|twice|thrice
            |(?:doubl|tripl|quadrupl)(?:es|ed|ing)|[a-z]+fold|dozens?|couple|orders?[ ]of[ ]magnitude|(?:an?|one)[ -]{_PART}|{_PART}s)\b
        |分之|半(?!精度|导体|径)|[0-9一二两三四五六七八九几][ ]?[成折番]|[\u00bc-\u00be\u2150-\u215f]""",
    re.VERBOSE | re.IGNORECASE,
)
# What stands between two numbers of which one counts out of the other.
_OUT_OF: Final = re.compile(r"[ ](?:out )?of (?:the |its |all )?|[ ]?[个张次条项]?[ ]?[里中][有的]?[ ]?")
_AMOUNTS: Final = frozenset("约快慢倍±≈~升降增减涨跌赚亏省")
_QUANTITY: Final = frozenset(
    (
        *(
            "about",
            "almost",
            "approximately",
            "best",
            "better",
            "by",
            "fewer",
            "faster",
            "gain",
            "gains",
            "greater",
            "higher",
            "larger",
            "least",
        ),
        *("less", "longer", "lower", "more", "most", "nearly", "over", "roughly", "shorter", "slower", "smaller", "speedup", "than", "times"),
        *("under", "worse"),
        *("add", "adds", "cost", "costs", "costing", "drop", "drops", "dropped", "fall", "falls", "fell", "gained", "grow", "grows", "grew"),
        *("lose", "loses", "losing", "loss", "losses", "lost", "only", "rate", "rates", "rise", "rises", "rose", "save", "saves", "saved"),
        *("share", "shrink", "shrinks", "speed", "win", "wins", "won"),
    )
)
