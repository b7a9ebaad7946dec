"""Metrics of the control: the admission measured in five runs, on machines that send the model to the kernel and on machines that do not.

A cell is the mean of its rounds. Runs on the Radeons count tokens, runs on the A100 streamed chunks; only rates of one kind are divided.
"""

from decimal import Decimal

from once import once

from ledgermark import Ledger, Quantity, Row, count, largest, mean, metric, smallest, total

CHART_GRADE = Decimal("0.1")  # widest spread of the rounds of a cell that may be charted without a remark, as a share of their mean
GATES = ("stock", "admitted")  # the arms that differ only in the gate
RATES = {"gate_control_radeon": "tok_s", "gate_control_a100": "chunk_s"}


@once
def contexts_of_run(ledger: Ledger, run: str) -> tuple[int, ...]:
    """Return the contexts of a run, ascending. Raises ValueError for a run nobody made."""
    found = {int(row.text("context")) for dataset in RATES for row in ledger.rows(dataset, run=run, arm="stock")}
    if not found:
        raise ValueError(f"the control has no run '{run}'; it has {', '.join(_runs(ledger))}")
    return tuple(sorted(found))


def _rounds(ledger: Ledger, run: str, arm: str, context: int) -> list[Quantity]:
    return [row[column] for dataset, column in RATES.items() for row in ledger.rows(dataset, run=run, arm=arm, context=context)]


@once
def rate_of_cell(ledger: Ledger, run: str, arm: str, context: int) -> Quantity:
    """Return the rate of a cell, the mean of its rounds, in tok/s or chunk/s."""
    return mean(_rounds(ledger, run, arm, context))


@once
def spread_of_cell(ledger: Ledger, run: str, arm: str, context: int) -> Quantity:
    """Return how far the rounds of a cell lie apart."""
    return spread(_rounds(ledger, run, arm, context))


def spread(rounds: list[Quantity]) -> Quantity:
    """Return (max − min) / mean of the rounds of a cell."""
    return (largest(rounds) - smallest(rounds)) / mean(rounds)


def _runs(ledger: Ledger) -> list[str]:
    return list(dict.fromkeys(row.text("run") for dataset in RATES for row in ledger.rows(dataset)))


def _rows(ledger: Ledger, **keys: str | int) -> list[Row]:
    return [row for dataset in RATES for row in ledger.rows(dataset, arm=GATES, **keys)]


def _spreads(ledger: Ledger, run: str) -> list[Quantity]:
    return [spread_of_cell(ledger, run, arm, context) for arm in GATES for context in contexts_of_run(ledger, run)]


@metric(unit="×", formula="mean rate(admitted) / mean rate(stock)")
def control_speedup(ledger: Ledger, run: str, context: int) -> Quantity:
    """How many times the rate of the stock gate a run of the control reaches with the admission; each rate is the mean of its rounds."""
    return rate_of_cell(ledger, run, "admitted", context) / rate_of_cell(ledger, run, "stock", context)


@metric(unit="%", formula="mean over contexts of (mean rate(admitted) / mean rate(stock)) − 1")
def control_gain(ledger: Ledger, run: str) -> Quantity:
    """Change in decode rate by the admission in one run of the control, as the mean of the ratios at its contexts."""
    return mean(control_speedup(ledger, run, context) for context in contexts_of_run(ledger, run)) - 1


@metric(unit="%", formula="max |mean rate(admitted) / mean rate(stock) − 1|")
def control_largest_change(ledger: Ledger, runs: tuple[str, ...]) -> Quantity:
    """Largest change by the admission at any context of the runs named, in either direction."""
    return largest(abs(control_speedup(ledger, run, context) - 1) for run in runs for context in contexts_of_run(ledger, run))


@metric(unit="%", formula="max (max − min) / mean")
def control_largest_spread(ledger: Ledger, run: str) -> Quantity:
    """Widest spread between the two rounds of any cell of a run, as a share of their mean."""
    return largest(_spreads(ledger, run))


