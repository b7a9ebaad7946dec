"""Metrics of the ladder on random weights: a model of a known shape, served by transformers on one H200."""

from gate_control import spread

from ledgermark import Ledger, Quantity, Row, largest, mean, metric, smallest

DATASET = "h200_decode"


def measured_rounds(ledger: Ledger, context: int) -> list[Row]:
    """Return the measured rounds of a rung, without the one that warms up."""
    return list(ledger.rows(DATASET, context=context, phase="measured", status="ok"))


def rungs(ledger: Ledger) -> list[int]:
    """Return the contexts of the ladder, ascending."""
    return sorted({int(row.text("context")) for row in ledger.rows(DATASET)})


@metric(unit="tok/s", formula="mean of rounds")
def random_rate(ledger: Ledger, context: int) -> Quantity:
    """Decode rate of the model with random weights under transformers on the H200."""
    return mean(row["tok_s"] for row in measured_rounds(ledger, context))


@metric(unit="%", formula="(max − min) / mean of rounds")
def random_spread(ledger: Ledger, context: int) -> Quantity:
    """How far the rounds of a rung of the ladder on random weights lie apart."""
    return spread([row["tok_s"] for row in measured_rounds(ledger, context)])


@metric(unit="tok/s")
def random_slowest(ledger: Ledger) -> Quantity:
    """Slowest measured round of the ladder on random weights."""
    return smallest(row["tok_s"] for context in rungs(ledger) for row in measured_rounds(ledger, context))


@metric(unit="tok/s")
def random_fastest(ledger: Ledger) -> Quantity:
    """Fastest measured round of the ladder on random weights."""
    return largest(row["tok_s"] for context in rungs(ledger) for row in measured_rounds(ledger, context))
