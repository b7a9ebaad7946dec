"""The rule by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from scripts.gate_patch.plugin import is_asked
from scripts.gate_patch.plugin.admission import Step, VerifyThreshold, admits, fits, segment_rows

VERIFY = Step(rows=2, tokens=2, sequences=1, threshold=8, decode_query_len=2, scratch_rows=16)


@pytest.mark.parametrize(
    ("change", "admitted"),
    [
        ({}, True),
        ({"rows": 1}, False),
        ({"rows": 3, "tokens": 3}, False),
        ({"rows": 4096, "tokens": 4096}, False),
        ({"sequences": 8, "tokens": 16}, True),
        ({"sequences": 9, "tokens": 16}, False),
        ({"tokens": 17}, False),
        ({"scratch_rows": None}, False),
        ({"threshold": None}, False),
        ({"plain_causal": False}, False),
        ({"own_tiling": True}, False),
        ({"batch_invariant": True}, False),
    ],
)
def test_admits(change: dict[str, Any], admitted: bool) -> None:  # noqa: FBT001  # a table
    step = replace(VERIFY, **change)
    assert admits(step) is admitted
    assert not admitted or fits(step)


def test_threshold_is_a_number_that_knows_more() -> None:
    threshold = VerifyThreshold(8, 4)
    assert (threshold, threshold.decode_query_len, threshold < 9, f"{threshold}") == (8, 4, True, "8")
    assert segment_rows(8, 4) == 32


@pytest.mark.parametrize(
    ("value", "asked"), [("1", True), ("true", True), (" ON ", True), ("0", False), ("", False), (None, False), ("2", False)]
)
def test_is_asked(value: str | None, asked: bool) -> None:  # noqa: FBT001  # a table
    assert is_asked(value) is asked
