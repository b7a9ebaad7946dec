"""A value with its unit and the cells of the ledger that made it."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Final

from ledgermark.messages import Message
from ledgermark.units import Unit, UnitError, parse_unit

if TYPE_CHECKING:
    from collections.abc import Iterable

Scalar = int | str | float | Decimal

# 34 digits (IEEE 754 decimal128): far beyond what any measurement shows, and the same on every machine.
_MATH: Final = Context(prec=34)
_ONE: Final = parse_unit("1")


@dataclass(frozen=True, order=True)
class Cell:
    """One cell of the ledger: dataset, the line of its file (1-based, the header is line 1) and the column."""

    dataset: str
    line: int
    column: str


@dataclass(frozen=True)
class Quantity:
    """A number, its unit, and the cells it was computed from.

    `Quantity.of("43.42", "tok/s")` makes one from texts. Arithmetic keeps all three; a bare number joins in as having no unit.
    Adding or comparing different dimensions raises `UnitError`.
    """

    value: Decimal
    unit: Unit
    evidence: frozenset[Cell] = field(default=frozenset())

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", self.value if type(self.value) is Decimal else _decimal(self.value))

    @classmethod
    def of(cls, value: Scalar, unit: str) -> Quantity:
        """Return a quantity without evidence. Raises `UnitError` for an unknown unit."""
        return cls(_decimal(value), parse_unit(unit))

    def to(self, unit: str | Unit) -> Quantity:
        """Return the same amount in another unit. Raises `UnitError` when it measures something else."""
        target = parse_unit(unit) if isinstance(unit, str) else unit
        if not self.unit.measures_like(target):
            msg = Message(
                "a value in {spelled} cannot be given in '{symbol}' ({target_spelled})",
                spelled=self.unit.spelled,
                symbol=target.symbol,
                target_spelled=target.spelled,
            )
            raise UnitError(msg)
        if target.factor == self.unit.factor:
            return Quantity(self.value, target, self.evidence)
        return Quantity(_MATH.divide(_MATH.multiply(self.value, self.unit.factor), target.factor), target, self.evidence)

    def __add__(self, other: Quantity | Scalar) -> Quantity:
        right = _quantity(other)
        left = self._like(right)
        return Quantity(_MATH.add(left.value, right.to(left.unit).value), left.unit, self.evidence | right.evidence)

    __radd__ = __add__

    def __sub__(self, other: Quantity | Scalar) -> Quantity:
        return self + (-_quantity(other))

    def __rsub__(self, other: Scalar) -> Quantity:
        return -self + other

    def __mul__(self, other: Quantity | Scalar) -> Quantity:
        right = _quantity(other)
        return Quantity(_MATH.multiply(self.value, right.value), _product(self.unit, right.unit), self.evidence | right.evidence)

    __rmul__ = __mul__

    def __truediv__(self, other: Quantity | Scalar) -> Quantity:
        right = _quantity(other)
        unit = self.unit if right.unit is _ONE else self.unit / right.unit
        return Quantity(_MATH.divide(self.value, right.value), unit, self.evidence | right.evidence)

    def __rtruediv__(self, other: Scalar) -> Quantity:
        return _quantity(other) / self

    def __neg__(self) -> Quantity:
        return Quantity(-self.value, self.unit, self.evidence)

    def __abs__(self) -> Quantity:
        return Quantity(abs(self.value), self.unit, self.evidence)

    def __float__(self) -> float:
        return float(self.value)

    def __lt__(self, other: Quantity | Scalar) -> bool:
        return (self - other).value < 0

    def __le__(self, other: Quantity | Scalar) -> bool:
        return (self - other).value <= 0

    def __gt__(self, other: Quantity | Scalar) -> bool:
        return (self - other).value > 0

    def __ge__(self, other: Quantity | Scalar) -> bool:
        return (self - other).value >= 0

    def _like(self, other: Quantity) -> Quantity:
        """Return this in its own unit, or as a plain number where the other side is one: `ratio - 1` after tok/s / (tok/s)."""
        return self.to(_ONE) if not other.unit.dimensions and not self.unit.dimensions else self


def _product(left: Unit, right: Unit) -> Unit:
    if right is _ONE:
        return left
    return right if left is _ONE else left * right


def _quantity(value: Quantity | Scalar) -> Quantity:
    return value if isinstance(value, Quantity) else Quantity(_decimal(value), _ONE)


def _decimal(value: Scalar) -> Decimal:
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def largest(quantities: Iterable[Quantity]) -> Quantity:
    """Return the largest, with the evidence of all: which one it is depends on each. Raises ValueError for none, UnitError for unlike ones."""
    items = _some(quantities)
    top = items[0]
    for item in items[1:]:
        top = max(top, item)
    return Quantity(top.value, top.unit, _all_evidence(items))


def smallest(quantities: Iterable[Quantity]) -> Quantity:
    """Return the smallest, with the evidence of all. Raises ValueError for none, UnitError for unlike ones."""
    items = _some(quantities)
    low = items[0]
    for item in items[1:]:
        low = min(low, item)
    return Quantity(low.value, low.unit, _all_evidence(items))


def total(quantities: Iterable[Quantity]) -> Quantity:
    """Return the sum, in the unit of the first. Raises ValueError for none."""
    first, *rest = _some(quantities)
    for item in rest:
        first = (first + item).to(first.unit)
    return first


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
