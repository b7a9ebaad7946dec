"""A number is written in the manner of another, for a message, or in a language's typography, and can be read back."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.display import agrees, read_numbers
from ledgermark.spelling import ALIASES
from ledgermark.typeset import show, write, write_like
from ledgermark.units import parse_unit

LIKE = [
    ("70.8 %", "71.25", "71.3"),
    ("70.8 %", "-71.25", "−71.3"),
    ("−70.8 %", "-71.25", "−71.3"),
    ("-70.8 %", "-71.25", "-71.3"),
    ("−70.8 %", "71.25", "+71.3"),
    ("+36.9 %", "36.84", "+36.8"),
    ("＋36.9 %", "36.84", "＋36.8"),
    ("－７０．８％", "-71.25", "－７１．３"),
    ("70.8 %", "71", "71.0"),
    ("70", "71.5", "72"),
    ("70", "-0.2", "0"),
    ("10 095.188", "9999.9999", "10 000.000"),
    ("10\u2009095", "12345678", "12\u2009345\u2009678"),
    ("10,095", "983.2", "983"),
    ("10’095", "20000", "20’000"),
    ("983", "1024", "1024"),
    ("3.2万", "41234", "4.1"),
    ("1.5e3", "1234", "1.2"),
    ("9.8×10⁻⁴", "0.00123", "12.3"),
    ("2 thousand", "12300", "12"),
    ("twenty-five days", "26", "twenty-six"),
    ("twenty", "1024", "one thousand and twenty-four"),
    ("二十五天", "26.4", "二十六"),
    ("百分之七十六", "75", "七十五"),
    ("零点五", "0.75", "零点八"),
    ("Twenty-five days", "26", "Twenty-six"),
    ("三天", "2", "两"),
]


@pytest.mark.parametrize(("text", "value", "expected"), LIKE)
def test_in_the_manner_of_another(text: str, value: str, expected: str) -> None:
    (shown,) = read_numbers(text)
    assert write_like(shown, text, Decimal(value)) == expected


MANNERS = ["70.8 %", "+70.8 %", "−70.8 %", "70", "10 095.188", "10,095", "3.2万", "1.5e3", "９８３", "twenty-five days", "二十五天", "百分之30"]


@pytest.mark.parametrize("text", MANNERS)
@given(st.decimals(min_value=-(10**7), max_value=10**7, places=4))
def test_what_is_written_in_a_manner_agrees_with_the_value(text: str, value: Decimal) -> None:
    (shown,) = read_numbers(text)
    written = text[: shown.start] + write_like(shown, text, value) + text[shown.end :]
    (again,) = read_numbers(written)
    assert agrees(again, value)
    assert again.place == shown.place
    assert again.unit == shown.unit
    assert again.explicit_sign or not shown.explicit_sign


UNITS = sorted(set(ALIASES.values()))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("symbol", UNITS)
def test_what_is_written_can_be_read(symbol: str, language: str) -> None:
    unit = parse_unit(symbol)
    for value, places in (("12345.678", 2), ("-0.5", 1), ("7", 0), ("1", 0), ("0", 3), ("-0.0001", 2)):
        (shown,) = read_numbers(write(Decimal(value), unit, places, language))
        assert agrees(shown, Decimal(value))
        assert shown.place == Decimal(1).scaleb(-places)
        if unit.counts:
            assert shown.unit is None
        else:
            assert shown.unit is not None
            assert (shown.unit.factor, shown.unit.dimensions) == (unit.factor, unit.dimensions)


@given(
    st.decimals(min_value=-(10**12), max_value=10**12, places=8),
    st.integers(0, 8),
    st.sampled_from(["%", "×", "pp", "tok/s", "us", "ms", "ms/tok", "GiB", "day", "1"]),
    st.sampled_from(["en", "zh"]),
    st.booleans(),
)
def test_any_number_written_can_be_read(value: Decimal, places: int, symbol: str, language: str, signed: bool) -> None:  # noqa: FBT001
    unit = parse_unit(symbol)
    text = write(value, unit, places, language, signed=signed)
    (shown,) = read_numbers(text)
    assert agrees(shown, value)
    assert shown.unit == (None if unit.counts else parse_unit(symbol))
    assert "-" not in text
    assert "−0" not in text.replace("−0.", "") or shown.value
    if signed and shown.value:
        assert shown.explicit_sign


@pytest.mark.parametrize(
    ("value", "unit", "language", "text"),
    [
        ("-14.04", "%", "en", "−14.0 %"),
        ("-14.04", "%", "zh", "−14.0 %"),
        ("3.7", "×", "en", "3.7×"),
        ("3.7", "×", "zh", "3.7 倍"),
        ("12.5", "us", "en", "12.5 µs"),
        ("12.5", "day", "zh", "12.5 天"),
        ("8", "workgroup", "en", "8.0"),
        ("8", "tok/s", "fr", "8.0 tok/s"),
        ("-0.01", "%", "en", "0.0 %"),
    ],
)
def test_typography(value: str, unit: str, language: str, text: str) -> None:
    assert write(Decimal(value), parse_unit(unit), 1, language) == text


def test_a_number_without_its_unit() -> None:
    assert write(Decimal("1.25"), None, 1, "en", signed=True) == "+1.3"
    assert write(Decimal("-1.25"), None, 0, "en", signed=True) == "−1"
    assert write(Decimal(0), None, 0, "en", signed=True) == "0"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        ("36.8724", "%", "36.8724 %"),
        ("-14.03960396", "%", "−14.0396 %"),
        ("0.45", "1", "0.45"),
        ("1200", "tok", "1200 tok"),
        ("12345678", "1", "12345700"),
        ("0", "%", "0 %"),
        ("1e-9", "s", "0.000000001 s"),
    ],
)
def test_for_a_message(value: str, unit: str, text: str) -> None:
    assert show(Decimal(value), parse_unit(unit)) == text


def test_for_a_message_with_a_sign_and_more_digits() -> None:
    assert show(Decimal("36.87240902"), parse_unit("%"), significant=10, signed=True) == "+36.87240902 %"
