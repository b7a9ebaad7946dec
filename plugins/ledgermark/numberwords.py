"""Where numbers stand in running text, in digits and words of both scripts.

Each is found by its look alone. Whether it may stand there is decided elsewhere, so a doubt here is a number.
"""

from __future__ import annotations

import re
import unicodedata
from operator import attrgetter
from typing import Final, NamedTuple

from ledgermark.alternation import one_of, whole_words
from ledgermark.markup import CODE
from ledgermark.tuples import made

_HAN: Final = "零〇一二两三四五六七八九十百千万亿半壹贰叁肆伍陆柒捌玖拾佰仟萬億兩參廿卅俩仨亖卄卌叄壱弌弍弎弐貮貳陸"
_KEYCAPS: Final = "\U0001f51f\U0001f4af"  # ten and a hundred, which Unicode files under symbols
_ONES: Final = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SMALL: Final = (
    *("zero", "one", *_ONES, "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
    *("twenty", "thirty", "forty", "fourty", "fifty", "sixty", "seventy", "eighty", "ninety"),
)
_LARGE: Final = tuple(f"{word}{end}" for word in ("hundred", "thousand", "million", "billion", "trillion") for end in ("", "s"))
_PART: Final = (
    *("third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
    *("twentieth", "hundredth", "thousandth", "millionth"),
)
_PARTS: Final = tuple(f"{word}s" for word in _PART)
_HALVES: Final = ("half", "halves", "quarter", "quarters")
_OTHER: Final = (
    *("halve", "halved", "halving", "twice", "thrice", "double", "doubled", "doubles", "doubling", "triple", "tripled", "triples", "tripling"),
    *("quadruple", "quadrupled", "quadruples", "quadrupling", "quintuple", "quintupled", "quintuples", "sextuple", "sextupled", "sextuples"),
    *("dozen", "dozens", "duo", "trio", "quartet", "quintet", *(f"{word}fold" for word in (*_SMALL, "hundred", "thousand"))),
    *(f"{word}th" for word in ("eleven", "twelf", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen")),
)


# Each pattern begins with a set of characters, so that the search leaps over all others. What may stand before is looked at afterwards.
_RAISED: Final = "[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+"
_DIGITS: Final = re.compile(
    rf"""[0-9](?:[0-9]{{0,2}}+(?:[ ,'’\u00a0\u2009\u202f][0-9]{{3}}(?![0-9]))+|[0-9]*+)(?:\.[0-9]+)*+
        (?:(?=[ ]?[×x十百千万亿半]|[eE^⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹])  # what one of these begins with; hardly any number goes on
            (?:[eE][+-]?[0-9]+(?![0-9A-Za-z]))?
            (?:[ ]?[×x][ ]?10(?:\^[+-]?[0-9]+|{_RAISED}))?
            (?:\^[+-]?[0-9]+|{_RAISED})?
            (?:[ ]?[十百千万亿半]+)?
        )?+""",
    re.VERBOSE,
)
_CHINESE: Final = re.compile(
    rf"""[{_HAN}翻加双成倍对减腰]
        (?:(?<=[{_HAN}])[{_HAN}]*(?:分之(?:[0-9]|[{_HAN}])[0-9.{_HAN}]*)?(?:点[零〇一二三四五六七八九]+)?(?:[个天年秒分]?半(?![导径途]))?
        |(?<=翻)[倍番]|(?<=加)倍|(?<=双)倍|(?<=成)倍|(?<=倍)增|(?<=对)折|(?<=减)半|(?<=腰)斩)""",
    re.VERBOSE,
)
# Nearly all characters of a Chinese text: none is a number to Unicode, so that only the others are looked up one by one.
_USUAL: Final = "\x00-\x7f\u4e00-\u9fff，。、；：！？（）《》「」“”‘’—–…·×±≈≤≥→\ufffc"
_UNUSUAL: Final = re.compile(f"[^{_USUAL}]")
# Between two words: a hyphen, or blanks of any kind with one end of a line among them, in a quotation too.
_GAP: Final = r"(?:[^\S\n]+(?:\n(?:[^\S\n]|>)*)?|\n(?:[^\S\n]|>)*|[-‐‑])"
# `the third` orders and `the couple` is two people; `a third` and `a couple` are amounts. `a second` is neither, so it is not in the list.
_AFTER_A: Final = (*_PART, "couple")
_A: Final = re.compile(rf"(?<![a-z0-9_])an?{_GAP}$")
_REACH: Final = 12  # characters before a word in which its article stands
# What follows an amount: nothing, a mark, or a small word. `a third card` and `a third-party tool` are in an order.
_SHARE: Final = re.compile(
    rf"{_GAP}(?:of|the|that|this|its|their|as|more|less|fewer|faster|slower|higher|lower|longer|shorter|larger|smaller|or|and|to|in|on|at|for|by|with"
    r"|is|was|are|were|when|while|than|between|from|over|under)\b"
    r"|[^\S\n]*(?![-‐‑])[^\w\s]|\s*$|[^\S\n]*\n\s*(?:[^\w\s]|\n)"
)
_ENGLISH: Final = re.compile(
    whole_words((*_SMALL, *_LARGE, *_PARTS, *_HALVES, *_OTHER, *_AFTER_A), {"or": f"ders?{_GAP}of{_GAP}magnitude"})
    + rf"(?:(?:{_GAP}|{_GAP}and{_GAP}(?:a{_GAP})?){one_of((*_SMALL, *_LARGE, *_PART, *_PARTS, *_HALVES))}\b"
    rf"|[ ]point(?:[ ]{one_of(_SMALL)}\b)+)*"
)
# Words in which a Chinese numeral counts nothing. A test holds each against jieba's dictionary, so that no `三倍` slips in.
_WORDS: Final = (
    "一样 一般 一直 一定 一起 一切 一旦 一律 一些 一点 一下 一向 一味 一并 一同 一再 一概 一经 一方面 一致",
    "一面 一边 一方 一系列 一部分 一路 一时 一贯 一体 一连 一齐 一口气 一会儿 一会 一目了然 一概而论",
    "一模一样 一视同仁 一成不变 一来 一开始 一应 一手 一共 统一 唯一 万一 同一 单一 逐一 之一 任一 进一步",
    "不一 不一致 缺一不可 专一 如一 合一 划一 一一 孤零零 两者 两边 两端 二者 三者 三番两次 再三 三思 四周",
    "四舍五入 四处 四面八方 四分位 五花八门 乱七八糟 七零八落 千方百计 千差万别 千变万化 百科 百般 百姓 万万 万能",
    "万物 万分 万象 十分 十足 百分数 百分比 百分点 百分率 零头 零散 零件 零星 零售 零碎 多半 大半 半导体 半径",
    "半途 半途而废 半成品 半夜 半透明 二进制 十进制 八进制 十六进制 二维 三维 二元 二叉树 二分法 三角 三角形",
    "四边形 二手 第三方 百度 万维网",
)
LEXICAL: Final = frozenset(" ".join(_WORDS).split())
_LEXICAL: Final = re.compile(one_of(LEXICAL))


class Token(NamedTuple):
    """A number in a text: where it stands, and how it is written (`digits`, `sign`, `han`, `english`)."""

    start: int
    end: int
    text: str
    form: str


def find_tokens(text: str) -> list[Token]:
    """Return the numbers of a visible text in order."""
    found = [made(Token, (*match.span(), match.group(), "digits")) for match in _DIGITS.finditer(text)]
    words = _english(text)
    if text.isascii() or text.replace(CODE, "").isascii():  # code is often the only thing in a text that is not ASCII
        if words:
            found += words
            found.sort(key=_start)
        return found
    words += _signs(text)
    words += _chinese(text)
    if not words:
        return found
    found += words
    found.sort(key=_start)
    apart: list[Token] = []
    end = 0
    for token in found:
        if token.start >= end:
            apart.append(token)
            end = token.end
    return apart


_start: Final = attrgetter("start")


def _signs(text: str) -> list[Token]:
    """Return what Unicode calls a number and is no digit here: fractions, circled and Roman numerals, the digits of other scripts."""
    unusual = _UNUSUAL.findall(text)
    signs = "".join(char for char in sorted(set(unusual)) if unicodedata.category(char)[0] == "N" or char in _KEYCAPS) if unusual else ""
    if not signs.strip(_HAN):
        return []
    return [Token(*match.span(), match.group(), "sign") for match in re.finditer(f"[{re.escape(signs)}]+", text)]


def _english(text: str) -> list[Token]:
    lower = text.lower()
    if len(lower) != len(text):  # a letter whose small form is longer; ASCII's never is
        lower = "".join(char.lower() if char.isascii() else char for char in text)
    found: list[Token] = []
    for match in _ENGLISH.finditer(lower):
        start, end = match.span()
        word = match.group()
        if (word in _AFTER_A or word.startswith("order")) and not (
            word.startswith("orders") or _A.search(lower[max(0, start - _REACH) : start])
        ):
            continue
        if word in _PART and not _SHARE.match(lower, end):
            continue
        found.append(Token(start, end, text[start:end], "english"))
    return found


def _chinese(text: str) -> list[Token]:
    numerals = list(_CHINESE.finditer(text))
    words = [match.span() for match in _LEXICAL.finditer(text)] if numerals else []
    at = 0
    found: list[Token] = []
    for match in numerals:
        start, end = match.span()
        while at < len(words) and words[at][1] <= start:
            at += 1
        if at < len(words) and words[at][0] < end and _is_lexical(text, start, end, words[at]):
            continue
        found.append(Token(start, end, match.group(), "han"))
    return found


def _is_lexical(text: str, start: int, end: int, word: tuple[int, int]) -> bool:
    """Return whether the word holds the whole numeral and is not cut out of a longer number (`十分之三`, `二十分`)."""
    before, after = text[word[0] - 1 : word[0]] if word[0] else "", text[word[1] : word[1] + 1]
    counted = before != "" and (before in _HAN or before.isdigit())
    fraction = after == "之" and (text[word[1] + 1 : word[1] + 2] or " ") in _HAN + "0123456789"
    return word[0] <= start and end <= word[1] and not counted and not fraction
