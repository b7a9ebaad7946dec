"""Units of measure: read with pint, compared by dimension.

A token and a streamed chunk are dimensions of their own, so `chunk/s / (tok/s)` is chunks per token and never passes for a ratio.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pint

# Counting units: what is counted is a dimension, so that workgroups and rows cannot be added up.
COUNTED: Final = (
    "token",
    "chunk",
    "workgroup",
    "row",
    "case",
    "run",
    "round",
    "rung",
    "call",
    "launch",
    "step",
    "segment",
    "worker",
    "session",
)
_SPELLED: Final = {"%": "percent", "×": "times", "1": "dimensionless", "pp": "percentage_point"}
_CANONICAL: Final = {"percent": "%", "times": "×", "dimensionless": "1", "": "1", "percentage_point": "pp"}
_SYNTAX: Final = re.compile(r"%|×|1|pp|(?:1/)?[A-Za-zµμ](?:[A-Za-zµμ0-9_*/^() -]*[A-Za-zµμ0-9)])?")
_ABBREVIATED: Final = {"token": "tok"}

# Not pint's own list: there a byte has no dimension (0.90 GiB would pass for a plain number) and hundreds of units that no report uses
# lie one typing mistake away from the ones it does.
_DEFINITIONS: Final = (
    "pico- = 1e-12 = p-",
    "nano- = 1e-9 = n-",
    "micro- = 1e-6 = µ- = μ- = u-",
    "milli- = 1e-3 = m-",
    "kilo- = 1e3 = k-",
    "mega- = 1e6 = M-",
    "giga- = 1e9 = G-",
    "tera- = 1e12 = T-",
    "peta- = 1e15 = P-",
    "kibi- = 1024 = Ki-",
    "mebi- = 1048576 = Mi-",
    "gibi- = 1073741824 = Gi-",
    "tebi- = 1099511627776 = Ti-",
    "second = [time] = s",
    "minute = 60 * second = min",
    "hour = 3600 * second = h",
    "day = 86400 * second = d",
    "week = 604800 * second",
    "byte = [information] = B",
    "bit = 0.125 * byte",
    "joule = [energy] = J",
    "watt = joule / second = W",
    "hertz = 1 / second = Hz",
    "flop = [operation] = FLOP",
    "times = 1",
    "percent = 0.01",
    "percentage_point = 0.01",
)

Dimensions = tuple[tuple[str, int], ...]


class UnitError(Exception):
    """Two units that do not fit together, or a unit nobody defined."""


@dataclass(frozen=True)
class Unit:
    """A unit: its symbol, what it is in base units, and its dimensions in a fixed order."""

    symbol: str
    factor: Decimal
    dimensions: Dimensions

    @property
    def counts(self) -> bool:
        """Whether the unit is a plain count: the noun may then stand outside the number."""
        match self.dimensions:
            case ():
                return self.symbol in ("1", "")
            case ((name, 1),):
                return name in COUNTED and self.factor == 1
            case _:
                return False

    @property
    def ratio(self) -> bool:
        """Whether the unit is one of the ratios, which have no dimension but are not written for one another: %, ×, percentage points."""
        return not self.dimensions and self.symbol in ("%", "×", "pp")

    def __mul__(self, other: Unit) -> Unit:
        return Unit(f"{self.symbol}·{other.symbol}", self.factor * other.factor, _merge(self.dimensions, other.dimensions, 1))

    def __truediv__(self, other: Unit) -> Unit:
        return Unit(f"{self.symbol}/({other.symbol})", self.factor / other.factor, _merge(self.dimensions, other.dimensions, -1))

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
            return "no unit"
        over = "·".join(name if power == 1 else f"{name}^{power}" for name, power in self.dimensions if power > 0)
        under = "·".join(name if power == -1 else f"{name}^{-power}" for name, power in self.dimensions if power < 0)
        return f"{over or '1'}/{under}" if under else over


def _merge(left: Dimensions, right: Dimensions, sign: int) -> Dimensions:
    powers = dict(left)
    for name, power in right:
        powers[name] = powers.get(name, 0) + sign * power
    return tuple(sorted((name, power) for name, power in powers.items() if power))


@lru_cache(maxsize=1)
def _registry() -> pint.UnitRegistry[Decimal]:
    import pint  # noqa: PLC0415  (0.2 s that a command without units should not pay)

    registry: pint.UnitRegistry[Decimal] = pint.UnitRegistry(None, non_int_type=Decimal)
    registry.load_definitions([*_DEFINITIONS, *(f"{noun} = [{noun}] = {_ABBREVIATED.get(noun, '_')}" for noun in COUNTED)])
    return registry


@lru_cache(maxsize=512)
def parse_unit(text: str) -> Unit:
    """Return the unit written in pint's syntax, or as `%`, `×`, `pp` or `1`.

    Raises:
        UnitError: nobody defined it.
    """
    text = _CANONICAL.get(text, text)
    if not _SYNTAX.fullmatch(text):
        msg = f"unknown unit '{text}'"
        raise UnitError(msg)
    registry = _registry()
    try:
        parsed = registry.parse_units(_SPELLED.get(text, text))
        base = registry.Quantity(Decimal(1), parsed).to_base_units()
        powers = {str(name).strip("[]"): int(str(power)) for name, power in parsed.dimensionality.items()}
    except Exception as error:
        msg = f"unknown unit '{text}'"
        raise UnitError(msg) from error
    return Unit(text, Decimal(base.magnitude), tuple(sorted(powers.items())))
