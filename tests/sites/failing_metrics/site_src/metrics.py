"""Metrics that fail, each in its own way, beside the ones of the base."""

from __future__ import annotations

from decimal import Decimal

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


@metric(unit="×")
def divides_by_nothing(ledger: Ledger) -> Quantity:
    """How many rates were measured."""
    return cells(ledger) / 0


@metric(unit="×")
def not_a_number(ledger: Ledger) -> Quantity:
    """How many rates were measured."""
    return Quantity(Decimal("NaN"), cells(ledger).unit)


@metric(unit="×")
def endless(ledger: Ledger) -> Quantity:
    """How many rates were measured."""
    return Quantity(Decimal("Infinity"), cells(ledger).unit)


@metric(unit="×")  # type: ignore[arg-type]  # on purpose
def a_float(ledger: Ledger) -> float:
    """How many rates were measured."""
    return float(cells(ledger))


@metric(unit="×")  # type: ignore[arg-type]  # on purpose
def nothing(ledger: Ledger) -> None:
    """How many rates were measured."""
    cells(ledger)


@metric(unit="×")
def a_text(ledger: Ledger) -> Quantity:
    """How many rates were measured."""
    return ledger.one("trace", arm="fast")["arm"]


@metric(unit="×")
def leaves(ledger: Ledger) -> Quantity:
    """How many rates were measured."""
    raise SystemExit(int(float(cells(ledger)) * 0))


@metric(unit="ms")
def another_unit(ledger: Ledger) -> Quantity:
    """How many rates were measured."""
    return ledger.one("ladder", arm="base", context=1024)["tok_s"]


@metric(unit="×")
def mixes(ledger: Ledger) -> Quantity:
    """How many rates were measured."""
    return ledger.one("ladder", arm="base", context=1024)["tok_s"] + ledger.one("trace", arm="base")["median_us"]


@metric(unit="1")
def chunks_for_tokens(ledger: Ledger) -> Quantity:
    """How many rates were measured."""
    return Quantity.of(12, "chunk/s") / ledger.one("ladder", arm="base", context=1024)["tok_s"]
