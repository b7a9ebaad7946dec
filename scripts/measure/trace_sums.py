"""Which call belongs to which step, and the sums that then have to close."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .errors import SetupError
from .trace_profile import CPU, NONE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .trace_profile import Calls, Floats, Integers, Profile
    from .trace_steps import Step

RESOLUTION_US = 0.001
"""Times in a trace have three places behind the point."""
OUT = -1
"""Step of a call that belongs to none."""
PIECE = 1 << 16
"""Calls that are worked on at once where memory counts."""


@dataclass(frozen=True)
class Spans:
    """How the time of one step on one device divides: kernels - overlap + gaps = whole.

    Attributes:
        step: Number of the step.
        device: Device; -1 for the processor.
        calls: How many calls.
        kernels_us: Sum of their times; on the processor of what each operator took itself, without those that it called.
        overlap_us: How much of that ran beside another of them.
        gaps_us: Time without any.
        whole_us: On a device, from the beginning of the first call to the end of the last; on the processor, the annotation's.
    """

    step: int
    device: int
    calls: int
    kernels_us: float
    overlap_us: float
    gaps_us: float
    whole_us: float


@dataclass(frozen=True)
class Attributed:
    """Calls with the steps they belong to.

    Attributes:
        step: Number of the step of each call, or `OUT`.
        time_us: Time of each call.
        name: Number of the name of each call.
        device: Device of each call.
        spans: Each step on each device that has calls in it.
        graphs: Graph launches of each step, and last of none.
    """

    step: Integers
    time_us: Floats
    name: Integers
    device: Integers
    spans: list[Spans]
    graphs: Integers


def attribute(profile: Profile) -> Attributed:
    """Return which step each call belongs to.

    A kernel belongs to the step in whose window it was launched, which its correlation says: it runs later, often in the window of
    the next step. Where a trace has no launches, and on the processor, it belongs to the step in whose window it begins.

    Raises:
        SetupError: The sums do not close; the message says which and by how much.
    """
    calls = profile.calls
    start, time = calls.start_us, calls.time_us
    lane = calls.lane
    launches = profile.launches
    windows = _Windows(profile.steps)
    launched = profile.on != CPU and len(launches) > 0
    step = _steps_launched(calls, launches, windows) if launched else windows.find(start, lane if profile.on == CPU else None)
    _assert_sane(profile, step, start, lane, launched=launched)
    own = _self_times(profile, start, time, lane) if profile.on == CPU else time
    device = np.array([device for device, _ in profile.lanes], np.int16)[lane]
    spans = _spans(profile, step, own, device, windows=not launched)
    graphs = np.zeros(len(profile.steps) + 1, np.int64)
    if len(launches):
        graph = launches.name == 1
        when = launches.start_us[graph]
        found = windows.find(when, launches.lane[graph])
        np.add.at(graphs, found, 1)
    result = Attributed(step, own, calls.name, device, spans, graphs)
    _assert_complete(result)
    return result


class _Windows:
    """Finds the step at a moment.

    Args:
        steps: In the order of their beginning.
    """

    def __init__(self, steps: Sequence[Step]) -> None:
        self.start = np.array([step.start_us for step in steps])
        self.end = np.array([step.end_us for step in steps])
        self.thread = np.array([step.thread for step in steps], np.int32)
        self.apart = bool(np.all(self.end[:-1] <= self.start[1:]))

    def find(self, at: Floats, thread: Integers | None) -> Integers:
        """Return the step at each moment; `OUT` for none.

        Where steps of several threads overlap, one belongs to a moment only on its own thread.
        """
        if self.apart:
            return self._find(at, np.arange(len(self.start), dtype=np.int32))
        if thread is None:
            raise SetupError("steps of several threads overlap, and the trace does not say who launched a kernel; profile the processor too")
        found = np.full(len(at), OUT, np.int32)
        for number in np.unique(self.thread):
            mine = thread == number
            found[mine] = self._find(at[mine], np.flatnonzero(self.thread == number))
        return found

    def _find(self, at: Floats, among: Integers) -> Integers:
        place = np.searchsorted(self.start[among], at, side="right") - 1
        step = among[np.maximum(place, 0)]
        inside = (place >= 0) & (at < self.end[step])
        return np.where(inside, step, OUT).astype(np.int32)


def _steps_launched(calls: Calls, launches: Calls, windows: _Windows) -> Integers:
    """Return the step in which each call was launched; `OUT` where the trace has no launch of it."""
    key = launches.correlation
    order = np.argsort(key, kind="stable")
    key = key[order]
    at, thread = launches.start_us, launches.lane
    correlation = calls.correlation
    step = np.empty(len(correlation), np.int32)
    # Piece by piece: what is computed on the way would take more memory than the calls themselves.
    for first in range(0, len(correlation), PIECE):
        wanted = correlation[first : first + PIECE]
        place = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        known = (key[place] == wanted) & (wanted != NONE)
        place = order[place]
        step[first : first + PIECE] = np.where(known, windows.find(at[place], thread[place]), OUT)
    return step


def _assert_sane(profile: Profile, step: Integers, start: Floats, lane: Integers, *, launched: bool) -> None:
    """Refuse a trace whose calls cannot have happened.

    One stream or thread does not do the same call twice at the same moment. And a stream is a queue: what one thread launched in a
    later step cannot run before what it launched in an earlier one.
    """
    name, time = profile.calls.name, profile.calls.time_us
    in_turn = launched and len({item.thread for item in profile.steps}) == 1
    order = np.lexsort((name, start, lane)).astype(np.int32)
    last = (OUT, OUT)
    for first in range(0, len(order), PIECE):
        piece = order[first : first + PIECE + 1]
        same = time[piece][1:] > 0
        for column in (start, time, name, lane):
            same &= np.diff(column[piece]) == 0
        if same.any():
            call = piece[int(np.argmax(same))]
            raise SetupError(f"{profile.names[name[call]]} is there twice at {start[call]:.3f} us in the same place; expected each call once")
        if in_turn:
            last = _assert_in_turn(profile, step, lane, order[first : first + PIECE], last)


def _assert_in_turn(profile: Profile, step: Integers, lane: Integers, order: Integers, last: tuple[int, int]) -> tuple[int, int]:
    """Return the last stream and its last step; raises SetupError when a step comes before an earlier one."""
    order = order[step[order] != OUT]
    steps, lanes = np.concatenate(([last[1]], step[order])), np.concatenate(([last[0]], lane[order]))
    wrong = np.flatnonzero((np.diff(steps) < 0) & (np.diff(lanes) == 0))
    if len(wrong):
        device, stream = profile.lanes[lanes[wrong[0]]]
        before, after = profile.steps[steps[wrong[0]]], profile.steps[steps[wrong[0] + 1]]
        raise SetupError(
            f"on stream {stream} of device {device} a kernel of step {after.name} at {after.start_us:.3f} us runs after one of the later step"
            f" {before.name} at {before.start_us:.3f} us; the correlations of this trace do not belong to its launches"
        )
    return int(lanes[-1]), int(steps[-1])


def _self_times(profile: Profile, start: Floats, time: Floats, lane: Integers) -> Floats:
    """Return the time of each operator less that of those it called, on its thread."""
    own = time.copy()
    open_calls: list[int] = []
    before = None
    end = start + time
    slack = _slack_us(start)
    for call in np.lexsort((-time, start, lane)).tolist():
        if lane[call] != before:
            before = lane[call]
            open_calls = []
        while open_calls and end[open_calls[-1]] <= start[call] + slack:
            open_calls.pop()
        if open_calls:
            outer = open_calls[-1]
            if end[call] > end[outer] + 2 * slack:
                names = [profile.names[profile.calls.name[number]] for number in (outer, call)]
                raise SetupError(f"{names[1]} begins inside {names[0]} and ends after it; on one thread an operator ends within its caller")
            own[outer] -= time[call]
        open_calls.append(call)
    return np.maximum(own, 0)


def _slack_us(start: Floats) -> float:
    """Return how far apart two times may be that are the same: the trace's own places, and a float's."""
    return RESOLUTION_US + 2 * float(np.spacing(np.max(np.abs(start)))) if len(start) else RESOLUTION_US


def _spans(profile: Profile, step: Integers, own: Floats, device: Integers, *, windows: bool) -> list[Spans]:
    """Return each step on each device, with its sums, once they close."""
    start, time = profile.calls.start_us, profile.calls.time_us
    slack = _slack_us(start)
    order = np.lexsort((start, device, step)).astype(np.int32)
    order = order[step[order] != OUT]
    if not len(order):
        raise SetupError(f"no call falls into any of the {len(profile.steps)} steps; are the annotations of another process?")
    border = np.flatnonzero((np.diff(step[order]) != 0) | (np.diff(device[order]) != 0)) + 1
    found = []
    for group in np.split(order, border):
        item = profile.steps[step[group[0]]]
        begins, ends = start[group], start[group] + time[group]
        reached = np.maximum.accumulate(ends)
        idle, beside = begins[1:] - reached[:-1], np.minimum(ends[1:], reached[:-1]) - begins[1:]
        gaps, overlap = float(idle[idle > 0].sum()), float(beside[beside > 0].sum())
        first, last = float(begins[0]), float(reached[-1])
        if windows:
            if last > item.end_us + slack:
                raise SetupError(
                    f"step {item.name}: its calls end {last - item.end_us:.3f} us after it, so kernels + gaps is more than the step;"
                    " calls on a device need their launches in the trace"
                )
            gaps += first - item.start_us + max(item.end_us - last, 0.0)
            first, last = item.start_us, item.end_us
        kernels = float(own[group].sum())
        if profile.on == CPU:
            # What an operator calls lies inside it: that overlap is nesting, and the callers' own times leave it out already.
            overlap -= float(time[group].sum()) - kernels
        missing = kernels - overlap + gaps - (last - first)
        if abs(missing) > slack * (2 * len(group) + 2):
            raise SetupError(
                f"step {item.name}: kernels {kernels:.3f} us - overlap {overlap:.3f} us + gaps {gaps:.3f} us"
                f" is {missing:+.3f} us off the step's {last - first:.3f} us"
            )
        found.append(Spans(int(step[group[0]]), int(device[group[0]]), len(group), kernels, max(overlap, 0.0), gaps, last - first))
    return found


def _assert_complete(found: Attributed) -> None:
    """Every call is in one step or in none: nothing is lost, nothing counted twice."""
    inside = found.step != OUT
    counted = sum(span.calls for span in found.spans) + int((~inside).sum())
    if counted != len(found.step):
        raise SetupError(f"{counted} calls in steps and outside, but {len(found.step)} in the trace")
    total = sum(span.kernels_us for span in found.spans) + float(found.time_us[~inside].sum())
    if abs(total - float(found.time_us.sum())) > 1e-6 * max(total, 1.0):
        raise SetupError(f"kernels of all steps and outside sum to {total:.3f} us, but those of the trace to {found.time_us.sum():.3f} us")
