"""The closed list of numbers that may stand unbound: shapes that are no measurement, each with the ways it must not be used.

Every rule is a function whose first line says what it lets pass; `docs/numbers.md` has a section for each. What a rule yields is still refused
when a unit of measure follows it: a version of 3.70 times and a date of 28 per cent are measurements.
"""

from __future__ import annotations

import re
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ledgermark.articles import articles
from ledgermark.near import Exemption, Near, Span, text_before
from ledgermark.references import misled, references
from ledgermark.tuples import made

if TYPE_CHECKING:
    from collections.abc import Callable

    from ledgermark.numberwords import Token

_MONTHS: Final = (
    "(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)"
)
_TIME: Final = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:\ ?(?:Z|UTC|GMT))?"
_ISO: Final = re.compile(rf"([0-9]{{4}}-[0-9]{{2}}(?:-[0-9]{{2}})?)(?:[T ]{_TIME})?(?![0-9-]|\.[0-9])")
_DATES: Final = (
    re.compile(r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::[0-9]{2})?\ ?(?:Z|UTC|GMT)\b"),
    re.compile(rf"(?P<day>[0-9]{{1,2}})\ {_MONTHS}\b(?:,?\ [12][0-9]{{3}}\b)?"),
    re.compile(r"20[0-9]{2}\ ?年(?:\ ?(?P<month>[0-9]{1,2})\ ?月(?:\ ?(?P<day>[0-9]{1,2})\ ?日)?)?"),
    re.compile(r"(?P<month>[0-9]{1,2})\ ?月\ ?(?P<day>[0-9]{1,2})\ ?日"),
    re.compile("(?:十[一二]?|[一二三四五六七八九])月(?!之)"),
)
# What all of these begin with: where it is not, none of them has to be tried.
_DATED: Final = re.compile(r"[0-9]{1,2}:[0-9]|[0-9]{1,2}\ [A-Z]|20[0-9]{2}\ ?年|[0-9]{1,2}\ ?月|(?:十[一二]?|[一二三四五六七八九])月")
_YEAR: Final = 4  # digits: a longer number begins no date
_DATED_AFTER: Final = frozenset(": 年月")  # what stands in them after the first number
_MONTH_END: Final = frozenset("bceghlnprtvy")
_AFTER_MONTH: Final = re.compile(rf"\b{_MONTHS}\ (?:(?P<day>[0-9]{{1,2}})(?:,\ [12][0-9]{{3}})?|20[0-9]{{2}})(?![.:,]?[0-9])\b")
_VERSION: Final = re.compile(
    r"[0-9]{1,4}\.[0-9]{1,3}\.[0-9]{1,5}(?:\.[0-9]{1,5})?(?:(?:rc|a|b|\.post|\.dev|\+)[0-9A-Za-z]+)?(?![0-9])(?!\.[0-9])(?![A-Za-z])"
)
_GROUPED: Final = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+")
_ISSUE: Final = re.compile(
    r"(?:(?<![A-Za-z0-9_/])(?:[A-Za-z][A-Za-z0-9_-]*/)?[A-Za-z][A-Za-z0-9_.-]*#"
    r"|(?<![A-Za-z0-9_])(?:[Ii]ssue|PR|MR|[Pp]ull request|[Mm]erge request)[ \u00a0]#?)$"
)
_ISSUE_END: Final = frozenset("eRt")
_HASH: Final = re.compile(r"(?=[0-9a-f]*[a-f])(?![0-9]+e[0-9]+$)[0-9a-f]{7,40}")
_DIMENSION: Final = re.compile(r"[1-4]D")
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_/-]*")
_FRACTION: Final = re.compile(r"[.,][0-9]")
_LETTERS: Final = re.compile(r"[A-Za-z]+")
# English that, run together with a number, still says how much: `about70`, `by-70`, `USD70`.
_SAID: Final = (
    "a about above all almost an and another approx approximately around as at below between by ca circa cost costs cut down",
    "dropped dropping drops eq equal equals eur exactly faster fell fewer for from gain gained gains gave gbp gives gt had half",
    "has higher in is just least less loses lost lower lt many max mean median min minus more most nearly no not of off on only",
    "or over per plus ran rate rates reached reaches rose roughly run runs saved saves slower speed speedup than the times to",
    "took total under until up usd value was were with x",
)
_SAYING: Final = frozenset(" ".join(_SAID).split())
# An amount inside a name: `gpu-70-percent`, `perf3x`, `lat70ms`.
_AMOUNT: Final = re.compile(
    r"(?:^|[-_/])[0-9]+(?:s|min|h|W|kW)(?=$|[-_/])"
    r"|[0-9][-_/]?(?:x|ms|us|ns|pct|percent|pp|toks?|tokens?|GB|MB|GiB|MiB|times|fold|faster|slower|more|less)(?=$|[-_/])"
)
_SUFFIX: Final = re.compile(r"(?:st|nd|rd|th)\b(?!-?[ ]?(?:percentile|quantile|of))")
_QUANTILE: Final = re.compile("[ ]?个?(?:百分位|分位|成|折)")
_TO_TENTH: Final = frozenset([*"123456789", "10", "", *"一二三四五六七八九十"])  # without the zeros before it
_ITEM: Final = re.compile(r"[ >]*([0-9]{1,3})[.)][ ]")
_FAR: Final = 4000  # characters above a list's item in which the item before is looked for
_ADDRESS: Final = re.compile(r"(?:https?://|www\.)[^\s<>()\ufffc]*$")
_OUTSIDE: Final = frozenset(["", *" \u00a0<>()\ufffc"])  # no address reaches over it
_ADDRESS_REST: Final = re.compile(r"[^\s<>()\ufffc]*")
_JOINED: Final = frozenset("0123456789.,:-+/_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_LETTERS_OF_WORDS: Final = "0123456789_/-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_WORD: Final = frozenset(_LETTERS_OF_WORDS)
_WORD_REST: Final = re.compile("[0-9_/A-Za-z-]*")


def dates(token: Token, near: Near) -> Span | None:
    """A date or a time of day that a calendar has: 2026-08-29, 29 August 2026, August 2026, 2026年8月29日, 六月, 09:30 UTC."""
    text, start, end = near.text, token.start, token.end
    before = text[start - 1 : start]
    if before in _JOINED:
        return None
    if end - start <= _YEAR:
        after = text[end : end + 1]
        if after == "-":
            if (match := _ISO.match(text, start)) and _is_day(match[1]):
                return match.span()
        elif after in _DATED_AFTER and _DATED.match(text, start):
            for pattern in _DATES:
                if (match := pattern.match(text, start)) and _in_calendar(match):
                    return match.span()
    if before != " " or text[start - 2 : start - 1] not in _MONTH_END:
        return None
    found = _AFTER_MONTH.search(text, max(0, start - len("September ")), end + len(", 2026"))
    if not found or not found.start() < start < found.end() or not _in_calendar(found):
        return None
    return None if near.unit.match(text, found.end()) else found.span()  # `in May 28 runs` counts runs


def _in_calendar(match: re.Match[str]) -> bool:
    parts = match.groupdict()
    return all(low <= int(parts[name]) <= high for name, (low, high) in _LIMITS.items() if parts.get(name))


_LIMITS: Final = {"month": (1, 12), "day": (1, 31), "hour": (0, 23), "minute": (0, 59)}


@lru_cache(maxsize=1024)
def _is_day(iso: str) -> bool:
    """Return whether there is such a day, or such a month."""
    try:
        date.fromisoformat(iso if len(iso) > len("2026-08") else f"{iso}-01")
    except ValueError:
        return False
    return True


def versions(token: Token, near: Near) -> Span | None:
    """A version of three or four parts: 0.33.0, v2.11.0rc1. One of two parts looks like a decimal, so it has to be a term."""
    text, start = near.text, token.start
    match = _VERSION.match(text, start) if token.text.count(".") > 1 else None
    if match is None or _GROUPED.fullmatch(match.group()):
        return None
    before = text[start - 1 : start]
    if before == "v":
        start -= 1
        before = text[start - 1 : start]
    return None if (before.isascii() and before.isalnum()) or before in (".", "-", "+") else (start, match.end())


def issues(token: Token, near: Near) -> Span | None:
    """An issue with its project or its kind (vllm#45450, issue 12, PR #7), or a commit's hash with letters in it."""
    text, start = near.text, token.start
    last = text_before(text, start)
    if (last == "#" or (last in (" ", "\u00a0") and text_before(text, start - 1) in _ISSUE_END)) and token.text.isdecimal():
        before = text[max(0, start - 60) : start]
        if match := _ISSUE.search(before):
            counts = last != "#" and near.unit.match(text, token.end)
            return None if counts else (start - len(before) + match.start(), token.end)
    word = _word(text, token)
    return word if word and _HASH.fullmatch(text, *word) else None


def identifiers(token: Token, near: Near) -> Span | None:
    """A name that begins with a letter and has digits in it (gfx1100, A100, bf16, gemma-4-31B), and 2D or 3D. No decimal point, no amount."""
    text = near.text
    word = _word(text, token)
    if word is None:
        return None
    start, end = word
    if start == token.start:  # begins with a digit
        return word if _DIMENSION.fullmatch(text, start, end) and text_before(text, start) not in _JOINED else None
    if text_before(text, start) == "." or _FRACTION.match(text, end):
        return None
    return word if _is_name(text[start:end]) else None


@lru_cache(maxsize=1024)
def _is_name(word: str) -> bool:
    """Return whether a word names something and says no amount."""
    if not _NAME.fullmatch(word):
        return False
    words = [part.lower() for part in _LETTERS.findall(word)]
    saying = any(len(part) > 1 and part in _SAYING for part in words) or (words[0] in _SAYING and "-" in word)
    return not (saying or words[0] == "x" or _AMOUNT.search(word))


def ordinals(token: Token, near: Near) -> Span | None:
    """An ordinal up to the tenth: 1st, 第三, 第 2. Later ones place a measurement (the 35th token)."""
    if token.text.lstrip("0") not in _TO_TENTH:
        return None
    text, start = near.text, token.start
    before = text[start - 1 : start]
    after = _SUFFIX.match(text, token.end) if token.form == "digits" else None
    if after and before not in _JOINED:
        return start, after.end()
    placed = before == "第" or (before == " " and text[start - 2 : start - 1] == "第")
    return (start - 1, token.end) if placed and not _QUANTILE.match(text, token.end) else None


def list_marks(token: Token, near: Near) -> Span | None:
    """The number of a list's item, at the start of its line, where it counts on from the item before or opens a list with 1."""
    text = near.text
    if text[token.end : token.end + 1] not in (".", ")"):
        return None
    line = text.rfind("\n", 0, token.start) + 1
    item = _ITEM.match(text, line)
    if item is None or item.span(1) != (token.start, token.end):
        return None
    above = text[max(0, line - _FAR) : line].split("\n")[:-1]
    previous = next((row for row in reversed(above) if row.strip(" >") and not row.startswith("   ")), "")
    number, last = int(item[1]), _ITEM.match(previous)
    opens = number == 1 and (last is not None or not above or not above[-1].strip(" >"))
    return item.span(1) if opens or (last is not None and number == int(last[1]) + 1) else None


def addresses(token: Token, near: Near) -> Span | None:
    """A web address."""
    if text_before(near.text, token.start) in _OUTSIDE:
        return None
    before = near.text[max(0, token.start - 300) : token.start]
    if ("http" not in before and "www." not in before) or not (match := _ADDRESS.search(before)):
        return None
    rest = _ADDRESS_REST.match(near.text, token.end)
    return token.start - len(before) + match.start(), rest.end() if rest else token.end


def _word(text: str, token: Token) -> Span | None:
    """Return the word that a number is a part of, or None where the number is all of it."""
    if text_before(text, token.start) not in _WORD and text[token.end : token.end + 1] not in _WORD:
        return None
    rest = _WORD_REST.match(text, token.end)
    end = rest.end() if rest else token.end
    while text[end - 1] in "-/" and end > token.end:
        end -= 1
    start = _word_start(text, token.start)
    return (start, end) if (start, end) != (token.start, token.end) else None


def _word_start(text: str, end: int) -> int:
    """Return where the word begins that stands before a place: looked for in ever longer pieces, for a word may be as long as the page."""
    reach = 32
    while True:
        piece = text[max(0, end - reach) : end]
        rest = piece.rstrip(_LETTERS_OF_WORDS)
        if rest or len(piece) == end:
            return end - len(piece) + len(rest)
        reach *= 8


RULES: Final[dict[str, Callable[[Token, Near], Span | None]]] = {
    "date": dates,
    "version": versions,
    "issue": issues,
    "identifier": identifiers,
    "ordinal": ordinals,
    "list": list_marks,
    "address": addresses,
    "one": articles,
}

RULE_NAMES: Final = ("reference", *RULES, "term")
# Which rules can apply to a number, by how it is written: `digits`, `sign`, `han`, `english`.
_FORMS: Final = {
    form: tuple((rule, RULES[rule]) for rule in rules)
    for form, rules in {"digits": tuple(RULES)[:-1], "sign": (), "han": ("date", "ordinal", "one"), "english": ("one",)}.items()
}


def exemption_of(token: Token, near: Near) -> Exemption | None:
    """Return the rule that lets a number stand, or None. None lets it stand before a unit of measure."""
    form = token.form
    if form == "digits" and (reference := references(token, near)):
        return reference
    for rule, judge in _FORMS[form]:
        span = judge(token, near)
        # The article looks at what follows by itself: 这一天 says which day.
        if span and (rule == "one" or not near.measure.match(near.text, span[1])):
            return made(Exemption, (*span, rule, "", misled(token, span, near) if rule == "issue" and near.links else ""))
    return None
