"""Numbers in words, read and written by the libraries that know them: cn2an for Chinese, number-parser and num2words for English."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final

CHINESE_NUMERAL: Final = re.compile(r"[零〇一二两三四五六七八九十百千万亿]+(?:点[零〇一二三四五六七八九]+)?")
_WORDS: Final = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|"
    "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundred|thousand|million"
)
ENGLISH_NUMERAL: Final = re.compile(rf"(?:{_WORDS})(?:(?:[ -]|\ and\ )(?:{_WORDS}))*(?![A-Za-z])", re.IGNORECASE)
_DIGITS: Final = "零一二三四五六七八九"
_ONES: Final = {"": "零", "〇": "零", "两": "二"}
# Below a hundred, as nearly all numerals on a page are: the library takes a fifth of a second to begin. A test compares the two.
_SMALL: Final = re.compile("(?:(?P<tens>[二三四五六七八九]?)(?P<ten>十))?(?P<ones>(?(ten)[一二三四五六七八九]?|[零〇一二两三四五六七八九]))")


@lru_cache(maxsize=1024)
def read_chinese(text: str) -> Decimal | None:
    """Return the number a Chinese numeral names, or None when it names none."""
    if small := _SMALL.fullmatch(text):
        tens = _DIGITS.index(small["tens"] or "一") if small["ten"] else 0
        return Decimal(10 * tens + _DIGITS.index(_ONES.get(small["ones"], small["ones"])))
    import cn2an  # noqa: PLC0415  (only pages with words pay)

    try:
        return Decimal(str(cn2an.cn2an(text.replace("〇", "零"), "smart")))
    except ValueError:
        return None


@lru_cache(maxsize=1024)
def read_english(text: str) -> Decimal | None:
    """Return the whole number that English words name, or None when they name none."""
    from number_parser import parse_number  # noqa: PLC0415

    number = parse_number(text.lower(), language="en")
    return None if number is None else Decimal(number)


def write_chinese(number: Decimal) -> str:
    """Return a number as a Chinese numeral."""
    import cn2an  # noqa: PLC0415

    words = str(cn2an.an2cn(format(number, "f"), "low"))
    return "两" if words == "二" else words  # before a measure word, where a claim's number stands


def write_english(number: Decimal) -> str:
    """Return a whole number in English words."""
    from num2words import num2words  # noqa: PLC0415

    return str(num2words(int(number), lang="en")).replace(",", "")
