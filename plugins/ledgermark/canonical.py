"""The one spelling of a cell by which keys are compared: `1.50` and `1.5` are one number."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Final

from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledgermark.descriptor import Column

_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
# Texts of a type that are their own canonical spelling, as nearly all are; no longer than any measurement, so that none needs a closer look.
CANONICAL: Final = {
    "integer": re.compile(r"0|-?[1-9][0-9]{0,99}"),
    "number": re.compile(r"0|-?(?:[1-9][0-9]{0,99}|0(?=\.))(?:\.[0-9]{0,98}[1-9])?"),
}
_BOOLEANS: Final = {"true": "true", "false": "false", "True": "true", "False": "false", "1": "true", "0": "false"}
_MAGNITUDE: Final = 100  # powers of ten; a cell beyond is no measurement and would fill the memory when written out


def canonical(column: Column, text: str) -> str:
    """Return a cell's canonical spelling. Raises ValueError for a wrong type."""
    plainly = CANONICAL.get(column.type)
    if column.type == "string" or (plainly and plainly.fullmatch(text)):
        return text
    match column.type:
        case "integer" if _INTEGER.fullmatch(text):
            return str(int(text))
        case "number" if _NUMBER.fullmatch(text) and abs(_adjusted(text)) <= _MAGNITUDE:
            return plain(Decimal(text))
        case "boolean" if text in _BOOLEANS:
            return _BOOLEANS[text]
        case "date" if _DATE.fullmatch(text):
            return date.fromisoformat(text).isoformat()
    msg = Message("'{text}' is no {type}", text=text, type=column.type)
    raise ValueError(msg)


def _adjusted(text: str) -> int:
    """Return the power of ten of a number's first digit; a huge one for a number Decimal cannot hold."""
    try:
        return Decimal(text).adjusted()
    except InvalidOperation:
        return _MAGNITUDE + 1


def spelled(column: Column, text: str) -> str:
    """Return the same, and a text that is none of the type as it is."""
    try:
        return canonical(column, text)
    except ValueError:
        return text


def all_spelled(column: Column, texts: Sequence[str]) -> Sequence[str]:
    """Return the same of each of some cells: themselves where it is seen at once that they are spelt so, as nearly all are."""
    plainly = CANONICAL.get(column.type)
    if column.type == "string" or (plainly and all(map(plainly.fullmatch, texts))):
        return texts
    return [spelled(column, text) for text in texts]


def plain(number: Decimal) -> str:
    """Return a number without exponent and without trailing zeros."""
    text = format(number or abs(number), "f")
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"
