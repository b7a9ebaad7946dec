"""The closed list of numbers that may stand unbound: shapes that are no measurement, each with the ways it must not be used.

Every rule is a function whose first line says what it lets pass; `docs/numbers.md` has a section for each. What a rule yields is still refused when
a unit follows it: a version of 3.70 times and a date of 28 per cent are measurements.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ledgermark.spelling import ALIASES
from ledgermark.units import COUNTED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ledgermark.numberwords import Token
    from ledgermark.visible import Link

Span = tuple[int, int]
_MONTHS: Final = (
    "(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)"
)
_TIME: Final = r"[0-9]{2}:[0-9]{2}(?::[0-9]{2})?(?:\ ?(?:Z|UTC|GMT))?"
_DATES: Final = (
    re.compile(rf"(?P<iso>[0-9]{{4}}-[0-9]{{2}}(?:-[0-9]{{2}})?)(?:[T ]{_TIME})?(?![0-9-])"),
    re.compile(r"(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::[0-9]{2})?\ ?(?:Z|UTC|GMT)\b"),
    re.compile(rf"(?P<day>[0-9]{{1,2}})\ {_MONTHS}\b(?:,?\ [12][0-9]{{3}}\b)?"),
    re.compile(r"20[0-9]{2}\ ?年(?:\ ?(?P<month>[0-9]{1,2})\ ?月(?:\ ?(?P<day>[0-9]{1,2})\ ?日)?)?"),
    re.compile(r"(?P<month>[0-9]{1,2})\ ?月\ ?(?P<day>[0-9]{1,2})\ ?日"),
    re.compile("(?:十[一二]?|[一二三四五六七八九])月(?!之)"),
)
_AFTER_MONTH: Final = re.compile(rf"\b{_MONTHS}\ (?:(?P<day>[0-9]{{1,2}})(?:,\ [12][0-9]{{3}})?|20[0-9]{{2}})(?![.:,]?[0-9])\b")
_REFERENCE: Final = re.compile(r"(?:\b(?P<word>Fig(?:ure|\.)|Figures|Section|Figures [0-9]+ (?:and|to))|(?P<han>[图第§]))[ \u00a0\n]?$")
_VERSION: Final = re.compile(
    r"[0-9]{1,4}\.[0-9]{1,3}\.[0-9]{1,5}(?:\.[0-9]{1,5})?(?:(?:rc|a|b|\.post|\.dev|\+)[0-9A-Za-z]+)?(?![0-9])(?!\.[0-9])(?![A-Za-z])"
)
_GROUPED: Final = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3})+")
_ISSUE: Final = re.compile(
    r"(?:(?<![\w/])(?:[A-Za-z][\w-]*/)?[A-Za-z][\w.-]*#|\b(?:[Ii]ssue|PR|MR|[Pp]ull request|[Mm]erge request)[ \u00a0]#?)$"
)
_HASH: Final = re.compile(r"(?=[0-9a-f]*[a-f])(?![0-9]+e[0-9]+$)[0-9a-f]{7,40}")
_DIMENSION: Final = re.compile(r"[1-4]D")
# English that, run together with a number, still says how much: `about70`, `by-70`, `USD70`, `x3`.
_SAYING: Final = frozenset(
    [
        "a",
        "about",
        "above",
        "after",
        "all",
        "almost",
        "an",
        "and",
        "another",
        "approx",
        "approximately",
        "around",
        "as",
        "at",
        "below",
        "between",
        "but",
        "by",
        "ca",
        "circa",
        "cost",
        "costs",
        "cut",
        "down",
        "eq",
        "equal",
        "equals",
        "eur",
        "exactly",
        "fell",
        "for",
        "from",
        "gain",
        "gains",
        "gained",
        "gave",
        "gbp",
        "gives",
        "gt",
        "had",
        "half",
        "has",
        "in",
        "is",
        "it",
        "just",
        "least",
        "less",
        "loses",
        "lost",
        "lt",
        "many",
        "max",
        "mean",
        "median",
        "min",
        "minus",
        "more",
        "most",
        "nearly",
        "no",
        "not",
        "of",
        "off",
        "on",
        "only",
        "or",
        "over",
        "per",
        "plus",
        "ran",
        "rate",
        "rates",
        "roughly",
        "rose",
        "run",
        "runs",
        "saved",
        "saves",
        "slower",
        "speed",
        "than",
        "the",
        "then",
        "times",
        "to",
        "took",
        "total",
        "under",
        "until",
        "up",
        "usd",
        "value",
        "was",
        "were",
        "with",
        "x",
        "faster",
        "fewer",
        "higher",
        "lower",
        "speedup",
        "reaches",
        "reached",
        "drops",
        "dropped",
        "dropping",
    ]
)
_SEGMENT: Final = re.compile(
    r"(?:^|[-_/])[0-9]+(?:x|ms|us|ns|s|min|h|pct|percent|pp|tok|toks|tokens?|times|fold|GB|MB|GiB|MiB|W|kW|faster|slower|more|less)(?=$|[-_/])"
)
_SUFFIX: Final = re.compile(r"(?:st|nd|rd|th)\b(?!-?[ ]?(?:percentile|quantile|of))")
_TENTH: Final = 10
_ITEM: Final = re.compile(r"[ >]*([0-9]{1,3})[.)][ ]")
_ADDRESS: Final = re.compile(r"(?:https?://|www\.)[^\s<>()\ufffc]*$")
_HOW_MANY: Final = re.compile(
    r"(?:\b(?:at most|at least|only|exactly|precisely|merely|just|than|up to|about|around|roughly|nearly|almost|approximately|under|over|below|"
    r"above|within|by|equals?|equal to|to|times|plus|minus|and|or|least|most|some)|[=<>≤≥≈~±+×/*^-])[ \n]?$"
    r"|(?:只有|只|仅|才|不超过|超过|不到|不足|不止|至多|最多|至少|最少|约|大约|近|将近|接近|达|共|计|合计|总共|恰好|正好|刚好|等于|减到|降到|升到|增到|减至|降至|升至"
    r"|差|(?<!最)[快慢多少高低大小长短]|[快慢多少高低大小长短]了|[=<>≤≥≈~±+×/*^、\-～—至到和或与])[ ]?$"
)
_SERIES: Final = re.compile(
    r"(?:,? (?:or|and|to|in|against|versus|out of|of)|,|[ ]?[–/:~-])[ \n]?(?:[0-9]|(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|a hundred|hundred)\b)"
    r"|(?:、|或|到|至|和|与|[～–/:比对])[ ]?[0-9一二两三四五六七八九十百千万半]|分之"
    r"|[ \n](?:order|orders) of|[ \n-](?:third|half|quarter|fifth|tenth|hundredth|fold)|[ \n](?:[a-z]+[0-9]+ )?ULP|[ ]?个?(?:数量级|[^。，；\n]{0,8}ULP)|个?百分点|[个]?半|成(?![为了本功立员果分像交就])"
)
_ALONE: Final = re.compile(r"[ ]?(?:[.,;:!?)\n。，；：！？）|]|(?:would|is|was|and|alike|will|can|could|does|did|has|had)\b)")
_LONE_BEFORE: Final = re.compile(
    r"\b(?:of|with|from|gives?|gave|takes?|took|costs?|starts?|launch(?:es)?|has|had|have|is|was|are|were|be|makes?) $"
)
_COUNTED_ONE: Final = frozenset({"run", "call", "step", "session"})  # `one run`, `一次`: which, more than how many
_DETERMINERS: Final = frozenset("这那哪每另某任上下前后末同原")
_JOINED: Final = frozenset("0123456789.,:-+/_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_WORD: Final = frozenset("0123456789_/-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_SIZES: Final = frozenset("小大整长短新")
_AS_SOON_AS: Final = re.compile(r"[\u4e00-\u9fff][^，。；！？\n|]{0,20}(?:，[^，。；！？\n|]{0,24})?就")  # 一开……就, 一深……就
_TEN: Final = frozenset("一二三四五六七八九十")
_HAN_CLASSIFIERS: Final = "个张块台种条份层段篇页行组次遍场项句件头步列类批套家位处款枚列道番回环格方名只起幅"
_AMOUNT_BEFORE: Final = re.compile(
    r"(?:[+±~≈<>≤≥=×$€£¥^-]|[快慢多少高低]了?|\b(?:by|about|roughly|nearly|almost|exactly|than|least|most))[ ]?$"
)
_COMPARED: Final = re.compile(r"[ \n](?:faster|slower|higher|lower|more|less|fewer|larger|smaller|longer|shorter|greater|better|worse)\b")


@dataclass(frozen=True)
class Near:
    """What a rule may look at besides the number itself.

    Attributes:
        text: the visible text.
        links: the links of the text.
        figures: the figures of the page, in order.
        sections: the ids of its chapters (headings of the second level), in order.
        elsewhere: the figures of other pages, by the page's path.
        measure: finds a unit of measure right after a number.
        unit: finds any unit, counting nouns too.
    """

    text: str
    measure: re.Pattern[str]
    unit: re.Pattern[str]
    links: tuple[Link, ...] = ()
    figures: tuple[str, ...] = ()
    sections: tuple[str, ...] = ()
    elsewhere: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Exemption:
    """A stretch of text whose numbers may stand unbound.

    Attributes:
        rule: a key of `RULES`, or `term` or `reference`.
        term: the term, for the rule of that name.
        problem: what is wrong with it all the same (a reference to the wrong figure), or an empty text.
    """

    start: int
    end: int
    rule: str
    term: str = ""
    problem: str = ""


def dates(token: Token, near: Near) -> Span | None:
    """A date or a time of day that a calendar has: 2026-08-29, 29 August 2026, August 2026, 2026年8月29日, 六月, 09:30 UTC."""
    text = near.text
    if text[token.start - 1 : token.start] in _JOINED and token.start:
        return None
    for pattern in _DATES:
        if (match := pattern.match(text, token.start)) and _in_calendar(match):
            return match.span()
    if text_before(text, token.start) != " ":
        return None
    found = _AFTER_MONTH.search(text, max(0, token.start - len("September ")), token.end + len(", 2026"))
    return found.span() if found and found.start() < token.start < found.end() and _in_calendar(found) else None


def _in_calendar(match: re.Match[str]) -> bool:
    parts = match.groupdict()
    if iso := parts.get("iso"):
        try:
            date.fromisoformat(iso if len(iso) > len("2026-08") else f"{iso}-01")
        except ValueError:
            return False
    limits = {"month": (1, 12), "day": (1, 31), "hour": (0, 23), "minute": (0, 59)}
    return all(low <= int(parts[name]) <= high for name, (low, high) in limits.items() if parts.get(name))


def versions(token: Token, near: Near) -> Span | None:
    """A version of three or four parts: 0.33.0, v2.11.0rc1. One of two parts looks like a decimal, so it has to be a term."""
    match = _VERSION.match(near.text, token.start)
    start = token.start - (near.text[token.start - 1 : token.start] == "v")
    if match and not _GROUPED.fullmatch(match.group()) and not near.text[:start][-1:].isalnum() | (near.text[:start][-1:] in (".", "-")):
        return start, match.end()
    return None


def issues(token: Token, near: Near) -> Span | None:
    """An issue with its project or its kind (vllm#45450, issue 12, PR #7), or a commit's hash with letters in it."""
    before = near.text[max(0, token.start - 60) : token.start]
    if token.text.isdecimal() and before[-1:] in ("#", " ", "\u00a0") and (match := _ISSUE.search(before)):
        return token.start - len(before) + match.start(), token.end
    start, end = _word(near.text, token)
    return (start, end) if _HASH.fullmatch(near.text, start, end) else None


def identifiers(token: Token, near: Near) -> Span | None:
    """A name that begins with a letter and has digits in it (gfx1100, A100, bf16, gemma-4-31B), and 2D or 3D. No decimal point, no amount."""
    start, end = _word(near.text, token)
    name = near.text[start:end]
    if _DIMENSION.fullmatch(name) and text_before(near.text, start) not in _JOINED:
        return start, end
    if not name[:1].isalpha() or text_before(near.text, start) == "." or re.compile(r"[.,][0-9]").match(near.text, end):
        return None
    words = {word.lower() for word in re.findall("[A-Za-z]+", name)}
    saying = (
        {word for word in words & _SAYING if len(word) > 1}
        or (re.split("[-_/0-9]", name)[0].lower() in _SAYING and "-" in name)
        or name[:1] == "x"
    )
    return None if saying or _SEGMENT.search(name) else (start, end)


def ordinals(token: Token, near: Near) -> Span | None:
    """An ordinal up to the tenth: 1st, 第三, 第 2. Later ones place a measurement (the 35th token)."""
    before, after = near.text[max(0, token.start - 2) : token.start], _SUFFIX.match(near.text, token.end)
    if token.text.isdecimal() and int(token.text) <= _TENTH and after and before[-1:] not in _JOINED | {"."}:
        return token.start, after.end()
    small = token.text in _TEN or (token.text.isdecimal() and int(token.text) <= _TENTH)
    quantile = re.compile("[ ]?个?(?:百分位|分位)").match(near.text, token.end)
    return (token.start - 1, token.end) if small and before.rstrip(" ").endswith("第") and not quantile else None


def list_marks(token: Token, near: Near) -> Span | None:
    """The number of a list's item, at the start of its line, where it counts on from the item before or opens a list with 1."""
    text = near.text
    line = text.rfind("\n", 0, token.start) + 1
    item = _ITEM.match(text, line)
    if item is None or item.start(1) != token.start or item.end(1) != token.end:
        return None
    above = [row for row in text[:line].split("\n")[:-1][-40:] if row.strip(" >")]
    previous = next((row for row in reversed(above) if not row.startswith("   ")), "")
    number, last = int(item[1]), _ITEM.match(previous)
    follows = last is not None and number == int(last[1]) + 1
    opens = number == 1 and (
        last is not None or line == 0 or not text[:line].rstrip(" >")[:-1].rstrip(" >") or text[:line].rstrip(" >").endswith("\n\n")
    )
    return item.span(1) if follows or opens else None


def addresses(token: Token, near: Near) -> Span | None:
    """A web address."""
    before = near.text[max(0, token.start - 300) : token.start]
    if ("http" not in before and "www." not in before) or not (match := _ADDRESS.search(before)):
        return None
    rest = re.compile(r"[^\s<>()\ufffc]*").match(near.text, token.end)
    return token.start - len(before) + match.start(), rest.end() if rest else token.end


def articles(token: Token, near: Near) -> Span | None:
    """`one` and `一` that say which, not how many: one configuration, the one that, 一张图. Not after a word of quantity, before a unit, in a series."""
    text, start, end = near.text, token.start, token.end
    if token.text not in ("one", "One", "一"):
        return None
    before = text[max(0, start - 16) : start]
    if _HOW_MANY.search(before) or _SERIES.match(text, end):
        return None
    if token.text == "一":
        return (start, end) if _is_article(text, start, end, near) else None
    counted = near.unit.match(text, end)
    if counted and ALIASES.get(counted.group().strip(" \n-\u00a0"), "") not in _COUNTED_ONE:
        return None
    return None if _ALONE.match(text, end) and _LONE_BEFORE.search(before) else (start, end)


def _is_article(text: str, start: int, end: int, near: Near) -> bool:
    if (
        text_before(text, start) in _DETERMINERS
        or text[:start].endswith("没有")
        or (not near.unit.match(text, end) and _AS_SOON_AS.match(text, end))
    ):
        return True
    end += text[end : end + 1] in _SIZES
    after = text[end : end + 1]
    if after not in _HAN_CLASSIFIERS or not after or near.measure.match(text, end + 1) or text.startswith("半", end + 1):
        return False
    counted = near.unit.match(text, end) or near.unit.match(text, end + 1)
    return not (counted and re.search("workgroup|工作组|token|chunk|用例|档|例", counted.group()))


def text_before(text: str, start: int) -> str:
    """Return the character before a place, or an empty text."""
    return text[start - 1 : start] if start else ""


def _word(text: str, token: Token) -> Span:
    start, end = token.start, token.end
    while start and (text[start - 1] in _WORD):
        start -= 1
    while end < len(text) and text[end] in _WORD:
        end += 1
    while text[end - 1] in "-/" and end > token.end:
        end -= 1
    return start, end


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
_FORMS: Final = {"digits": tuple(RULES)[:-1], "sign": (), "han": ("date", "ordinal", "one"), "english": ("one",)}


def exemption_of(token: Token, near: Near) -> Exemption | None:
    """Return the rule that lets a number stand, or None. None lets it stand before a unit of measure."""
    if reference := references(token, near):
        return reference
    for rule in _FORMS[token.form]:
        span = RULES[rule](token, near)
        if span and not near.measure.match(near.text, span[1]):
            return Exemption(*span, rule)
    return None


def references(token: Token, near: Near) -> Exemption | None:
    """A figure or a section by its number, which has to be the right one: Figure 2, 图 2, Section 3, 第 3 节."""
    if token.form != "digits" or not token.text.isdecimal():
        return None
    before = near.text[max(0, token.start - 24) : token.start]
    match = _REFERENCE.search(before)
    if (
        match is None
        or near.unit.match(near.text, token.end)
        or _COMPARED.match(near.text, token.end)
        or (near.text[token.end : token.end + 1].isalnum() and near.text[token.end : token.end + 1].isascii())
    ):
        return None
    chapter = re.compile("[ ]?[节章]").match(near.text, token.end)
    if match["han"] == "第" and not chapter:
        return None
    start = token.start - len(before) + match.start()
    end = chapter.end() if match["han"] == "第" and chapter else token.end
    sections = match["word"] == "Section" or match["han"] in ("第", "§")
    return Exemption(start, end, "reference", problem=_wrong(int(token.text), (start, end), near, sections=sections))


def _wrong(number: int, span: Span, near: Near, *, sections: bool) -> str:
    known, what = (near.sections, "section") if sections else (near.figures, "figure")
    link = next((link for link in near.links if link.start <= span[0] and span[1] <= link.end), None)
    path, _, anchor = link.target.partition("#") if link else ("", "", "")
    if path:
        known = near.elsewhere.get(path, ()) if not sections else ()
    if anchor:
        name = anchor if sections else anchor.removeprefix("fig-")
        if name not in known:
            return f"the link leads to '{anchor}', which is no {what} there"
        right = known.index(name) + 1
        return "" if right == number else f"'{anchor}' is {what} {right}, not {number}"
    return "" if 1 <= number <= len(known) else f"there is no {what} {number} here; the page has {len(known)}"


def compile_terms(terms: Mapping[str, str]) -> re.Pattern[str] | None:
    """Return a pattern that finds a project's terms, the longest first, as whole words."""
    if not terms:
        return None
    return re.compile("|".join(_phrase(phrase) for phrase in sorted(terms, key=len, reverse=True)))


def _phrase(phrase: str) -> str:
    body = "[ \u00a0\u2009\u202f\n]+".join(re.escape(word) for word in phrase.split())
    before = r"(?<![A-Za-z0-9_])(?<![0-9][.,])" if phrase[:1].isascii() else ""
    after = r"(?![A-Za-z0-9_])(?![.,][0-9])" if phrase[-1:].isascii() else ""
    return f"{before}{body}{after}"


def find_terms(near: Near, pattern: re.Pattern[str] | None) -> list[Exemption]:
    """Return a project's own phrases in a text, never with a unit after them or a word of amount beside them."""
    text = near.text
    found: list[Exemption] = []
    for match in pattern.finditer(text) if pattern else ():
        before = text[max(0, match.start() - 12) : match.start()]
        if near.unit.match(text, match.end()) or _AMOUNT_BEFORE.search(before) or _COMPARED.match(text, match.end()):
            continue
        found.append(Exemption(*match.span(), "term", " ".join(match.group().split())))
    return found


@lru_cache(maxsize=8)
def unit_patterns(own: tuple[tuple[str, str], ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return patterns for a unit of measure, and for any unit, right after a number.

    Args:
        own: the project's spellings and their units.
    """
    spellings = {**ALIASES, "‰": "%", "‱": "%", **dict(own)}
    return _after(spelling for spelling, unit in spellings.items() if unit not in COUNTED), _after(spellings)


def _after(spellings: Iterable[str]) -> re.Pattern[str]:
    ordered = sorted(spellings, key=len, reverse=True)
    written = "|".join(re.escape(item) + ("(?![A-Za-z0-9])" if item[-1].isascii() and item[-1].isalpha() else "") for item in ordered)
    return re.compile(rf"[ \u00a0\u2009\u202f\n]{{0,2}}-?(?:{written})")
