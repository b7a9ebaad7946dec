"""What the rounds of two arms say, computed from their rows: one value each, or two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import columns
from .plan import FAILED, MEASURED, OK
from .rungs import last_attempts, summarize
from .stats import find_modes, mean
from .table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

KEY = ("machine", "stack", "date", "run", "arm", "context", "method")
AB_CELLS = Table(
    title="Two arms by context",
    row="One arm at one context, its measured rounds together.",
    description="One row is one arm at one context: its measured rounds together. Where the gap test finds two groups of rounds, there is no"
    " mean and no ratio, but the mean of either group. Chart grade: at least two rounds, one group, and a spread of at most 10 %.",
    columns=(
        *columns.RUN[:4],
        Column("arm", "Which of the two.", required=True),
        columns.CONTEXT,
        Column("method", "How decoding was separated from prefill.", required=True, enum=("stream", "difference")),
        Column("status", "Whether the cell was measured.", required=True, enum=(OK, FAILED)),
        Column("reason", "Why not, where it was not."),
        Column("rounds", "Rounds that were measured.", "round", "integer", required=True, minimum=0),
        Column("tested", "Whether there were rounds enough for the gap test.", type="boolean", required=True),
        Column("modes", "Groups that the rounds fall into.", "1", "integer", minimum=1),
        Column("tok_s", "Mean rate of decoding; empty where there are two modes.", "tok/s", "number", minimum=0),
        Column("low_tok_s", "Slowest round.", "tok/s", "number", minimum=0),
        Column("high_tok_s", "Fastest round.", "tok/s", "number", minimum=0),
        Column("spread_pct", "(max - min) / mean of the rounds.", "%", "number", minimum=0),
        Column("chart_grade", "Whether the cell may stand in a chart as one point.", type="boolean", required=True),
        Column("low_mode_tok_s", "Mean of the slower group.", "tok/s", "number", minimum=0),
        Column("low_mode_rounds", "Rounds in it.", "round", "integer", minimum=2),
        Column("high_mode_tok_s", "Mean of the faster group.", "tok/s", "number", minimum=0),
        Column("high_mode_rounds", "Rounds in it.", "round", "integer", minimum=2),
        Column("ratio", "Mean over that of the first arm in the same run; empty where either has none.", "×", "number", minimum=0),
    ),
    key=KEY,
    instrument="scripts/measure/ab.py",
    evidence="summary",
    note="The rounds are the rows of the file beside this one, without _cells in its name; this one is computed from them.",
)


def compare(rows: Sequence[dict[str, str]]) -> list[dict[str, Any]]:
    """Return one row for each arm at each context."""
    found: list[dict[str, Any]] = []
    first: dict[str, str] = {}
    for row in rows:
        first.setdefault(row["run"], row["arm"])
    for name, own in last_attempts(rows, KEY).items():
        cells: dict[str, Any] = dict(zip(KEY, name, strict=True))
        failed = next((row for row in own if row["status"] == FAILED), None)
        if failed:
            found.append({**cells, "status": FAILED, "reason": failed["reason"], "rounds": 0, "tested": False, "chart_grade": False})
            continue
        values = [float(row["tok_s"]) for row in own if row["phase"] == MEASURED]
        modes = find_modes(values)
        cells |= {"status": OK, "tested": modes.tested, **summarize(values)}
        if values:
            cells["modes"] = len(modes.groups)
        if modes.bimodal:
            low, high = modes.groups
            cells |= {"tok_s": None, "chart_grade": False}
            cells |= {"low_mode_tok_s": mean(low), "low_mode_rounds": len(low), "high_mode_tok_s": mean(high), "high_mode_rounds": len(high)}
        found.append(cells)
    base = {(cells["run"], cells["context"], cells["method"]): cells.get("tok_s") for cells in found if cells["arm"] == first[cells["run"]]}
    for cells in found:
        against = base.get((cells["run"], cells["context"], cells["method"]))
        if against and cells.get("tok_s"):
            cells["ratio"] = cells["tok_s"] / against
    return found
