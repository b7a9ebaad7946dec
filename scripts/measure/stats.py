"""What rounds say together: their mean and spread, whether they may be drawn, and whether they are two things."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

CHART_ROUNDS = 2
"""Rounds that a point in a chart needs at least."""
CHART_SPREAD_PCT = 10.0
"""Spread that a point in a chart has at most, in percent."""
TEST_ROUNDS = 8
"""Rounds that the gap test needs at least: with fewer, one odd round can pass for a mode."""
MODE_ROUNDS = 2
"""Rounds that make a mode."""
GAP_TIMES = 2.0
"""A gap is one between modes when it is this many times the wider of the two modes."""
GAP_PCT = 3.0
"""And at least this many percent of the mean: below, two modes would be drawn as one point anyway."""


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean; raises ValueError when there is nothing."""
    if not values:
        raise ValueError("no value to take a mean of")
    return sum(values) / len(values)


def spread_pct(values: Sequence[float]) -> float:
    """Return (max - min) / mean in percent; raises ValueError when there is nothing or the mean is 0."""
    middle = mean(values)
    if not middle:
        raise ValueError("a spread needs a mean that is not 0")
    return (max(values) - min(values)) / middle * 100


def chart_grade(values: Sequence[float]) -> bool:
    """Say whether measured rounds may stand as one point in a chart."""
    return len(values) >= CHART_ROUNDS and spread_pct(values) <= CHART_SPREAD_PCT


@dataclass(frozen=True)
class Modes:
    """What the gap test found.

    Attributes:
        tested: Whether there were rounds enough to test.
        groups: The rounds in ascending order: one group, or two where they are two things.
        gap: Width of the widest gap that leaves a mode on either side; 0 where there is none.
    """

    tested: bool
    groups: tuple[tuple[float, ...], ...]
    gap: float

    @property
    def bimodal(self) -> bool:
        """Whether the rounds are two things, whose mean is the value of neither."""
        return len(self.groups) > 1


def find_modes(values: Sequence[float]) -> Modes:
    """Return the groups that rounds fall into: the gap test.

    The sorted rounds are cut at the widest gap that leaves at least `MODE_ROUNDS` on either side. They are two modes when that gap
    is at least `GAP_TIMES` the wider of the two groups and at least `GAP_PCT` of the mean. Of eight rounds from one normal
    distribution fewer than one in a hundred such sets is called bimodal (a test draws them). Fewer than `TEST_ROUNDS` are not tested.
    """
    ordered = tuple(sorted(values))
    if len(ordered) < TEST_ROUNDS:
        return Modes(tested=False, groups=(ordered,), gap=0.0)
    cuts = range(MODE_ROUNDS, len(ordered) - MODE_ROUNDS + 1)
    cut = max(cuts, key=lambda place: ordered[place] - ordered[place - 1])
    low, high = ordered[:cut], ordered[cut:]
    gap = high[0] - low[-1]
    width = max(low[-1] - low[0], high[-1] - high[0])
    apart = gap >= GAP_TIMES * width and gap >= GAP_PCT / 100 * mean(ordered)
    return Modes(tested=True, groups=(low, high) if apart else (ordered,), gap=gap)


def suspicious(values: Sequence[float]) -> bool:
    """Say whether rounds are worth more rounds: they do not make a point of a chart."""
    return len(values) >= CHART_ROUNDS and not chart_grade(values)
