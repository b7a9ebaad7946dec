"""What rounds say together."""

from __future__ import annotations

import random

import pytest

from scripts.measure.stats import chart_grade, find_modes, mean, spread_pct, suspicious

SETS = 4000


def test_the_spread_is_of_the_mean() -> None:
    assert spread_pct([95, 100, 105]) == 10
    assert spread_pct([50]) == 0
    with pytest.raises(ValueError, match="no value"):
        mean([])
    with pytest.raises(ValueError, match="not 0"):
        spread_pct([-1, 1])


@pytest.mark.parametrize(
    ("values", "grade"), [([], False), ([50], False), ([50, 50], True), ([95, 105, 100], True), ([94, 105, 100], False), ([1, 2], False)]
)
def test_chart_grade_needs_two_rounds_and_ten_percent(values: list[float], grade: bool) -> None:  # noqa: FBT001
    assert chart_grade(values) is grade
    assert suspicious(values) is (len(values) > 1 and not grade)


def test_two_groups_of_rounds_are_two_modes() -> None:
    found = find_modes([50.2, 75.1, 49.8, 50.0, 75.3, 74.9, 50.1, 75.0])
    assert found.bimodal
    assert found.groups == ((49.8, 50.0, 50.1, 50.2), (74.9, 75.0, 75.1, 75.3))
    assert found.gap == pytest.approx(24.7)


def test_one_odd_round_is_no_mode() -> None:
    assert not find_modes([50, 50.1, 50.2, 49.9, 50, 50.1, 49.8, 80]).bimodal


def test_too_few_rounds_are_not_tested() -> None:
    found = find_modes([50, 50, 75, 75, 50, 75, 50])
    assert (found.tested, found.bimodal) == (False, False)


def test_a_gap_that_nobody_would_see_is_no_gap_between_modes() -> None:
    assert not find_modes([100.0, 100.001, 100.002, 100.0, 101.0, 101.001, 101.0, 101.002]).bimodal


@pytest.mark.parametrize("rounds", [8, 10, 12])
@pytest.mark.parametrize("deviation", [0.02, 0.05, 0.1])
def test_one_mode_is_seldom_taken_for_two(rounds: int, deviation: float) -> None:
    chance = random.Random(rounds)  # noqa: S311
    sets = ([chance.gauss(100, 100 * deviation) for _ in range(rounds)] for _ in range(SETS))
    assert sum(find_modes(values).bimodal for values in sets) / SETS < 0.01


def test_two_modes_that_lie_well_apart_are_found() -> None:
    chance = random.Random(5)  # noqa: S311
    sets = ([chance.gauss(100 if number % 2 else 120, 1) for number in range(8)] for _ in range(SETS))
    assert sum(find_modes(values).bimodal for values in sets) / SETS > 0.99
