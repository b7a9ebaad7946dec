"""Numbers as people write them, read.

A shown number carries the place of its last digit, because that is how exactly it claims to be right: 70.8 is anything from 70.75 to 70.85.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from ledgermark.alternation import one_of
from ledgermark.messages import Message
from ledgermark.numerals import CHINESE_NUMERAL, ENGLISH_NUMERAL, read_chinese, read_english
from ledgermark.spelling import ALIASES
from ledgermark.units import Unit, parse_unit

if TYPE_CHECKING:
    from collections.abc import Mapping

# One character for one, so that offsets in the folded text are offsets in the page.
_FOLD: Final = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)} | {
    ord("−"): "-",
    ord("﹣"): "-",
    ord("‐"): "-",
    ord("‑"): "-",
    ord("＋"): "+",
    ord("’"): "'",
    **{ord(space): " " for space in "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t\n\r"},
    **dict.fromkeys(map(ord, "*`"), " "),
    ord("，"): ";",
    ord("、"): ";",
}
_FOLDED: Final = re.compile(f"[{re.escape(''.join(map(chr, _FOLD)))}]")  # to look for one is faster than to translate what has none
_ENTITY: Final = re.compile(r"&(?:nbsp|thinsp|ensp|emsp|#160|#8239|#x202[fF]|#x[aA]0);")
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SCALES: Final = {"百万": 6, "千": 3, "万": 4, "亿": 8, "thousand": 3, "million": 6, "billion": 9}
_NUMBER: Final = re.compile(
    r"""(?P<sign>[+-])?(?:\ ?(?=[0-9]))?
        (?P<digits>[0-9]{1,3}(?:([ ,'])[0-9]{3}(?![0-9]))(?:\3[0-9]{3}(?![0-9]))*(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)
        (?:[eE](?P<exponent>[+-]?[0-9]+)(?![0-9])|\ ?[×x]\ ?10(?:\^(?P<power>-?[0-9]+)|(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)))?
        (?:\ ?(?P<scale>百万|千|万|亿|(?:thousand|million|billion)(?![A-Za-z])))?""",
    re.VERBOSE,
)
_SEPARATOR: Final = re.compile(
    r"(?:\s|,|;|；|/|→|…|(?<![A-Za-z])(?:and|to|then|or|against|versus|vs\.?)(?![A-Za-z])|与|和|对|及|以及|至|到|或)+"
)
_LONG: Final = 300  # characters of a message: a shown text may be of any length
_DIGITS: Final = 60  # more than any measurement has; beyond it arithmetic would round
_FAR: Final = 1000  # stands for any power of ten that is out of the question
_DIFFERENT: Final = Context(prec=200)
_SIGNS: Final = ("+", "-")
_Spellings = tuple[re.Pattern[str], dict[str, Unit]]


class Shown(NamedTuple):
    """A number as shown.

    Attributes:
        value: with the sign shown, in `unit`.
        place: what one step of the last digit shown is worth: 0.1 for 70.8, 1000 for 3.2万.
        unit: the unit written beside it, or None.
        start, end: where sign and digits stand in the text (without the unit).
        explicit_sign: whether a sign is written.
        form: how it is written: `digits`, `chinese`, `english`.
    """

    value: Decimal
    place: Decimal
    unit: Unit | None
    start: int
    end: int
    explicit_sign: bool
    form: str = "digits"


class DisplayError(ValueError):
    """A text that is not a number, or numbers with separators between them."""

    def __init__(self, message: str) -> None:
        super().__init__(message if len(message) <= _LONG else f"{message[: _LONG // 2]}…{message[-_LONG // 2 :]}")


def fold(text: str) -> str:
    """Return the text with full-width forms, minus signs, spaces and emphasis made plain, character for character."""
    if "&" in text:
        text = _ENTITY.sub(lambda match: " " * len(match.group()), text)
    return text.translate(_FOLD) if _FOLDED.search(text) else text


def read_numbers(text: str, aliases: Mapping[str, str] | None = None) -> list[Shown]:
    """Return the numbers a text shows, in order. A unit written once after a series holds for the numbers before it that have none.

    Args:
        text: the text of a claim, in either language.
        aliases: further spellings of units, besides `ALIASES`.

    Raises:
        DisplayError: something in the text is neither a number, nor its unit, nor a separator.
    """
    plain = fold(text)
    spellings = _spellings(tuple(sorted(aliases.items())) if aliases else ())
    found: list[Shown] = []
    position, end = _skip(plain, 0), len(plain)
    while position < end:
        shown, position = _read_one(plain, position, text, spellings)
        found.append(shown)
        if position == end:
            break
        after = _skip(plain, position)
        if after == position:
            msg = Message(
                "'{part}' in '{text}' is neither a number, a unit known here, nor a separator", part=text[position:].strip(), text=text
            )
            raise DisplayError(msg)
        position = after
    if not found:
        msg = Message("'{text}' shows no number", text=text)
        raise DisplayError(msg)
    following = found[-1].unit
    for index in range(len(found) - 2, -1, -1):
        if found[index].unit is None and following is not None:
            found[index] = found[index]._replace(unit=following)
        following = found[index].unit
    return found


def _skip(plain: str, position: int) -> int:
    match = _SEPARATOR.match(plain, position)
    return match.end() if match else position


def _read_one(plain: str, position: int, text: str, spellings: _Spellings) -> tuple[Shown, int]:
    """Return the number at a position with the unit written beside it, and where both end."""
    percent = plain.startswith("百分之", position)
    start = position + 3 if percent else position
    signed = plain.startswith(_SIGNS, start)
    if match := _NUMBER.match(plain, start):
        value, place = _read_digits(match, text)
        end, after, form = match.end("digits"), match.end(), "digits"
    elif words := _read_words(plain, start + signed):
        value, end, form = words
        value, place, after = -value if plain[start] == "-" else value, _step_of(value), end
    else:
        msg = Message("'{part}' in '{text}' is no number", part=text[position:].strip(), text=text)
        raise DisplayError(msg)
    unit, after = _read_unit(plain, after, spellings)
    if percent and unit:
        msg = Message("'{text}' has two units", text=text)
        raise DisplayError(msg)
    return Shown(value, place, parse_unit("%") if percent else unit, start, end, signed, form), after


def _read_digits(match: re.Match[str], text: str) -> tuple[Decimal, Decimal]:
    """Return a number in digits, and what one step of the last of them is worth."""
    sign, digits, separator, exponent, power_of_ten, raised, scale = match.groups()
    if separator:
        digits = digits.replace(separator, "")
    power = _SCALES[scale] if scale else 0
    if written := exponent or power_of_ten or raised:
        exact = Decimal(written.translate(_SUPERSCRIPTS))  # int refuses a text of more than 4300 digits
        power += int(exact) if abs(exact) < _FAR else _FAR
    if len(digits) > _DIGITS or abs(power) > _DIGITS:
        msg = Message("'{text}' has more than {digits} digits", text=text, digits=_DIGITS)
        raise DisplayError(msg)
    value = Decimal(digits).scaleb(power, _DIFFERENT) if power else Decimal(digits)
    return value.copy_negate() if sign == "-" else value, _step(power - len(digits.partition(".")[2]))


def _read_words(plain: str, start: int) -> tuple[Decimal, int, str] | None:
    """Return the number that words name, where it ends and its form, or None when they name none."""
    words = CHINESE_NUMERAL.match(plain, start)
    if words and (value := read_chinese(words.group())) is not None:
        return value, words.end(), "chinese"
    words = ENGLISH_NUMERAL.match(plain, start)
    if words and (value := read_english(words.group())) is not None:
        return value, words.end(), "english"
    return None


def _step_of(value: Decimal) -> Decimal:
    """Return what one step of the last place of a number in words is worth."""
    exponent = value.as_tuple().exponent
    return _step(min(exponent, 0) if isinstance(exponent, int) else 0)


@lru_cache(maxsize=256)
def _step(exponent: int) -> Decimal:
    """Return a power of ten."""
    return Decimal(1).scaleb(exponent)


@lru_cache(maxsize=16)
def _spellings(extra: tuple[tuple[str, str], ...]) -> _Spellings:
    """Return a pattern of every spelling of a unit, longest first, and the unit each stands for."""
    units = {spelling: parse_unit(symbol) for spelling, symbol in (ALIASES | dict(extra)).items()}
    return re.compile(f" *({one_of(units, _spelling_end)})"), units


def _spelling_end(spelling: str) -> str:
    # A Latin spelling must end there: the s of `5 sessions` is no second, the ms of `ms/token` no millisecond.
    return "(?![A-Za-z/])" if spelling[-1].isascii() and spelling[-1].isalpha() else ""


def _read_unit(plain: str, position: int, spellings: _Spellings) -> tuple[Unit | None, int]:
    pattern, units = spellings
    match = pattern.match(plain, position)
    return (units[match[1]], match.end()) if match else (None, position)


def agrees(shown: Shown, value: Decimal) -> bool:
    """Return whether a value (in the unit shown), rounded at the last place shown with ties either way, is the number shown."""
    if shown.explicit_sign and not shown.value and value and shown.value.is_signed() != (value < 0):
        return False  # −0.0 for a value above zero
    return abs(_DIFFERENT.subtract(value, shown.value)) * 2 <= shown.place


def holds(shown: Shown, value: Decimal, bound: str) -> bool:
    """Return whether a value is within a bound (`at_most`, `less_than`, `at_least`, `more_than`), however loose it may be."""
    return value <= shown.value if bound in ("at_most", "less_than") else value >= shown.value
