"""`one` and `一`: which one, or how many."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ledgermark.alternation import one_of
from ledgermark.near import Near, Span, text_before
from ledgermark.spelling import ALIASES

if TYPE_CHECKING:
    from ledgermark.numberwords import Token

_NUMERAL: Final = "0-9一二两三四五六七八九十百千万半"
# Before it: how many.
_SAID: Final = (
    *("at most", "at least", "only", "exactly", "precisely", "merely", "just", "than", "up to", "about", "around", "roughly", "nearly"),
    *("almost", "approximately", "under", "over", "below", "above", "within", "by", "equal", "equals", "equal to", "to", "times", "plus"),
    *("minus", "least", "most", "some"),
)
_SAID_IN_HAN: Final = (
    *("只有", "只", "仅", "才", "不超过", "超过", "不到", "不足", "不止", "至多", "最多", "至少", "最少", "约", "大约", "近", "将近", "接近"),
    *("达", "共", "计", "合计", "总共", "恰好", "正好", "刚好", "等于"),
    *("减到", "降到", "升到", "增到", "减至", "降至", "升至", "增至", "差"),
)
_SIGNS: Final = "=<>≤≥≈~±+×/*^"
_HOW_MANY: Final = re.compile(
    rf"(?:\b(?:{one_of(_SAID)}|(?:[0-9]|two|three|four|five|six|seven|eight|nine|ten),? (?:and|or|to))|[{_SIGNS}])[ \n]?$"
    rf"|(?:{one_of(_SAID_IN_HAN)}|(?<!最)[快慢多少高低大小长短]|[快慢多少高低大小长短]了|[{_SIGNS}—～]|[{_NUMERAL}][、和或与至到])[ ]?$"
)
# How all of that ends: after anything else, nothing has to be looked for.
_SAID_END: Final = frozenset(word[-1] for word in (*_SAID, "and", "or", *_SAID_IN_HAN, *_SIGNS, *"—～快慢多少高低大小长短了、和或与至到"))
# After it: the beginning of a series, a ratio, a fraction, or a unit that is no unit elsewhere.
_SERIES: Final = re.compile(
    r"(?:,? (?:or|and|to|in|against|versus|out of|of)|,|[ ]?[–/:~-])[ \n]?"
    r"(?:[0-9]|(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|a hundred|hundred)\b)"
    rf"|(?:、|或|到|至|和|与|[～–/:比对])[ ]?[{_NUMERAL}]|分之"
    r"|[ \n]orders? of|[ \n-](?:third|half|quarter|fifth|tenth|hundredth|fold)|[ \n](?:[a-z]+[0-9]+ )?ULP"
    r"|[ ]?个?(?:数量级|量级|[^。，；\n]{0,8}ULP)|个?百分点|个?半|成(?![为了本功立员果分像交就])"
)
# `of one would`: it stands for a number, not for a thing.
_ALONE: Final = re.compile(r"[ ]?(?:[.,;:!?)\n。，；：！？）|]|(?:would|is|was|and|alike|will|can|could|does|did|has|had)\b)")
_LONE_BEFORE: Final = re.compile(
    r"\b(?:of|with|from|gives?|gave|takes?|took|costs?|starts?|launch(?:es)?|has|had|have|is|was|are|were|be|makes?) $"
)
_COUNTED: Final = frozenset({"run", "call", "step", "session"})  # `one run`: which, more than how many
_FILLER: Final = re.compile(r"[ \n](?:full|whole|single|entire|more|extra|additional|further)(?=[ \n])")
_FILLER_BEGINS: Final = frozenset("fwsema")
_DETERMINERS: Final = frozenset("这那哪每另某任上下前后末同原")
_SIZES: Final = frozenset("小大整长短新")
_CLASSIFIERS: Final = frozenset("个张块台种条份层段篇页行组次遍场项句件头步列类批套家位处款枚列道回环格方名只起幅节对")
_AS_SOON_AS: Final = re.compile(r"[\u4e00-\u9fff][^，。；！？\n|]{0,20}(?:，[^，。；！？\n|]{0,24})?就")  # 一开……就, 一深……就
_SOON: Final = 47  # characters in which it is found
_REACH: Final = 16  # characters before it that are looked at


def articles(token: Token, near: Near) -> Span | None:
    """`one` and `一` where they say which, not how many: one configuration, the one that, 一张图.

    Not after a word of quantity (at most one, 只有一个), before a unit (one percent, 一天), in a series or a ratio (one or two, one in four).
    """
    if token.text not in ("one", "One", "一"):
        return None
    text, start, end = near.text, token.start, token.end
    before = text[max(0, start - _REACH) : start]
    if token.text == "一" and before[-1:] in _DETERMINERS:
        return start, end  # 这一天, 另一个量级
    filler = _FILLER.match(text, end) if text[end + 1 : end + 2] in _FILLER_BEGINS else None
    amount = filler and (near.unit.match(text, filler.end()) or _SERIES.match(text, filler.end()))  # one full order of magnitude, one more row
    if amount or (before.rstrip()[-1:] in _SAID_END and _HOW_MANY.search(before)) or _SERIES.match(text, end):
        return None
    which = _says_which(text, start, end, near) if token.text == "一" else _names_one(text, end, before, near)
    return (start, end) if which else None


def _names_one(text: str, end: int, before: str, near: Near) -> bool:
    counted = near.unit.match(text, end)
    if counted and ALIASES.get(counted.group().strip(" \n-\u00a0"), "") not in _COUNTED:
        return False
    return not (_ALONE.match(text, end) and _LONE_BEFORE.search(before))


def _says_which(text: str, start: int, end: int, near: Near) -> bool:
    before, after = text_before(text, start), text[end : end + 1]
    if before and (before == after or text.startswith("没有", max(start - 2, 0))):
        return True  # 数一数, 没有一档
    if near.measure.match(text, end):
        return False
    if "就" in text[end : end + _SOON] and _AS_SOON_AS.match(text, end) and not near.unit.match(text, end):
        return True
    end += after in _SIZES and after != ""
    return text[end : end + 1] in _CLASSIFIERS and not near.measure.match(text, end + 1) and not text.startswith("半", end + 1)
