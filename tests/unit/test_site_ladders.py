"""Ladders: a rung is the mean of its rounds, the later session counts, and slope and share follow the tokens that were counted."""

import sys
from pathlib import Path
from typing import Any

import pytest

from ledgermark import Ledger
from ledgermark.project import load_project

ROOT = Path(__file__).parents[2]
JULY, AUGUST, RERUN = "radeon-2026-07-25", "radeon-2026-08-29", "radeon-2026-09-02c"


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    return load_project(ROOT / "mkdocs.yml").ledger


@pytest.fixture(scope="module")
def ladders() -> Any:
    sys.path.insert(0, str(ROOT / "site_src"))
    try:
        import ladders  # noqa: PLC0415  (the site's modules are found beside its metrics)
    finally:
        sys.path.remove(str(ROOT / "site_src"))
    return ladders


@pytest.mark.parametrize(
    ("cfg", "share", "slope"),
    [
        ("B-8B-tp2", "77.2", "0.118"),
        ("A-12B-tp2", "69.9", "0.228"),
        ("E-26B-tp2", "67.5", "0.142"),
        ("C-31B-tp2", "68.5", "0.339"),
        ("D-27B-tp2", "35.1", "4.840"),
    ],
)
def test_share_and_slope(ledger: Ledger, ladders: Any, cfg: str, share: str, slope: str) -> None:
    ladder = ladders.decode(ledger, JULY, cfg)
    assert len(ladder.contexts) == 11
    assert f"{ladder.retained().to('%').value:.1f}" == share
    assert f"{ladder.slope().value:.3f}" == slope
    assert ladder.slope().unit.symbol == "us/tok"
    assert all(ladder.charts(context) for context in ladder.contexts)


def test_the_later_session_replaces_the_earlier(ledger: Ledger, ladders: Any) -> None:
    ladder = ladders.decode(ledger, JULY, "A-12B-tp2")
    assert [row.text("round") for row in ladder.rungs[2000]] == ["3", "4"]
    assert [row.text("round") for row in ladder.rungs[1000]] == ["1", "2"]
    assert f"{ladder.rate(2000).value:.2f}" == "58.75"


def test_a_ladder_of_the_control_is_found_by_its_cfg(ledger: Ledger, ladders: Any) -> None:
    assert f"{ladders.decode(ledger, AUGUST, 'Q38-tp2').retained().to('%').value:.1f}" == "73.4"
    assert f"{ladders.decode(ledger, AUGUST, 'Q38-triton-tp2').retained().to('%').value:.1f}" == "84.3"


def test_prefill_is_the_prompt_over_the_mean_time(ledger: Ledger, ladders: Any) -> None:
    ladder = ladders.prefill(ledger, RERUN, "Q38-tp2-x16")
    assert not ladder.charts(500)
    assert f"{(ladder.retained(1000) - 1).to('%').value:.2f}" == "0.27"


def test_what_nobody_measured(ledger: Ledger, ladders: Any) -> None:
    with pytest.raises(ValueError, match="no campaign radeon-2026-07-25 with a ladder Q38-tp2"):
        ladders.decode(ledger, JULY, "Q38-tp2")
    with pytest.raises(ValueError, match="was not measured at 128000; it has 500, 1000"):
        ladders.decode(ledger, JULY, "B-8B-tp2").rate(128000)
