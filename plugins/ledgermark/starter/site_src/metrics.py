"""The numbers of this site: each a function of the ledger."""

from ledgermark import Ledger, Quantity, mean, metric


@metric(unit="tok/s", formula="mean of rounds")
def rate(ledger: Ledger, arm: str) -> Quantity:
    """Decode rate of an arm, mean of its rounds."""
    return mean(row["tok_s"] for row in ledger.rows("rates", arm=arm))


@metric(unit="%", formula="rate(after) / rate(before) − 1")
def gain(ledger: Ledger) -> Quantity:
    """Change of the decode rate by the change measured here."""
    return rate(ledger, "after") / rate(ledger, "before") - 1
