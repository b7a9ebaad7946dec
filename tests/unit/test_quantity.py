"""Quantities keep value, unit and evidence through arithmetic."""

import copy
import pickle
from dataclasses import FrozenInstanceError
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark import Quantity, UnitError, largest, mean, smallest, total
from ledgermark.quantity import Cell
from ledgermark.units import parse_unit

A, B = Cell("d", 2, "x"), Cell("d", 3, "x")


def q(value: str, unit: str, *cells: Cell) -> Quantity:
    return Quantity(Decimal(value), parse_unit(unit), frozenset(cells))


def shown(quantity: Quantity, unit: str) -> str:
    return format(quantity.to(unit).value.normalize(), "f")


@pytest.mark.parametrize(
    ("result", "unit", "value"),
    [
        (lambda a, b: a + b, "tok/s", "60"),
        (lambda a, b: a - b, "tok/s", "20"),
        (lambda a, b: b - a, "tok/s", "-20"),
        (lambda a, b: a / b, "1", "2"),
        (lambda a, b: a / b - 1, "%", "100"),
        (lambda a, b: 1 - b / a, "%", "50"),
        (lambda a, b: a / b * 100, "1", "200"),
        (lambda a, b: a * 2 + b, "tok/s", "100"),
        (lambda a, b: 2 * a + b, "tok/s", "100"),
        (lambda a, b: (a + b) / 2, "tok/s", "30"),
        (lambda a, b: abs(b - a), "tok/s", "20"),
        (lambda a, b: -a + b, "tok/s", "-20"),
        (lambda a, b: 1 / a + 1 / b, "s/tok", "0.075"),
        (lambda a, b: a * b / b, "tok/s", "40"),
        (lambda a, b: (a * Decimal("0.5")) + b * "1.5", "tok/s", "50"),
        (lambda a, b: a * 0.1 + b * 0, "tok/s", "4"),
        (lambda a, b: mean([a, b]), "tok/s", "30"),
        (lambda a, b: total([a, b]), "tok/s", "60"),
        (lambda a, b: largest([a, b]), "tok/s", "40"),
        (lambda a, b: smallest([a, b]), "tok/s", "20"),
    ],
)
def test_arithmetic(result, unit: str, value: str) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001  (a lambda of two quantities)
    quantity = result(q("40", "tok/s", A), q("20", "tok/s", B))
    assert shown(quantity, unit) == value
    assert quantity.evidence == {A, B}


def test_units_convert_in_sums_and_comparisons() -> None:
    assert shown(q("1", "s") + q("500", "ms"), "s") == "1.5"
    assert q("1", "s") > q("999", "ms")
    assert q("1", "s") >= q("1000", "ms")
    assert q("1", "ms") < q("1", "s")
    assert q("1", "s") <= q("1000", "ms")
    assert q("50", "%") < 1
    assert shown(q("50", "%") + 1, "%") == "150"
    assert float(q("1.5", "s")) == 1.5


@pytest.mark.parametrize(
    "mix",
    [
        lambda: q("1", "tok/s") + q("1", "chunk/s"),
        lambda: q("1", "tok/s") - q("1", "ms"),
        lambda: q("1", "s") + 1,
        lambda: 1 - q("1", "s"),
        lambda: q("1", "s") < q("1", "tok"),
        lambda: q("1", "s") >= 1,
        lambda: q("1", "s").to("tok"),
        lambda: (q("1", "chunk/s") / q("1", "tok/s")).to("1"),
        lambda: q("1", "chunk/s") / q("1", "tok/s") - 1,
        lambda: q("1", "row") + q("1", "case"),
        lambda: q("1", "s").to("parsec"),
        lambda: Quantity.of(1, "parsec"),
        lambda: largest([q("5", "s"), q("3", "tok")]),
        lambda: smallest([q("5", "tok/s"), q("3", "chunk/s")]),
        lambda: total([q("5", "s"), q("3", "tok")]),
        lambda: mean([q("5", "s"), q("3", "tok")]),
    ],
)
def test_units_that_do_not_fit(mix) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001  (a lambda)
    with pytest.raises(UnitError):
        mix()


@pytest.mark.parametrize("function", [largest, smallest, total, mean])
def test_nothing_to_combine(function) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001  (one of four functions)
    with pytest.raises(ValueError, match=r".+"):
        function([])


@pytest.mark.parametrize("unit", ["%", "ms", "×", "tok/s", "1"])
def test_sums_are_in_the_unit_of_the_first(unit: str) -> None:
    assert total([q("5", unit), q("6", unit)]).unit.symbol == unit
    assert mean([q("5", unit), q("6", unit)]).unit.symbol == unit
    assert total([q("5", unit)]).value == 5


def test_the_largest_depends_on_all() -> None:
    found = largest([q("900", "ms", A), q("1", "s", B)])
    assert (found.value, found.unit.symbol, found.evidence) == (Decimal(1), "s", frozenset({A, B}))


def test_floats_are_taken_as_written() -> None:
    assert Quantity.of(0.1, "s").value == Decimal("0.1")
    assert (Quantity.of("0.1", "s") + Quantity.of(0.2, "s")).value == Decimal("0.3")


NUMBERS = st.decimals(min_value=-(10**6), max_value=10**6, places=3)


@given(NUMBERS, st.sampled_from([("s", "us"), ("GiB", "byte"), ("%", "1"), ("day", "ms"), ("tok/s", "tok/hour"), ("ms/tok", "s/tok")]))
def test_there_and_back(value: Decimal, units: tuple[str, str]) -> None:
    there, back = units
    again = Quantity(value, parse_unit(there)).to(back).to(there)
    assert abs(again.value - value) <= abs(value) * Decimal("1e-30")


def test_is_made_anew_as_it_was() -> None:
    quantity = q("43.42", "tok/s", A, B)
    for again in (pickle.loads(pickle.dumps(quantity, pickle.HIGHEST_PROTOCOL)), copy.copy(quantity), copy.deepcopy(quantity)):  # noqa: S301
        assert (again, hash(again), again.evidence) == (quantity, hash(quantity), {A, B})


def test_stays_what_it_is() -> None:
    with pytest.raises(FrozenInstanceError):
        q("43.42", "tok/s").value = Decimal(1)  # type: ignore[misc]


@given(NUMBERS, NUMBERS)
def test_sums_and_differences_undo_each_other(left: Decimal, right: Decimal) -> None:
    a, b = Quantity(left, parse_unit("ms"), frozenset({A})), Quantity(right, parse_unit("ms"), frozenset({B}))
    assert (a + b - b).value == a.value
    assert (a + b).evidence == (a - b).evidence == {A, B}
    assert (a < b) is (left < right)
