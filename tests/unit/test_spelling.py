"""Every spelling of a unit is read, and reads as a unit that exists."""

import pytest

from ledgermark.display import read_numbers
from ledgermark.spelling import ALIASES
from ledgermark.units import parse_unit


@pytest.mark.parametrize(("spelling", "symbol"), ALIASES.items())
@pytest.mark.parametrize("space", ["", " ", "\u202f"])
def test_every_spelling_is_read(spelling: str, symbol: str, space: str) -> None:
    (shown,) = read_numbers(f"12{space}{spelling}")
    assert shown.unit == parse_unit(symbol)


@pytest.mark.parametrize("symbol", sorted(set(ALIASES.values())))
def test_every_unit_can_be_written_by_its_own_symbol(symbol: str) -> None:
    (shown,) = read_numbers(f"12 {symbol}")
    assert shown.unit is not None
    assert (shown.unit.factor, shown.unit.dimensions) == (parse_unit(symbol).factor, parse_unit(symbol).dimensions)


@pytest.mark.parametrize(
    "text", ["1 hour", "1 week", "1 second", "1 minute", "1 byte", "1 step", "1 call", "1 segment", "1 session", "1 times"]
)
def test_the_singular_is_read(text: str) -> None:
    (shown,) = read_numbers(text)
    assert shown.unit is not None


@pytest.mark.parametrize(("longer", "shorter"), [("5 tok/s", "token"), ("5 ms/token", "ms"), ("5 percentage points", "%"), ("5 steps", "s")])
def test_the_longest_spelling_wins(longer: str, shorter: str) -> None:
    (shown,) = read_numbers(longer)
    assert shown.unit is not None
    assert shown.unit.symbol != shorter
