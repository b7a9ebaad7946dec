"""Rows of a collective: each round of each size, and what the rounds of a size say together."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING

from . import columns
from .plan import FAILED, MEASURED, OK
from .rungs import last_attempts
from .stats import chart_grade, spread_pct
from .table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

INSTRUMENT = "scripts/measure/collective.py"
ALL_REDUCE, ALL_GATHER = "all_reduce", "all_gather"
OPERATIONS = (ALL_REDUCE, ALL_GATHER)
GRAPH, EAGER, SYNC = "graph", "eager", "sync"
MODES = (GRAPH, EAGER, SYNC)
FORMULA = (
    "Algorithm bandwidth: S/t. Bus bandwidth: that times 2(n-1)/n (all_reduce) or (n-1)/n (all_gather);"
    " after NVIDIA/nccl-tests, doc/PERFORMANCE.md."
)
WHERE = (
    Column("backend", "Library that moves the bytes.", required=True),
    Column("ranks", "Processes, each with a device of its own (or on the processor).", "1", "integer", required=True, minimum=1),
    Column("hosts", "Machines they are on.", "1", "integer", required=True, minimum=1),
    Column("link", "Slowest link between two of the devices, as the driver calls it (NV18, PIX, SYS); network between hosts.", required=True),
    Column("operation", "What is done together.", required=True, enum=OPERATIONS),
    Column("dtype", "Type of the elements.", required=True),
    Column("mode", "Replay of a captured graph; calls in a row; or calls each of which is waited for.", required=True, enum=MODES),
    Column(
        "message_bytes",
        "Size S: of the buffer that is reduced, or of all that is gathered.",
        "byte",
        "integer",
        required=True,
        minimum=1,
    ),
)
COLLECTIVE = Table(
    title="Collectives by message size",
    row="One round of one size.",
    description="One row is one round: calls in a row, their time divided by their number, of the slowest rank. Before a size is timed, each"
    f" rank compares the result with the one computed alone, element by element. {FORMULA}",
    columns=(
        *columns.RUN,
        *WHERE,
        columns.ROUND,
        *columns.STATE,
        Column("calls", "Calls in the round.", "call", "integer", minimum=1),
        Column("us_per_call", "Time of a call.", "us", "number", minimum=0),
        Column("algorithm_gb_s", "Algorithm bandwidth.", "GB/s", "number", minimum=0),
        Column("bus_gb_s", "Bus bandwidth.", "GB/s", "number", minimum=0),
    ),
    key=("machine", "stack", "date", "run", "operation", "dtype", "mode", "message_bytes", "round", "attempt"),
    instrument=INSTRUMENT,
)
SIZES = Table(
    title="Collectives by message size, rounds together",
    row="One size, its measured rounds together.",
    description=f"One row is one size: the median of its measured rounds and their spread, (max - min) / mean. {FORMULA}",
    columns=(
        *columns.RUN[:-1],
        *WHERE,
        Column("status", "Whether the size was measured.", required=True, enum=(OK, FAILED)),
        Column("reason", "Why not, where it was not."),
        Column("rounds", "Measured rounds.", "1", "integer", required=True, minimum=0),
        Column("median_us", "Median time of a call.", "us", "number", minimum=0),
        Column("min_us", "Fastest round.", "us", "number", minimum=0),
        Column("max_us", "Slowest round.", "us", "number", minimum=0),
        Column("spread_pct", "Spread of the rounds.", "%", "number", minimum=0),
        Column(
            "chart_grade",
            "Whether it may stand as one point in a chart: two rounds or more, spread at most 10 %.",
            type="boolean",
            required=True,
        ),
        Column("algorithm_gb_s", "Algorithm bandwidth, at the median.", "GB/s", "number", minimum=0),
        Column("bus_gb_s", "Bus bandwidth, at the median.", "GB/s", "number", minimum=0),
    ),
    key=("machine", "stack", "date", "run", "operation", "dtype", "mode", "message_bytes"),
    instrument=INSTRUMENT,
    evidence="summary",
    note="Computed from the rounds in the file beside it, of the same name without _sizes.",
)


def bandwidths(operation: str, message_bytes: int, ranks: int, us: float) -> tuple[float, float]:
    """Return algorithm and bus bandwidth in GB/s (1e9 bytes), as `FORMULA` has them; raises ValueError when us <= 0."""
    if us <= 0:
        raise ValueError(f"a bandwidth needs a time above 0, not {us}")
    algorithm = message_bytes / us / 1e3
    return algorithm, algorithm * (2 if operation == ALL_REDUCE else 1) * (ranks - 1) / ranks


def sizes(rows: Sequence[dict[str, str]]) -> list[dict[str, object]]:
    """Return the rows of `SIZES`, in the order in which sizes first appear."""
    own = [name for name in SIZES.names if name in COLLECTIVE.names and name not in ("status", "reason", "algorithm_gb_s", "bus_gb_s")]
    found: list[dict[str, object]] = []
    for members in last_attempts(rows, SIZES.key).values():
        first = members[0]
        broken = next((row for row in members if row["status"] == FAILED), None)
        times = [float(row["us_per_call"]) for row in members if row["status"] == OK and row["phase"] == MEASURED]
        cells: dict[str, object] = {
            **{name: first[name] for name in own},
            "status": FAILED if broken else OK,
            "reason": broken["reason"] if broken else None,
            "rounds": len(times),
            "chart_grade": not broken and chart_grade(times),
        }
        if times:
            median = statistics.median(times)
            algorithm, bus = bandwidths(first["operation"], int(first["message_bytes"]), int(first["ranks"]), median)
            cells |= {"median_us": median, "min_us": min(times), "max_us": max(times), "spread_pct": spread_pct(times)}
            cells |= {"algorithm_gb_s": algorithm, "bus_gb_s": bus}
        found.append(cells)
    return found
