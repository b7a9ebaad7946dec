"""Rows of a trace: each kernel in each context, and each step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from . import columns
from .table import Column, Table
from .trace_steps import OUTSIDE
from .trace_sums import OUT

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .trace_profile import Profile
    from .trace_sums import Attributed

INSTRUMENT = "scripts/measure/trace.py"
FACTS = (
    *columns.RUN[:-1],
    Column("arm", "What was switched on, as the person who profiled calls it.", required=True),
)
WHERE = (
    Column("phase", "What the step did: decode, prefill, mixed, step where nothing says, or outside of any step.", required=True),
    Column("context", "Tokens of context; 0 where the trace does not say.", "tok", "integer", required=True, minimum=0),
    Column("device", "Number of the device; -1 for the processor.", "1", "integer", required=True, minimum=-1),
)
GRAPHS = Column(
    "graph_launches", "Launches of captured graphs (cudaGraphLaunch, hipGraphLaunch).", "launch", "integer", required=True, minimum=0
)
FILE = (
    Column("trace_file", "Name of the trace.", required=True),
    Column("trace_sha256", "SHA-256 of the file.", required=True),
)


def _time(name: str, what: str, *, required: bool = True) -> Column:
    return Column(name, what, "us", "number", required=required, minimum=0)


TRACE = Table(
    title="Time of kernels in the steps of an engine, from a profiler",
    row="One kernel in all steps of one kind at one context.",
    description="One row is one kernel in all steps of one kind at one context. A kernel belongs to the step in whose window it was launched"
    " (by its correlation), so that steps that read a prompt are told from steps that decode. Statistics are over calls; the share is of the"
    " time of those steps. Kernels outside any step have rows of their own. Of the processor, a kernel is an operator and its time is its own,"
    " without the operators it called.",
    columns=(
        *FACTS,
        *WHERE,
        Column("kernel", "Name of the kernel.", required=True),
        Column("steps", "Steps of that kind at that context; 0 outside.", "step", "integer", required=True, minimum=0),
        Column("calls", "Calls of the kernel in them.", "call", "integer", required=True, minimum=1),
        _time("median_us", "Median time of a call."),
        _time("p75_us", "75th percentile of the time of a call."),
        _time("max_us", "Slowest call."),
        _time("mean_us", "Mean time of a call."),
        _time("total_us", "Time of all calls."),
        Column("share_pct", "Share of that in the time of the steps; empty outside.", "%", "number", minimum=0),
        GRAPHS,
        *FILE,
    ),
    key=("machine", "stack", "date", "run", "arm", "phase", "context", "device", "kernel"),
    instrument=INSTRUMENT,
    evidence="summary",
    note="Statistics over the calls in a profiler's trace, which is not here; the column trace_file names it, trace_sha256 tells it.",
)
STEPS = Table(
    title="Steps of an engine, from a profiler",
    row="One step on one device.",
    description="One row is one step on one device: kernels - overlap + gaps = step, which was checked before it was written. The step of a"
    " device lasts from the beginning of its first kernel to the end of its last; of the processor, as long as its annotation.",
    columns=(
        *FACTS,
        *WHERE,
        Column("step", "Number of the step in the trace, from 1.", "1", "integer", required=True, minimum=1),
        Column("name", "Its annotation.", required=True),
        Column("calls", "Kernels in it.", "call", "integer", required=True, minimum=0),
        _time("step_us", "How long it took."),
        _time("kernels_us", "Sum of the times of its kernels."),
        _time("overlap_us", "How much of that ran beside another kernel."),
        _time("gaps_us", "Time without any kernel."),
        GRAPHS,
        *FILE,
    ),
    key=("machine", "stack", "date", "run", "arm", "step", "device"),
    instrument=INSTRUMENT,
    evidence="summary",
    note=TRACE.note,
)


def kernel_rows(profile: Profile, found: Attributed) -> list[dict[str, object]]:
    """Return the rows of `TRACE`, without what all share: phase by phase, by context, the kernel with the most time first."""
    kinds = sorted({(step.phase, step.context) for step in profile.steps})
    number_of = {kind: number for number, kind in enumerate(kinds)}
    kind_of = np.array([*(number_of[step.phase, step.context] for step in profile.steps), len(kinds)], np.int32)
    kind = kind_of[found.step]
    whole: dict[tuple[int, int], float] = {}
    count: dict[tuple[int, int], int] = {}
    for span in found.spans:
        place = (int(kind_of[span.step]), span.device)
        whole[place] = whole.get(place, 0.0) + span.whole_us
        count[place] = count.get(place, 0) + 1
    graphs = np.bincount(kind_of, weights=found.graphs, minlength=len(kinds) + 1)
    order = np.lexsort((found.name, found.device, kind)).astype(np.int32)
    border = np.flatnonzero((np.diff(found.name[order]) != 0) | (np.diff(found.device[order]) != 0) | (np.diff(kind[order]) != 0)) + 1
    rows: list[tuple[int, int, float, dict[str, object]]] = []
    for group in np.split(order, border):
        number, device = int(kind[group[0]]), int(found.device[group[0]])
        phase, context = kinds[number] if number < len(kinds) else (OUTSIDE, 0)
        time = found.time_us[group]
        total, whole_us = float(time.sum()), whole.get((number, device), 0.0)
        median, p75 = np.percentile(time, (50, 75))
        row: dict[str, object] = {
            "phase": phase,
            "context": context,
            "device": device,
            "kernel": profile.names[int(found.name[group[0]])],
            "steps": count.get((number, device), 0),
            "calls": len(group),
            "median_us": float(median),
            "p75_us": float(p75),
            "max_us": float(time.max()),
            "mean_us": float(time.mean()),
            "total_us": total,
            "share_pct": total / whole_us * 100 if whole_us else None,
            "graph_launches": int(graphs[number]),
        }
        rows.append((number, device, -total, row))
    return [row for _, _, _, row in sorted(rows, key=lambda item: (*item[:3], str(item[3]["kernel"])))]


def step_rows(profile: Profile, found: Attributed) -> Iterator[dict[str, object]]:
    """Yield the rows of `STEPS`, without what all share, in order; a step without any kernel has none."""
    # Spans are in the order of their steps, and of the devices within one.
    for span in found.spans:
        step = profile.steps[span.step]
        yield {
            "phase": step.phase,
            "context": step.context,
            "device": span.device,
            "step": span.step + 1,
            "name": step.name,
            "calls": span.calls,
            "step_us": span.whole_us,
            "kernels_us": span.kernels_us,
            "overlap_us": span.overlap_us,
            "gaps_us": span.gaps_us,
            "graph_launches": int(found.graphs[span.step]),
        }


def outside(found: Attributed) -> tuple[int, float]:
    """Return how many calls belong to no step, and their time in microseconds."""
    out = found.step == OUT
    return int(out.sum()), float(found.time_us[out].sum())
