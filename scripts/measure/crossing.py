"""The best proposal length, and the depth at which a gain turns into a loss."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

RESOLUTION = 1 / 16
"""Width of the bracket at which the search ends, as a share of its upper end."""
LEAST_STEP = 64
"""Depths are multiples of this many tokens."""
GAIN, LOSS, CROSSES, UNKNOWN = "gain", "loss", "crosses", "unknown"


@dataclass(frozen=True)
class Crossing:
    """Where ratios pass through 1.

    Attributes:
        state: ``gain`` or ``loss`` at all depths measured, ``crosses``, or ``unknown`` without any.
        gain_at: The deepest depth of the bracket that is no loss.
        loss_at: The shallowest that is one; the crossing lies between.
    """

    state: str
    gain_at: int | None = None
    loss_at: int | None = None


def find_crossing(ratios: Mapping[int, float]) -> Crossing:
    """Return the first pair of neighbouring depths of which the shallower is no loss and the deeper is one.

    Args:
        ratios: Throughput over that without speculation, by depth in tokens.
    """
    if not ratios:
        return Crossing(UNKNOWN)
    depths = sorted(ratios)
    for shallow, deep in itertools.pairwise(depths):
        if ratios[shallow] >= 1 > ratios[deep]:
            return Crossing(CROSSES, shallow, deep)
    # A loss that turns into a gain with depth has no depth from which on it is one.
    return Crossing(LOSS if ratios[depths[-1]] < 1 else GAIN)


def next_depth(ratios: Mapping[int, float], resolution: float = RESOLUTION) -> int | None:
    """Return the depth to measure next: the middle of the bracket; None when it is narrow enough, or there is none."""
    found = find_crossing(ratios)
    if found.gain_at is None or found.loss_at is None:
        return None
    if found.loss_at - found.gain_at <= max(LEAST_STEP, resolution * found.loss_at):
        return None
    middle = (found.gain_at + found.loss_at) // 2 // LEAST_STEP * LEAST_STEP
    return middle if found.gain_at < middle < found.loss_at else None


def best_tokens(ratios: Mapping[int, Mapping[int, float]]) -> int | None:
    """Return the proposal length with the highest ratio at the shallowest depth that all lengths have; None when there is none.

    Args:
        ratios: For each proposal length its ratios by depth.
    """
    shared = set.intersection(*(set(by_depth) for by_depth in ratios.values())) if ratios else set()
    if not shared:
        return None
    depth = min(shared)
    return max(ratios, key=lambda tokens: (ratios[tokens][depth], -tokens))
