"""Numbers as text: in the manner of one already written, for a message, or in a language's typography."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from ledgermark.display import Shown, fold
from ledgermark.numerals import write_chinese, write_english

if TYPE_CHECKING:
    from ledgermark.units import Unit


_EXACT: Final = Context(prec=200)
_REMEMBERED: Final = 1 << 14  # numbers whose digits are kept: a figure says each in its table, beside its mark, and in the other language


def write_like(shown: Shown, text: str, value: Decimal) -> str:
    """Return `value` (in the unit shown) in the manner of `text[shown.start:shown.end]`: its places, grouping, minus, width and script."""
    old = text[shown.start : shown.end]
    if shown.form != "digits":
        rounded = _round(value, shown.place)
        words = write_chinese(abs(rounded)) if shown.form == "chinese" else write_english(abs(rounded))
        words = words.capitalize() if old[:1].isupper() else words
        return _signed(old, words, value if shown.explicit_sign else rounded, explicit=shown.explicit_sign)
    plain = fold(old)
    digits = plain.lstrip("+- ")
    decimals = len(digits.partition(".")[2])
    step = Decimal(1).scaleb(-decimals)
    scale = shown.place / step
    rounded = _round(value / scale, step)
    new = format(abs(rounded), "f")
    separator = next((old[len(old) - len(digits) + at] for at, char in enumerate(digits) if char in " ,'"), "")
    if separator:
        whole, dot, rest = new.partition(".")
        new = f"{int(whole):,}".replace(",", separator) + dot + rest
    if any("０" <= char <= "９" for char in old):
        new = "".join(chr(ord(char) + 0xFEE0) if char in "0123456789." else char for char in new)
    return _signed(old, new, value if shown.explicit_sign else rounded, explicit=shown.explicit_sign)


def _signed(old: str, new: str, value: Decimal, *, explicit: bool) -> str:
    head = re.match(r"[-−﹣‐‑－+＋]\s?", old)
    if value < 0:
        minus = head.group() if head and fold(head.group())[0] == "-" else "−"
        return minus + new
    if explicit:
        plus = head.group() if head and fold(head.group())[0] == "+" else "+"
        return plus + new
    return new


def _round(value: Decimal, place: Decimal) -> Decimal:
    """Return the value at a place, ties away from zero (`agrees` takes either)."""
    steps = _EXACT.divide(value, place).quantize(Decimal(1), rounding=ROUND_HALF_UP, context=_EXACT)
    return _EXACT.multiply(steps, place)


def show(value: Decimal, unit: Unit, *, significant: int = 6, signed: bool = False) -> str:
    """Return a value for a message or a table: at most `significant` digits, a real minus, and its unit after a space."""
    rounded = Context(prec=significant).create_decimal(value)
    text = format(rounded.normalize(), "f") if rounded else "0"
    sign = "−" if text.startswith("-") else "+" if signed and rounded > 0 else ""
    body = text.lstrip("-")
    return f"{sign}{body}" + ("" if unit.symbol == "1" else f" {unit.symbol}")


# How a language writes a unit after a number, where that is not its symbol after a space.
_WRITTEN: Final = {
    "en": {"×": "×", "us": " µs", "ms/tok": " ms/token", "us/tok": " µs/tok", "ns/tok^2": " ns/tok²", "KiB/tok": " KiB/token", "day": " days"},
    "zh": {
        "×": " 倍",
        "us": " µs",
        "ms/tok": " ms/token",
        "us/tok": " µs/tok",
        "ns/tok^2": " ns/tok²",
        "KiB/tok": " KiB/token",
        "day": " 天",
        "pp": " 个百分点",
    },
}


def write(value: Decimal, unit: Unit | None, places: int, language: str, *, signed: bool = False) -> str:
    """Return a value with that many decimals in a language's typography: a real minus, and its unit as the language writes it.

    Args:
        value: in `unit`.
        unit: None to leave it out.
        places: decimals.
        language: the language code; an unknown one writes as English does.
        signed: whether a positive value has a plus.
    """
    sign, digits = _digits(value, places)
    number = f"+{digits}" if signed and sign > 0 else f"−{digits}" if sign < 0 else digits
    if unit is None or unit.counts:
        return number
    written = _WRITTEN.get(language, _WRITTEN["en"])
    return number + (written.get(unit.symbol) or f" {unit.symbol}")


@lru_cache(maxsize=_REMEMBERED)
def _digits(value: Decimal, places: int) -> tuple[int, str]:
    """Return whether a value with that many decimals lies below zero (-1), at it (0) or above (1), and its digits."""
    rounded = _EXACT.plus(value).quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP, context=_EXACT)
    return (rounded > 0) - (rounded < 0), format(abs(rounded), f".{places}f")
