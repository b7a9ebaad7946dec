"""Whether what is said to rise, or to be lost, does so in the data.

Two places are looked at. Two numbers of which the second is where something went: `falls from [9] to [7]`, `从 [9] 降到 [7]`. And a change by
itself: `loses [12 %]`, `[12 %] slower`, `掉了 [12 %]`, where the metric's own sentence says that a positive value is a rise, or a fall.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ledgermark.directionlexicons import BETTER, DOWN, UP, WORSE
from ledgermark.directionwords import said_at
from ledgermark.findings import Finding
from ledgermark.messages import Message
from ledgermark.typeset import show
from ledgermark.units import UnitError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from ledgermark.claims import Claim
    from ledgermark.directionwords import Said
    from ledgermark.metrics import Metric
    from ledgermark.pages import Page
    from ledgermark.passages import Reading
    from ledgermark.quantity import Quantity

# How a metric's sentence begins where a positive value is a rise, and where it is a fall; faster and slower say so of rates alone.
_WHOSE: Final = "(?:(?:relative|percentage|mean|median|total|net|overall) )?"
_RISE: Final = rf"{_WHOSE}(?:changes?|gain|growth|increase|rise) (?:of|in|to|from|by|when|between|over|across|at|with)\b"
_FALL: Final = rf"{_WHOSE}(?:loss|drop|decrease|reduction|saving|decline|fall|cut) (?:of|in|from)\b"
_GROWS: Final = re.compile(
    rf"{_RISE}|how (?:much|many) (?:more|longer|larger|higher|(?P<speed>faster))\b|[^，。]{{0,30}}?(?:变化|增益|增长|涨幅)(?=[，。]|$)",
    re.IGNORECASE,
)
_SHRINKS: Final = re.compile(
    rf"{_FALL}|how (?:much|many) (?:less|fewer|shorter|smaller|lower|(?P<speed>slower))\b"
    "|[^，。]{0,30}?(?:降幅|跌幅)(?=[，。]|$)",
    re.IGNORECASE,
)
_KINDS: Final = re.compile(
    r"\b(?:(?P<rate>rates?|throughput|speed|bandwidth|faster|slower)|(?P<time>time|latency|latencies|duration|longer|shorter))\b"
    "|(?P<of_rate>速率|吞吐|速度|带宽)|(?P<of_time>时间|用时|延迟|时长)",
    re.IGNORECASE,
)
# Of these a low rate is the better one.
_FAULTS: Final = re.compile(r"\b(?:errors?|miss(?:es)?|loss(?:es)?|failures?|rejections?)\b|丢包|错误|失败|损失", re.IGNORECASE)
_TIME: Final = (("time", 1),)


def check_directions(
    page: Page, reading: Reading, language: str, metrics: Mapping[str, Metric], values: Mapping[str, tuple[Quantity, ...]]
) -> list[Finding]:
    """Return the claims whose words say another direction than their data.

    Args:
        page: the page.
        reading: its text.
        language: the language it is written in.
        metrics: by name.
        values: what the data gives, by claim key.
    """
    findings: list[Finding] = []
    for claim, said in directed(page, reading, language, metrics):
        message = _apart(said, claim, values) if said.first else _against(said, claim, metrics[claim.name], values.get(claim.key, ()))
        if message:
            findings.append(Finding(page.source.path, *page.source.place(claim.start), "LM125", message, claim.text))
    return findings


def directed(page: Page, reading: Reading, language: str, metrics: Mapping[str, Metric]) -> Iterator[tuple[Claim, Said]]:
    """Yield the claims of a page at which a word of direction stands that the data has a say in, each with the word."""
    claims = page.claims.claims
    for before, claim in zip((None, *claims), claims, strict=False):
        metric = metrics.get(claim.name)
        said = said_at(claim, before, reading, language, change=metric is not None and _meaning(metric)[0] != 0)
        if said and (said.first or _way(said, metric)):
            yield claim, said


def _apart(said: Said, claim: Claim, values: Mapping[str, tuple[Quantity, ...]]) -> str:
    """Return what is wrong where a word says how one number goes on from another; an empty text where nothing is."""
    if said.first is None:
        return ""
    pair = [_one(item, values.get(item.key, ())) for item in (said.first, claim)]
    start, end = pair
    if start is None or end is None:
        return ""
    try:
        way = UP if end > start else DOWN if end < start else said.direction
    except UnitError:
        return ""
    if way == said.direction:
        return ""
    return Message(
        "'{word}' leads from '{first}' to '{text}', and by the data that is a {way}: from {start} to {end}; mend the word or the links",
        word=said.word,
        first=said.first.text,
        text=claim.text,
        way=_WAYS[way],
        start=show(start.value, start.unit),
        end=show(end.value, end.unit),
    )


# Of a rate more is better, of a time less.
_BETTER: Final = {("rate", BETTER): UP, ("rate", WORSE): DOWN, ("time", BETTER): DOWN, ("time", WORSE): UP}
_WAYS: Final = {UP: Message("rise"), DOWN: Message("fall")}


def _one(claim: Claim, values: tuple[Quantity, ...]) -> Quantity | None:
    """Return the value that a claim shows, if it is one."""
    if len(values) != 1:
        return None
    return abs(values[0]) if claim.show == "magnitude" else values[0]


def _against(said: Said, claim: Claim, metric: Metric, values: Sequence[Quantity]) -> str:
    """Return what is wrong where a word says which way a change went; an empty text where nothing is."""
    way = _way(said, metric)
    sign = _meaning(metric)[0]
    against = [value for value in values if value.value and (UP if value.value * sign > 0 else DOWN) != way]
    if not against:
        return ""
    return Message(
        "'{word}' stands at '{text}', and by the data that is a {way}: {value} by {key}; mend the word or the link",
        word=said.word,
        text=claim.text,
        way=_WAYS[UP if way == DOWN else DOWN],
        value=show(against[0].value, against[0].unit),
        key=claim.key,
    )


def _way(said: Said, metric: Metric | None) -> str:
    """Return which way a word says that a change went, or an empty text where nobody can tell what that is of a metric."""
    if metric is None:
        return ""
    sign, kind, speed = _meaning(metric)
    plainly = said.direction if said.direction in _WAYS and not speed else ""
    return _BETTER.get((kind, said.direction), plainly) if sign else ""


def _meaning(metric: Metric) -> tuple[int, str, bool]:
    return _read(metric.sentence, timed=metric.unit.dimensions == _TIME)


@lru_cache(maxsize=512)
def _read(sentence: str, *, timed: bool) -> tuple[int, str, bool]:
    """Return what a metric's sentence says of its values.

    Whether a positive one is a rise (1), a fall (-1) or neither (0); whether it is of a rate or a time, if any; whether only of how fast it is.
    """
    grows, shrinks = _GROWS.match(sentence), _SHRINKS.match(sentence)
    speed = any(found and found["speed"] for found in (grows, shrinks))
    head = grows or shrinks
    found = None if _FAULTS.search(sentence, head.end() if head else 0) else _KINDS.search(sentence)
    kind = "" if found is None else "rate" if found["rate"] or found["of_rate"] else "time"
    return 1 if grows else -1 if shrinks else 0, "time" if timed else "rate" if speed else kind, speed
