"""Units: which convert, which are shown for which, and what is no unit."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.unit_syntax import COUNTED
from ledgermark.units import UnitError, parse_unit

KNOWN = ["%", "×", "1", "pp", "tok/s", "chunk/s", "ms", "us", "ms/tok", "day", "GiB", "GB/s", "row", "workgroup", "case", "W", "J/tok", "1/s"]


@pytest.mark.parametrize("symbol", KNOWN)
def test_a_unit_keeps_its_symbol(symbol: str) -> None:
    unit = parse_unit(symbol)
    assert unit.symbol == symbol
    assert unit is parse_unit(symbol)
    assert unit.measures_like(unit)
    assert unit.shown_as(unit)


@pytest.mark.parametrize(
    ("left", "right", "factor"),
    [
        ("s", "ms", 1000),
        ("ms", "us", 1000),
        ("day", "hour", 24),
        ("week", "day", 7),
        ("GiB", "MiB", 1024),
        ("GB", "MB", 1000),
        ("byte", "bit", 8),
        ("1", "%", 100),
        ("×", "%", 100),
        ("s/tok", "ms/tok", 1000),
        ("kW", "J/s", 1000),
    ],
)
def test_factors(left: str, right: str, factor: int) -> None:
    assert parse_unit(left).factor == parse_unit(right).factor * factor
    assert parse_unit(left).measures_like(parse_unit(right))


@pytest.mark.parametrize(
    ("left", "right"),
    [("tok/s", "chunk/s"), ("tok/s", "ms/tok"), ("tok", "1"), ("row", "case"), ("GiB", "1"), ("%", "tok"), ("day", "tok"), ("W", "J")],
)
def test_what_does_not_convert(left: str, right: str) -> None:
    assert not parse_unit(left).measures_like(parse_unit(right))
    assert not parse_unit(left).shown_as(parse_unit(right))


SHOWN = [
    ("%", "%", True),
    ("%", "×", False),
    ("×", "%", False),
    ("%", "pp", False),
    ("%", "1", False),
    ("1", "%", True),
    ("1", "1", True),
    ("1", "×", False),
    ("ms", "us", True),
    ("GiB", "GB", True),
    ("row", "row", True),
]


@pytest.mark.parametrize(("unit", "shown", "right"), SHOWN)
def test_ratios_are_not_written_for_one_another(unit: str, shown: str, right: bool) -> None:  # noqa: FBT001
    assert parse_unit(unit).shown_as(parse_unit(shown)) is right


@pytest.mark.parametrize("symbol", [*COUNTED, "1"])
def test_counts_need_no_unit_beside_them(symbol: str) -> None:
    assert parse_unit(symbol).counts


@pytest.mark.parametrize("symbol", ["%", "×", "tok/s", "ktok", "day", "GiB", "tok*row", "1/tok"])
def test_the_others_do(symbol: str) -> None:
    assert not parse_unit(symbol).counts


@pytest.mark.parametrize("symbol", ["percent", "times", "dimensionless", "percentage_point"])
def test_another_name_is_the_same_unit_or_none(symbol: str) -> None:
    try:
        unit = parse_unit(symbol)
    except UnitError:
        return
    short = {"percent": "%", "times": "×", "dimensionless": "1", "percentage_point": "pp"}[symbol]
    assert unit.shown_as(parse_unit(short))
    assert unit.counts is parse_unit(short).counts
    assert unit.ratio is parse_unit(short).ratio


def test_products_and_quotients() -> None:
    rate = parse_unit("tok/s") / parse_unit("chunk/s")
    assert rate.spelled == "token/chunk"
    assert (parse_unit("tok/s") * parse_unit("s")).measures_like(parse_unit("tok"))
    assert (parse_unit("tok/s") / parse_unit("tok/s")).spelled == "no unit"
    assert (parse_unit("1") / parse_unit("s")).spelled == "1/time"
    assert (parse_unit("s") * parse_unit("s")).spelled == "time^2"


@pytest.mark.parametrize("text", ["tokk", "5 s", "s**0.5", "9**9**9**9", "[", "second*", "\0", "a b", "s" * 2000, "1e400", "℃"])
def test_no_unit(text: str) -> None:
    with pytest.raises(UnitError, match="unknown unit"):
        parse_unit(text)


@given(st.text(alphabet="toksmu/*^()0123456789.%× -_eE", max_size=16))
def test_any_text_is_a_unit_or_none(text: str) -> None:
    try:
        unit = parse_unit(text)
    except UnitError:
        return
    assert unit.factor > 0
    assert unit.factor.is_finite()


@pytest.mark.parametrize("symbol", KNOWN)
def test_factors_are_exact(symbol: str) -> None:
    assert isinstance(parse_unit(symbol).factor, Decimal)
