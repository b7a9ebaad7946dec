"""How units are written, held against pint: it reads the same definitions and must give the same answers."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

import pint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.unit_syntax import COUNTED, UNITS, Measure, read_unit

DEFINITIONS = [
    *("pico- = 1e-12 = p-", "nano- = 1e-9 = n-", "micro- = 1e-6 = µ- = μ- = u-", "milli- = 1e-3 = m-", "kilo- = 1e3 = k-", "mega- = 1e6 = M-"),
    *("giga- = 1e9 = G-", "tera- = 1e12 = T-", "peta- = 1e15 = P-", "kibi- = 1024 = Ki-", "mebi- = 1048576 = Mi-", "gibi- = 1073741824 = Gi-"),
    *("tebi- = 1099511627776 = Ti-", "second = [time] = s", "minute = 60 * second = min", "hour = 3600 * second = h"),
    *("day = 86400 * second = d", "week = 604800 * second", "byte = [information] = B", "bit = 0.125 * byte", "joule = [energy] = J"),
    *("watt = joule / second = W", "hertz = 1 / second = Hz", "flop = [operation] = FLOP", "times = 1", "percent = 0.01"),
    *("percentage_point = 0.01", "token = [token] = tok", *(f"{noun} = [{noun}] = _" for noun in COUNTED if noun != "token")),
]
WRITTEN = st.lists(
    st.tuples(
        st.sampled_from(["*", "/", " ", " * ", " / ", "*(", "/("]),
        st.sampled_from(["", "", "k", "m", "u", "Gi", "milli", "mega"]),
        st.sampled_from([*UNITS, "1", "toks", "tokk", "x"]),
        st.sampled_from(["", "", "", "s", "^2", "**3", "^-1", "**-2"]),
    ),
    min_size=1,
    max_size=5,
)


@lru_cache
def registry() -> pint.UnitRegistry[Decimal]:
    made: pint.UnitRegistry[Decimal] = pint.UnitRegistry(None, non_int_type=Decimal)
    made.load_definitions(DEFINITIONS)
    return made


def by_pint(text: str) -> Measure | None:
    try:
        parsed = registry().parse_units(text)
        base = registry().Quantity(Decimal(1), parsed).to_base_units()
    except Exception:  # noqa: BLE001  (pint raises what its tokenizer, its parser and Python's make of a text)
        return None
    powers = {str(name).strip("[]"): int(str(power)) for name, power in parsed.dimensionality.items()}
    return Decimal(base.magnitude), tuple(sorted(powers.items()))


def same(left: Measure | None, right: Measure | None) -> bool:
    if left is None or right is None:
        return left is right
    return left[1] == right[1] and abs(left[0] / right[0] - 1) < Decimal("1e-24")


@given(WRITTEN)
def test_every_unit_is_what_pint_says(parts: list[tuple[str, str, str, str]]) -> None:
    text = "".join("".join(part) for part in parts).lstrip("*/ (")
    text += ")" * (text.count("(") - text.count(")"))
    assert same(read_unit(text), by_pint(text)), (text, read_unit(text), by_pint(text))


@pytest.mark.parametrize(
    "text", ["tok/s", "GiB/tok", "KiB/token", "1/s", "us", "ms/tok", "TFLOP/s", "workgroups", "1/(s*tok)", "s^-1", "mW", "days"]
)
def test_what_pages_use(text: str) -> None:
    measure = read_unit(text)
    assert measure is not None
    assert same(measure, by_pint(text))


@pytest.mark.parametrize(
    "text", ["", " ", "tokk", "s^", "s^0", "s^99", "s**", "s^2^2", "(s", "s)", "s//s", "*s", "2*s", "s*2", "s^x", "-s", "s^(2)", "m", "k"]
)
def test_what_is_no_unit(text: str) -> None:
    assert read_unit(text) is None
