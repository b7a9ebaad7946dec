"""The unit in the name of a column."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ledgermark.suffixes import contradicted
from ledgermark.units import parse_unit

if TYPE_CHECKING:
    from tests.copies import Copy


@pytest.mark.parametrize(
    ("name", "unit", "wanted"),
    [
        ("median_us", "us", ""),
        ("median_us", "ms", "us"),
        ("median_us", "1", "us"),
        ("step_ms", "s", "ms"),
        ("wall_s", "s", ""),
        ("wall_s", "ms", "s"),
        ("wall_s", "tok/s", "s"),
        ("batch_s", "1", ""),
        ("tok_s", "tok/s", ""),
        ("run1_tok_s", "tok/s", ""),
        ("tok_s", "chunk/s", "tok/s"),
        ("tok_s", "s", "tok/s"),
        ("tokens_s", "tok/s", ""),
        ("chunks_s", "tok/s", "chunk/s"),
        ("step_s", "s", ""),
        ("run1_tok_s", "ms", "tok/s"),
        ("chunk_s", "chunk/s", ""),
        ("first_chunk_s", "s", ""),
        ("first_chunk_s", "ms", "chunk/s"),
        ("bus_gb_s", "GB/s", ""),
        ("bus_gb_s", "GiB/s", "GB/s"),
        ("memory_gib", "GiB", ""),
        ("memory_gib", "GB", "GiB"),
        ("kv_bytes", "byte", ""),
        ("kv_bytes", "KiB", "B"),
        ("issue_pct", "%", ""),
        ("issue_pct", "pp", ""),
        ("issue_pct", "×", "%"),
        ("issue_pct", "1", "%"),
        ("power_w", "W", ""),
        ("power_w", "mW", "W"),
        ("image_w", "1", ""),
        ("latency_min", "us", ""),
        ("rows_min", "row", ""),
        ("clock_mhz", "MHz", ""),
        ("clock_mhz", "GHz", "MHz"),
        ("us_per_call", "us", ""),
        ("ms_per_token", "ms/tok", ""),
        ("context", "tok", ""),
        ("s", "ms", ""),
        ("Median_US", "us", ""),
    ],
)
def test_a_name_says_its_unit(name: str, unit: str, wanted: str) -> None:
    assert contradicted(name, parse_unit(unit)) == wanted


def test_the_place_is_that_of_the_field(tiny: Copy) -> None:
    tiny.edit(
        "data/datapackage.json", '{"name": "median_us", "type": "number", "unit": "us"', '{"name": "median_us", "type": "number", "unit": "ms"'
    )
    line = next(at for at, text in enumerate(tiny.read("data/datapackage.json").splitlines(), 1) if '"median_us"' in text)
    found = [text for text in tiny.check()[1] if " LM508 " in text]
    assert found == [f"data/datapackage.json:{line}:20: LM508 'trace.median_us' ends in us, and its unit is ms; mend the name or the unit"]
