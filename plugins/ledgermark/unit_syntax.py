"""Units as they are written: names, prefixes, products, quotients and powers, read into a factor and dimensions.

A list of its own, not a library's: there a byte has no dimension (0.90 GiB would pass for a plain number), and hundreds of units that no
report uses lie one typing mistake away from the ones it does. The syntax is pint's, and a test holds every answer against pint's.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

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
Dimensions = tuple[tuple[str, int], ...]
Measure = tuple[Decimal, Dimensions]

# Prefixes by long and short name, to powers of ten or of 1024.
PREFIXES: Final[dict[str, Decimal]] = {
    name: factor
    for names, factor in (
        ("pico p", Decimal("1e-12")),
        ("nano n", Decimal("1e-9")),
        ("micro µ μ u", Decimal("1e-6")),
        ("milli m", Decimal("1e-3")),
        ("kilo k", Decimal("1e3")),
        ("mega M", Decimal("1e6")),
        ("giga G", Decimal("1e9")),
        ("tera T", Decimal("1e12")),
        ("peta P", Decimal("1e15")),
        ("kibi Ki", Decimal(1024)),
        ("mebi Mi", Decimal(1024**2)),
        ("gibi Gi", Decimal(1024**3)),
        ("tebi Ti", Decimal(1024**4)),
    )
    for name in names.split()
}
# Units by long and short name: how many of what.
UNITS: Final[dict[str, Measure]] = {
    name: (Decimal(factor), dimensions)
    for names, factor, dimensions in (
        ("second s", "1", (("time", 1),)),
        ("minute min", "60", (("time", 1),)),
        ("hour h", "3600", (("time", 1),)),
        ("day d", "86400", (("time", 1),)),
        ("week", "604800", (("time", 1),)),
        ("byte B", "1", (("information", 1),)),
        ("bit", "0.125", (("information", 1),)),
        ("joule J", "1", (("energy", 1),)),
        ("watt W", "1", (("energy", 1), ("time", -1))),
        ("hertz Hz", "1", (("time", -1),)),
        ("flop FLOP", "1", (("operation", 1),)),
        ("times", "1", ()),
        ("percent", "0.01", ()),
        ("percentage_point", "0.01", ()),
        ("dimensionless", "1", ()),
        ("tok", "1", (("token", 1),)),
        *((noun, "1", ((noun, 1),)) for noun in COUNTED),
    )
    for name in names.split()
}
_TOKEN: Final = re.compile(r"[ ]*(?:(?P<name>[A-Za-zµμ_][A-Za-zµμ0-9_]*)|(?P<one>1(?![0-9]))|(?P<sign>\*\*|[*/^()])|(?P<power>-?[0-9]+))")
_POWER: Final = 9  # beyond any unit of measure


def read_unit(text: str) -> Measure | None:
    """Return factor and dimensions of a unit, or None when nobody defined it."""
    try:
        return _Reader(text).whole()
    except (LookupError, ValueError):
        return None


def merge(left: Dimensions, right: Dimensions, sign: int) -> Dimensions:
    """Return the dimensions of a product (`sign` 1) or a quotient (`sign` -1)."""
    powers = dict(left)
    for name, power in right:
        powers[name] = powers.get(name, 0) + sign * power
    return tuple(sorted((name, power) for name, power in powers.items() if power))


class _Reader:
    """Reads an expression from left to right. Raises LookupError or ValueError for what is none."""

    def __init__(self, text: str) -> None:
        self.parts: list[str] = []
        position = 0
        while text[position:].strip(" "):
            match = _TOKEN.match(text, position)
            if match is None:
                raise ValueError(text)
            self.parts.append(match.group().strip(" "))
            position = match.end()

    def whole(self) -> Measure:
        measure = self.product()
        if self.parts:
            raise ValueError(self.parts)
        return measure

    def product(self) -> Measure:
        measure = self.factor()
        while self.parts and self.parts[0] != ")":
            sign = -1 if self.parts[0] == "/" else 1
            if self.parts[0] in ("*", "/"):
                self.parts.pop(0)
            factor, dimensions = self.factor()
            measure = (measure[0] / factor if sign < 0 else measure[0] * factor), merge(measure[1], dimensions, sign)
        return measure

    def factor(self) -> Measure:
        """Return a name, a 1 or what stands in brackets, with its power."""
        part = self.parts.pop(0)
        if part == "(":
            factor, dimensions = self.product()
            if self.parts.pop(0) != ")":
                raise ValueError(part)
        elif part == "1":
            factor, dimensions = Decimal(1), ()
        else:
            factor, dimensions = _named(part)
        if not self.parts or self.parts[0] not in ("^", "**"):
            return factor, dimensions
        self.parts.pop(0)
        power = int(self.parts.pop(0))
        if not 0 < abs(power) <= _POWER:
            raise ValueError(power)
        raised = factor ** abs(power)
        return (raised if power > 0 else 1 / raised), tuple((name, times * power) for name, times in dimensions)


def _named(name: str) -> Measure:
    """Return the unit of a name: as it is, with a prefix, in the plural (of more than a letter). Raises LookupError when there is none."""
    for singular in (name, name.removesuffix("s")):
        shortest = 1 if singular == name else 2
        for length in range(len(singular)):
            rest = singular[length:]
            if rest in UNITS and len(rest) >= shortest and (not length or singular[:length] in PREFIXES):
                factor, dimensions = UNITS[rest]
                return PREFIXES.get(singular[:length], Decimal(1)) * factor, dimensions
    raise LookupError(name)
