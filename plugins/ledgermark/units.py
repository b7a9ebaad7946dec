"""Units of measure: what a unit is worth, and which units stand for one another.

A token and a streamed chunk are dimensions of their own, so `chunk/s / (tok/s)` is chunks per token and never passes for a ratio.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Context, Decimal
from functools import cached_property, lru_cache
from typing import Final

from ledgermark.messages import Message
from ledgermark.unit_syntax import COUNTED, Dimensions, merge, read_unit

_SPELLED: Final = {"%": "percent", "×": "times", "1": "dimensionless", "pp": "percentage_point"}
_CANONICAL: Final = {"percent": "%", "times": "×", "dimensionless": "1", "": "1", "percentage_point": "pp"}
_FACTORS: Final = Context(prec=28)  # one of its own: what is kept must not hang on the context that a metric works in
_SYNTAX: Final = re.compile(r"%|×|1|pp|(?:1/)?[A-Za-zµμ](?:[A-Za-zµμ0-9_*/^() -]*[A-Za-zµμ0-9)])?")


class UnitError(Exception):
    """Two units that do not fit together, or a unit nobody defined."""


@dataclass(frozen=True)
class Unit:
    """A unit: its symbol, what it is in base units, and its dimensions in a fixed order."""

    symbol: str
    factor: Decimal
    dimensions: Dimensions

    @cached_property
    def counts(self) -> bool:
        """Whether the unit is a plain count: the noun may then stand outside the number."""
        match self.dimensions:
            case ():
                return self.symbol in ("1", "")
            case ((name, 1),):
                return name in COUNTED and self.factor == 1
            case _:
                return False

    @cached_property
    def ratio(self) -> bool:
        """Whether the unit is one of the ratios, which have no dimension but are not written for one another: %, ×, percentage points."""
        return not self.dimensions and self.symbol in ("%", "×", "pp")

    def __hash__(self) -> int:
        """Return the hash of the symbol, which nearly always tells units apart: that of the factor is slow to work out."""
        return hash(self.symbol)

    def __mul__(self, other: Unit) -> Unit:
        return _product(self, other)

    def __truediv__(self, other: Unit) -> Unit:
        return _quotient(self, other)

    def measures_like(self, other: Unit) -> bool:
        """Return whether a value in one unit can be given in the other."""
        return self.dimensions == other.dimensions

    def shown_as(self, shown: Unit) -> bool:
        """Return whether a reader takes a value in `shown` for the same kind of thing: a gain in % is not written as a factor in ×."""
        if not self.measures_like(shown):
            return False
        if self.symbol == "1":
            return shown.symbol in ("1", "%")
        return self.symbol == shown.symbol or not (self.ratio or shown.ratio or shown.symbol == "1")

    @property
    def spelled(self) -> str:
        """The dimensions in words, for messages about units nobody named: `chunk/token`."""
        if not self.dimensions:
            return Message("no unit")
        over = "·".join(name if power == 1 else f"{name}^{power}" for name, power in self.dimensions if power > 0)
        under = "·".join(name if power == -1 else f"{name}^{-power}" for name, power in self.dimensions if power < 0)
        return f"{over or '1'}/{under}" if under else over


@lru_cache(maxsize=512)
def _product(left: Unit, right: Unit) -> Unit:
    return Unit(f"{left.symbol}·{right.symbol}", _FACTORS.multiply(left.factor, right.factor), merge(left.dimensions, right.dimensions, 1))


@lru_cache(maxsize=512)
def _quotient(left: Unit, right: Unit) -> Unit:
    return Unit(f"{left.symbol}/({right.symbol})", _FACTORS.divide(left.factor, right.factor), merge(left.dimensions, right.dimensions, -1))


@lru_cache(maxsize=512)
def parse_unit(text: str) -> Unit:
    """Return the unit written as `unit_syntax` reads it, or as `%`, `×`, `pp` or `1`.

    Raises:
        UnitError: nobody defined it.
    """
    text = _CANONICAL.get(text, text)
    if not _SYNTAX.fullmatch(text):
        msg = Message("unknown unit '{text}'", text=text)
        raise UnitError(msg)
    measure = read_unit(_SPELLED.get(text, text))
    if measure is None:
        msg = Message("unknown unit '{text}'", text=text)
        raise UnitError(msg)
    return Unit(text, *measure)
