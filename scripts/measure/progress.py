"""Progress on long work: one line for each cell, with the time that is left."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from .plan import spell_seconds

if TYPE_CHECKING:
    from collections.abc import Callable


def say(line: str) -> None:
    """Print a line for the person who waits; the standard output stays free for results."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


class Progress:
    """Counts cells and says how long the rest will take.

    The plan's expectation is corrected by how long the cells so far took against it.

    Args:
        total: Cells that are to be measured.
        seconds: How long they should take, by the plan.
        clock: Returns seconds.
        out: Where lines go.
    """

    def __init__(self, total: int, seconds: float, clock: Callable[[], float], out: Callable[[str], None] = say) -> None:
        self.total = total
        self.expected_s = seconds
        self.clock = clock
        self.out = out
        self.began_s = clock()
        self.number = 0
        self.passed_s = 0.0

    def step(self, text: str, seconds: float) -> None:
        """Say that a cell, which the plan gave so many seconds, is through."""
        self.number += 1
        self.passed_s += seconds
        self.total = max(self.total, self.number)
        left = self.left_s()
        tail = f"; {spell_seconds(left)} left" if self.number < self.total else ""
        self.out(f"[{self.number}/{self.total}] {text}{tail}")

    def more(self, cells: int, seconds: float) -> None:
        """Add cells that the plan did not foresee."""
        self.total += cells
        self.expected_s += seconds

    def skip(self, seconds: float) -> None:
        """Leave out a cell that will not be measured."""
        self.total -= 1
        self.expected_s -= seconds

    def left_s(self) -> float:
        """Return how many seconds the rest will take."""
        pace = (self.clock() - self.began_s) / self.passed_s if self.passed_s else 1.0
        return max(0.0, self.expected_s - self.passed_s) * pace
