"""A value with its unit and the cells of the ledger that made it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Final, NamedTuple

from ledgermark.messages import Message
from ledgermark.units import Unit, UnitError, parse_unit

if TYPE_CHECKING:
    from collections.abc import Iterable

Scalar = int | str | float | Decimal

# 34 digits (IEEE 754 decimal128): far beyond what any measurement shows, and the same on every machine.
_MATH: Final = Context(prec=34)
_ONE: Final = parse_unit("1")
_NO_CELLS: Final[frozenset[Cell]] = frozenset()


class Cell(NamedTuple):
    """One cell of the ledger: dataset, the line of its file (1-based, the header is line 1) and the column."""

    dataset: str
    line: int
    column: str


@dataclass(frozen=True, init=False)
class Quantity:
    """A number, its unit, and the cells it was computed from.

    `Quantity.of("43.42", "tok/s")` makes one from texts. Arithmetic keeps all three; a bare number joins in as having no unit.
    Adding or comparing different dimensions raises `UnitError`.
    """

    __slots__ = ("evidence", "unit", "value")

    value: Decimal
    unit: Unit
    evidence: frozenset[Cell]

    def __init__(self, value: Scalar, unit: Unit, evidence: frozenset[Cell] = _NO_CELLS) -> None:
        _put_value(self, value if type(value) is Decimal else _decimal(value))
        _put_unit(self, unit)
        _put_evidence(self, evidence)

    def __reduce__(self) -> tuple[type[Quantity], tuple[Decimal, Unit, frozenset[Cell]]]:
        """Return how to make it anew: without a dictionary it has no state that pickle could restore."""
        return type(self), (self.value, self.unit, self.evidence)

    @classmethod
    def of(cls, value: Scalar, unit: str) -> Quantity:
        """Return a quantity without evidence. Raises `UnitError` for an unknown unit."""
        return cls(value, parse_unit(unit))

    def to(self, unit: str | Unit) -> Quantity:
        """Return the same amount in another unit. Raises `UnitError` when it measures something else."""
        target = parse_unit(unit) if isinstance(unit, str) else unit
        return self if target is self.unit else Quantity(_in(self.value, self.unit, target), target, self.evidence)

    def __add__(self, other: Quantity | Scalar) -> Quantity:
        right = _quantity(other)
        return Quantity(*_sum(self.value, self.unit, right.value, right.unit), _both(self, right))

    __radd__ = __add__

    def __sub__(self, other: Quantity | Scalar) -> Quantity:
        right = _quantity(other)
        return Quantity(*_sum(self.value, self.unit, -right.value, right.unit), _both(self, right))

    def __rsub__(self, other: Scalar) -> Quantity:
        return -self + other

    def __mul__(self, other: Quantity | Scalar) -> Quantity:
        right = _quantity(other)
        unit = self.unit if right.unit is _ONE else right.unit if self.unit is _ONE else self.unit * right.unit
        return Quantity(_MATH.multiply(self.value, right.value), unit, _both(self, right))

    __rmul__ = __mul__

    def __truediv__(self, other: Quantity | Scalar) -> Quantity:
        right = _quantity(other)
        unit = self.unit if right.unit is _ONE else self.unit / right.unit
        return Quantity(_MATH.divide(self.value, right.value), unit, _both(self, right))

    def __rtruediv__(self, other: Scalar) -> Quantity:
        return _quantity(other) / self

    def __neg__(self) -> Quantity:
        return Quantity(-self.value, self.unit, self.evidence)

    def __abs__(self) -> Quantity:
        return Quantity(abs(self.value), self.unit, self.evidence)

    def __float__(self) -> float:
        return float(self.value)

    def __lt__(self, other: Quantity | Scalar) -> bool:
        return self._beyond(other) < 0

    def __le__(self, other: Quantity | Scalar) -> bool:
        return self._beyond(other) <= 0

    def __gt__(self, other: Quantity | Scalar) -> bool:
        return self._beyond(other) > 0

    def __ge__(self, other: Quantity | Scalar) -> bool:
        return self._beyond(other) >= 0

    def _beyond(self, other: Quantity | Scalar) -> Decimal:
        """Return the value of the difference: what a comparison needs of it."""
        right = _quantity(other)
        return _sum(self.value, self.unit, -right.value, right.unit)[0]


# The places of a quantity, set without asking its class, which refuses: a check makes tens of thousands.
_put_value, _put_unit, _put_evidence = (vars(Quantity)[name].__set__ for name in ("value", "unit", "evidence"))


def _in(value: Decimal, unit: Unit, target: Unit) -> Decimal:
    """Return a value in another unit. Raises `UnitError` when that measures something else."""
    if target is unit:
        return value
    if not unit.measures_like(target):
        msg = Message(
            "a value in {spelled} cannot be given in '{symbol}' ({target_spelled})",
            spelled=unit.spelled,
            symbol=target.symbol,
            target_spelled=target.spelled,
        )
        raise UnitError(msg)
    return value if target.factor == unit.factor else _MATH.divide(_MATH.multiply(value, unit.factor), target.factor)


def _sum(value: Decimal, unit: Unit, more: Decimal, of: Unit) -> tuple[Decimal, Unit]:
    """Return a value with another one added, and its unit: its own, or none where neither has a dimension (`ratio - 1`)."""
    target = unit if unit.dimensions or of.dimensions else _ONE
    return _MATH.add(_in(value, unit, target), _in(more, of, target)), target


def _both(left: Quantity, right: Quantity) -> frozenset[Cell]:
    """Return the evidence of two quantities; a bare number, which has none, leaves that of the other as it is."""
    return left.evidence | right.evidence if left.evidence and right.evidence else left.evidence or right.evidence


def _quantity(value: Quantity | Scalar) -> Quantity:
    return value if isinstance(value, Quantity) else Quantity(value, _ONE)


def _decimal(value: Scalar) -> Decimal:
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def largest(quantities: Iterable[Quantity]) -> Quantity:
    """Return the largest, with the evidence of all: which one it is depends on each. Raises ValueError for none, UnitError for unlike ones."""
    items = _some(quantities)
    top = max(items)
    return Quantity(top.value, top.unit, _all_evidence(items))


def smallest(quantities: Iterable[Quantity]) -> Quantity:
    """Return the smallest, with the evidence of all. Raises ValueError for none, UnitError for unlike ones."""
    items = _some(quantities)
    low = min(items)
    return Quantity(low.value, low.unit, _all_evidence(items))


def total(quantities: Iterable[Quantity]) -> Quantity:
    """Return the sum, in the unit of the first. Raises ValueError for none."""
    items = _some(quantities)
    value, unit = items[0].value, items[0].unit
    for item in items[1:]:
        value = _in(*_sum(value, unit, item.value, item.unit), unit)
    return Quantity(value, unit, _all_evidence(items))


def mean(quantities: Iterable[Quantity]) -> Quantity:
    """Return the arithmetic mean, in the unit of the first. Raises ValueError for none."""
    items = _some(quantities)
    return total(items) / len(items)


def _some(quantities: Iterable[Quantity]) -> list[Quantity]:
    items = list(quantities)
    if not items:
        msg = Message("no quantities")
        raise ValueError(msg)
    return items


def _all_evidence(items: list[Quantity]) -> frozenset[Cell]:
    return frozenset().union(*(item.evidence for item in items))
