"""Whether a number that is right at its last place still says how much the data gives, or was rounded to nothing.

100 % is 70.8 % rounded at the hundreds, and 0 % is 0.08 %: right by the letter, and false to whoever reads it.
"""

from __future__ import annotations

from decimal import Context, Decimal
from typing import TYPE_CHECKING, Final

from ledgermark.messages import Message
from ledgermark.typeset import show, write

if TYPE_CHECKING:
    from ledgermark.display import Shown
    from ledgermark.units import Unit

_EXACT: Final = Context(prec=200)
_NOTHING: Final = Decimal("1e-12")  # below it a value is what arithmetic leaves of nothing
_LONG: Final = 80  # characters of a shown text that the message repeats
_PARTS: Final = 4  # a shown number is off by no more than one part in that many of what the data gives


def too_coarse(shown: Shown, written: str, value: Decimal, unit: Unit) -> str:
    """Return what is wrong with the last place of a shown number that agrees with its value, or an empty text.

    Args:
        shown: the number.
        written: the text it stands in.
        value: what the data gives, in the unit shown.
        unit: that unit.
    """
    if shown.value == value or _near(shown.value, value) or abs(value) < _NOTHING:
        return ""
    # The fewest decimals that keep to it: a whole number where one does.
    places = next(places for places in range(20) if _near(_EXACT.quantize(value, Decimal(1).scaleb(-places)), value))
    fine = write(value, unit, places, "en", signed=shown.explicit_sign)
    return Message(
        "shows '{written}', which its last place rounds too far from {amount}; write '{fine}', or give a bound, such as is=at_most",
        written=written if len(written) <= _LONG else f"{written[:_LONG]}…",
        amount=show(value, unit),
        fine=fine,
    )


def _near(shown: Decimal, value: Decimal) -> bool:
    return abs(_EXACT.subtract(value, shown)) * _PARTS <= abs(value)
