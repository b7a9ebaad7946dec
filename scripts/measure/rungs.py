"""What the rounds of a rung say together, computed from their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import columns
from .plan import FAILED, MEASURED, OK
from .stats import chart_grade, mean, spread_pct
from .table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

KEY = ("machine", "stack", "date", "run", "model", "kind", "context", "method")
RUNGS = Table(
    title="Rungs of the ladder",
    row="One rung, its measured rounds together.",
    description="One row is one rung: its measured rounds together, the warm-up left out. Chart grade: at least two rounds, and a spread,"
    " (max - min) / mean, of at most 10 %.",
    columns=(
        *columns.RUN[:4],
        Column("model", "The model, as the server calls it.", required=True),
        Column("kind", "What was measured.", required=True, enum=("decode", "prefill")),
        columns.CONTEXT,
        Column("method", "How decoding was separated from prefill.", required=True, enum=("stream", "difference")),
        Column("status", "Whether the rung was measured.", required=True, enum=(OK, FAILED)),
        Column("reason", "Why not, where it was not."),
        Column("rounds", "Rounds that were measured.", "round", "integer", required=True, minimum=0),
        Column("tok_s", "Mean rate: of decoding, or of reading the prompt, by kind.", "tok/s", "number", minimum=0),
        Column("low_tok_s", "Slowest round.", "tok/s", "number", minimum=0),
        Column("high_tok_s", "Fastest round.", "tok/s", "number", minimum=0),
        Column("spread_pct", "(max - min) / mean of the rounds.", "%", "number", minimum=0),
        Column("chart_grade", "Whether the rung may stand in a chart.", type="boolean", required=True),
    ),
    key=KEY,
    instrument="scripts/measure/ladder.py",
    evidence="summary",
    note="The rounds are the rows of the file beside this one, without _rungs in its name; this one is computed from them.",
)


def last_attempts(rows: Sequence[dict[str, str]], key: Sequence[str]) -> dict[tuple[str, ...], list[dict[str, str]]]:
    """Return the rows of each rung's last attempt, in the order in which rungs first appear."""
    groups: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in key), []).append(row)
    last = {name: max(int(row["attempt"]) for row in own) for name, own in groups.items()}
    return {name: [row for row in own if int(row["attempt"]) == last[name]] for name, own in groups.items()}


def summarize(values: Sequence[float]) -> dict[str, object]:
    """Return what rounds say together, as cells; empty but for the count when there is none."""
    if not values:
        return {"rounds": 0, "chart_grade": False}
    return {
        "rounds": len(values),
        "tok_s": mean(values),
        "low_tok_s": min(values),
        "high_tok_s": max(values),
        "spread_pct": spread_pct(values),
        "chart_grade": chart_grade(values),
    }


def rungs(rows: Sequence[dict[str, str]]) -> list[dict[str, Any]]:
    """Return one row for each rung."""
    found = []
    for name, own in last_attempts(rows, KEY).items():
        cells: dict[str, Any] = dict(zip(KEY, name, strict=True))
        failed = next((row for row in own if row["status"] == FAILED), None)
        column = "tok_s" if cells["kind"] == "decode" else "prefill_tok_s"
        values = [float(row[column]) for row in own if row["phase"] == MEASURED and row["status"] == OK]
        if failed:
            found.append({**cells, "status": FAILED, "reason": failed["reason"], "rounds": 0, "chart_grade": False})
        else:
            found.append({**cells, "status": OK, **summarize(values)})
    return found