@metric(unit="1", formula="count of (max − min) / mean > 10 %")
def control_uneven_cells(ledger: Ledger, run: str) -> Quantity:
    """Cells of a run whose two rounds lie further apart than the tenth of their mean that chart grade allows."""
    spreads = _spreads(ledger, run)
    return 0 * largest(spreads) + sum(width > CHART_GRADE for width in spreads)  # the zero carries the evidence: every cell decides the count


@metric(unit="1", formula="Σ over runs of count of (max − min) / mean > 10 %")
def control_uneven_total(ledger: Ledger, runs: tuple[str, ...]) -> Quantity:
    """Cells of the runs named whose two rounds lie further apart than the tenth of their mean that chart grade allows."""
    return total(control_uneven_cells(ledger, run) for run in runs)


@metric(unit="1")
def control_cells(ledger: Ledger, run: str) -> Quantity:
    """Cells of a run of the control: the two gates at each context."""
    return count(_rows(ledger, run=run, round=1))


@metric(unit="rung", formula="min over runs of cells / 2")
def control_contexts(ledger: Ledger) -> Quantity:
    """Context lengths at which every run of the control was measured."""
    return smallest(count(_rows(ledger, run=run, round=1), unit="rung") / len(GATES) for run in _runs(ledger))


@metric(unit="run", formula="runs with both gates")
def control_runs(ledger: Ledger) -> Quantity:
    """Runs of the control."""
    first = [ledger.rows(dataset, run=run, arm=arm) for arm in GATES for run in _runs(ledger) for dataset in RATES]
    return count([rows[0] for rows in first if rows], unit="run") / len(GATES)


@metric(unit="token", formula="min over runs of context")
def control_shortest(ledger: Ledger) -> Quantity:
    """Shortest context at which the control was measured."""
    return smallest(row["context"] for row in _rows(ledger))


@metric(unit="token", formula="max over runs of context")
def control_longest(ledger: Ledger) -> Quantity:
    """Longest context at which the control was measured."""
    return largest(row["context"] for row in _rows(ledger))


@metric(unit="round", formula="min over contexts of rows / 2")
def control_rounds(ledger: Ledger) -> Quantity:
    """Rounds in which every cell of the control was measured."""
    places = ((run, context) for run in _runs(ledger) for context in contexts_of_run(ledger, run))
    return smallest(count(_rows(ledger, run=run, context=context), unit="round") / len(GATES) for run, context in places)


@metric(unit="tok/s", formula="mean of rounds")
def control_rate_radeon(ledger: Ledger, run: str, arm: str, context: int) -> Quantity:
    """Decode rate of a cell of the control on the Radeons, in tokens, mean of its rounds."""
    return mean(row["tok_s"] for row in ledger.rows("gate_control_radeon", run=run, arm=arm, context=context))


@metric(unit="chunk/s", formula="mean of rounds")
def control_rate_a100(ledger: Ledger, run: str, arm: str, context: int) -> Quantity:
    """Decode rate of a cell of the control on the A100, in streamed chunks, mean of its rounds."""
    return mean(row["chunk_s"] for row in ledger.rows("gate_control_a100", run=run, arm=arm, context=context))


@metric(unit="%", formula="mean rate(MTP) / mean rate(no speculation) − 1")
def elsewhere_gain(ledger: Ledger, context: int) -> Quantity:
    """Change in decode rate when MTP is switched on, Qwen3.8-27B on the two Radeons as the engine routes it, away from this kernel."""
    run = "q38_radeon_routed"
    return rate_of_cell(ledger, run, "stock", context) / rate_of_cell(ledger, run, "no_speculation", context) - 1


@metric(unit="%", formula="mean 1/(wall − first chunk)(MTP) / mean 1/(wall − first chunk)(no speculation) − 1")
def elsewhere_gain_a100(ledger: Ledger, context: int) -> Quantity:
    """Change in decode rate when MTP is switched on, Qwen3.8-27B on the A100 as the engine routes it; from times of equally long requests."""
    mtp, none = (ledger.rows("gate_control_a100", run="q38_a100_routed", arm=arm, context=context) for arm in ("stock", "no_speculation"))
    with_mtp, without = (mean(1 / (row["wall_s"] - row["first_chunk_s"]) for row in rows) for rows in (mtp, none))
    return with_mtp / without - 1
