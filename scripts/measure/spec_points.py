"""What a sweep of speculation says, computed from its rows: ratios, acceptance, the best length and the depth of loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import columns
from .acceptance import Counters, read_positions
from .crossing import Crossing, best_tokens, find_crossing
from .plan import FAILED, MEASURED, OK
from .rungs import last_attempts, summarize
from .speculation import NONE
from .table import Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

POINT = ("machine", "stack", "date", "run", "method", "num_speculative_tokens", "context")
SCRIPT = "scripts/measure/spec.py"
NOTE = "The single answers are the rows of the file that this one is named after; it is computed from them."
METHOD = Column("method", "How tokens are drafted; none without speculation.", required=True)
TOKENS = Column("num_speculative_tokens", "Tokens drafted in a step; 0 without speculation.", "tok", "integer", required=True, minimum=0)
POINTS = Table(
    title="Speculation by method, length and context",
    row="One method with one proposal length at one context.",
    description="One row is one method with one proposal length at one context: all prompts of a round together are one rate, tokens over"
    " time. Ratio: its mean rate over that of no speculation in the same run. Chart grade: at least two rounds, a spread of at most 10 %.",
    columns=(
        *columns.RUN[:4],
        METHOD,
        TOKENS,
        columns.CONTEXT,
        Column("status", "Whether all prompts were measured.", required=True, enum=(OK, FAILED)),
        Column("reason", "Why not, where they were not."),
        Column("rounds", "Rounds that were measured.", "round", "integer", required=True, minimum=0),
        Column("tok_s", "Mean rate of decoding.", "tok/s", "number", minimum=0),
        Column("low_tok_s", "Slowest round.", "tok/s", "number", minimum=0),
        Column("high_tok_s", "Fastest round.", "tok/s", "number", minimum=0),
        Column("spread_pct", "(max - min) / mean of the rounds.", "%", "number", minimum=0),
        Column("chart_grade", "Whether the point may stand in a chart.", type="boolean", required=True),
        Column("ratio", "Mean rate over that of no speculation in the same run.", "×", "number", minimum=0),
        Column("mean_acceptance_length", "Tokens that a step yields: 1 + accepted / steps.", "tok/step", "number", minimum=1),
        Column("acceptance_pct", "Accepted of the drafted tokens.", "%", "number", minimum=0),
    ),
    key=POINT,
    instrument=SCRIPT,
    evidence="summary",
    note=NOTE,
)
POSITIONS = Table(
    title="Acceptance by position",
    row="One position in the proposals of one method at one context.",
    description="One row is one position in the proposals of one method at one context: in how many of the steps its token was accepted.",
    columns=(
        *columns.RUN[:4],
        METHOD,
        TOKENS,
        columns.CONTEXT,
        Column("position", "Position in the proposal, from 1.", "1", "integer", required=True, minimum=1),
        Column("drafts", "Steps that drafted.", "step", "number", required=True, minimum=0),
        Column("accepted_tokens", "Tokens accepted at this position.", "tok", "number", required=True, minimum=0),
        Column("acceptance_pct", "Accepted tokens over steps.", "%", "number", required=True, minimum=0),
    ),
    key=(*POINT, "position"),
    instrument=SCRIPT,
    evidence="summary",
    note=NOTE,
)
BEST = Table(
    title="Best length and depth of loss by method",
    row="One method.",
    description="One row is one method. Best length: the highest ratio at the shallowest context that all lengths have. Its loss begins between"
    " gain_at and loss_at, which a bisection between the rungs has brought together.",
    columns=(
        *columns.RUN[:4],
        METHOD,
        Column("best_tokens", "Proposal length with the highest ratio at the shallowest context.", "tok", "integer", required=True, minimum=1),
        Column("best_ratio", "That ratio.", "×", "number", required=True, minimum=0),
        Column("state", "Gain or loss at all depths, or crosses.", required=True, enum=("gain", "loss", "crosses")),
        Column("gain_at", "Deepest context that is no loss, where it crosses.", "tok", "integer", minimum=1),
        Column("loss_at", "Shallowest context that is a loss, where it crosses.", "tok", "integer", minimum=1),
    ),
    key=("machine", "stack", "date", "run", "method"),
    instrument=SCRIPT,
    evidence="summary",
    note=NOTE,
)


def counters_of(rows: Iterable[dict[str, str]]) -> Counters:
    """Return what rows counted together."""
    total = Counters()
    for row in rows:
        if row["drafts"]:
            positions = read_positions(row["accepted_per_position"])
            total += Counters(float(row["drafts"]), float(row["draft_tokens"]), float(row["accepted_tokens"]), positions)
    return total


def _rates(rows: Sequence[dict[str, str]]) -> list[float]:
    """Return the rate of each whole round: the tokens of all prompts over the time of all."""
    rounds: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        if row["phase"] == MEASURED and row["status"] == OK:
            rounds.setdefault(row["round"], []).append(row)
    prompts = {row["prompt"] for row in rows}
    whole = [own for own in rounds.values() if {row["prompt"] for row in own} == prompts]
    return [sum(float(row["decode_tokens"]) for row in own) / sum(float(row["decode_s"]) for row in own) for own in whole]


def points(rows: Sequence[dict[str, str]]) -> list[dict[str, Any]]:
    """Return one row for each method, length and context."""
    found: list[dict[str, Any]] = []
    for name, own in last_attempts(rows, POINT).items():
        cells: dict[str, Any] = dict(zip(POINT, name, strict=True))
        failed = next((row for row in own if row["status"] == FAILED), None)
        if failed:
            found.append({**cells, "status": FAILED, "reason": failed["reason"], "rounds": 0, "chart_grade": False})
            continue
        counted = counters_of(row for row in own if row["phase"] == MEASURED)
        share = counted.acceptance
        cells |= {"status": OK, **summarize(_rates(own)), "mean_acceptance_length": counted.mean_length}
        found.append({**cells, "acceptance_pct": None if share is None else share * 100})
    base = {(cells["run"], cells["context"]): cells.get("tok_s") for cells in found if cells["method"] == NONE}
    for cells in found:
        against = base.get((cells["run"], cells["context"]))
        if against and cells.get("tok_s"):
            cells["ratio"] = cells["tok_s"] / against
    return found


def positions(rows: Sequence[dict[str, str]]) -> list[dict[str, Any]]:
    """Return one row for each position of each proposal."""
    found: list[dict[str, Any]] = []
    for name, own in last_attempts(rows, POINT).items():
        counted = counters_of(row for row in own if row["phase"] == MEASURED and row["status"] == OK)
        base = dict(zip(POINT, name, strict=True))
        found += [
            {**base, "position": place, "drafts": counted.drafts, "accepted_tokens": value, "acceptance_pct": value / counted.drafts * 100}
            for place, value in enumerate(counted.positions, 1)
        ]
    return found


def ratios_of(summary: Iterable[dict[str, Any]], run: str, method: str) -> dict[int, dict[int, float]]:
    """Return the ratios of a method by length and context."""
    found: dict[int, dict[int, float]] = {}
    for cells in summary:
        if cells["run"] == run and cells["method"] == method and cells.get("ratio"):
            found.setdefault(int(cells["num_speculative_tokens"]), {})[int(cells["context"])] = float(cells["ratio"])
    return found


def best(summary: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return one row for each method that has a ratio."""
    found: list[dict[str, Any]] = []
    heads = dict.fromkeys(tuple(cells[name] for name in BEST.key) for cells in summary if cells["method"] != NONE)
    for head in heads:
        ratios = ratios_of(summary, head[3], head[4])
        tokens = best_tokens(ratios)
        if tokens is None:
            continue
        crossing: Crossing = find_crossing(ratios[tokens])
        first = min(set.intersection(*(set(by_depth) for by_depth in ratios.values())))
        cells = dict(zip(BEST.key, head, strict=True))
        cells |= {"best_tokens": tokens, "best_ratio": ratios[tokens][first], "state": crossing.state}
        found.append({**cells, "gain_at": crossing.gain_at, "loss_at": crossing.loss_at})
    return found
