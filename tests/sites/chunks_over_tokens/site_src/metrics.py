"""The lead of an A100 over two Radeons with MTP, as it was first worked out and as it is, beside the metrics of the base."""

from ledgermark import Ledger, Quantity, count, largest, mean, metric


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


def _tokens(ledger: Ledger, context: int) -> Quantity:
    return mean(row["tok_s"] for row in ledger.rows("radeons", context=context))


@metric(unit="×", formula="mean rate(A100) / mean rate(Radeons)")
def lead_as_first_recorded(ledger: Ledger, context: int) -> Quantity:
    """Lead of the A100, its recorded rate over that of the Radeons."""
    return mean(row["chunk_s"] for row in ledger.rows("a100", context=context)) / _tokens(ledger, context)


@metric(unit="×", formula="mean of 511 / (wall − first chunk) / mean rate(Radeons)")
def lead_recounted(ledger: Ledger, context: int) -> Quantity:
    """Lead of the A100, both counted in tokens."""
    after_first = Quantity.of(511, "tok")
    return mean(after_first / (row["wall_s"] - row["first_chunk_s"]) for row in ledger.rows("a100", context=context)) / _tokens(ledger, context)
