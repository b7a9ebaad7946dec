"""The metrics of the site in miniature."""

from ledgermark import Ledger, Quantity, count, largest, metric


@metric(unit="%", formula="rate(fast) / rate(base) − 1")
def gain(ledger: Ledger, context: int) -> Quantity:
    """Change in rate from base to fast."""
    return ledger.one("ladder", arm="fast", context=context)["tok_s"] / ledger.one("ladder", arm="base", context=context)["tok_s"] - 1


@metric(unit="%")
def widest(ledger: Ledger, contexts: tuple[int, ...]) -> Quantity:
    """Largest change in rate, over the contexts named."""
    return largest(abs(gain(ledger, context)) for context in contexts)


@metric(unit="×")
def slowdown(ledger: Ledger) -> Quantity:
    """How many times longer the median call takes."""
    return ledger.one("trace", arm="fast")["median_us"] / ledger.one("trace", arm="base")["median_us"]


@metric(unit="day")
def gap(ledger: Ledger) -> Quantity:
    """Days between the two arms."""
    return ledger.one("ladder", arm="fast", context=1024)["date"] - ledger.one("ladder", arm="base", context=1024)["date"]


@metric(unit="row")
def cells(ledger: Ledger) -> Quantity:
    """How many rates were measured."""
    return count(ledger.rows("ladder"), "row")
