"""Figures that fail, each in its own way."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from ledgermark import Drawing, Ledger, Quantity, Words, figure

SERIES = {"series": 1}


def _drawing(ledger: Ledger, trace: Any, rows: list[list[Quantity | str]] | None = None) -> Drawing:
    """Return a drawing of one trace, which has read the ledger."""
    ledger.one("ladder", arm="base", context=1024).text("tok_s")
    return Drawing(title="Title", alt="Alt", plot=go.Figure([trace]), columns=["A", "B"], rows=rows or [])


@figure
def rates(ledger: Ledger, words: Words) -> Drawing:
    """Draw what can be drawn."""
    return _drawing(ledger, go.Bar(x=[words("Arm")], y=[1], meta=SERIES))


@figure
def raises(ledger: Ledger, words: Words) -> Drawing:
    """Raise."""
    raise ZeroDivisionError(f"{words.language}: {len(ledger.datasets)}")


@figure
def leaves(ledger: Ledger, words: Words) -> Drawing:
    """Leave."""
    raise SystemExit(len(words.language) * len(ledger.datasets) * 0)


@figure
def finds_no_row(ledger: Ledger, words: Words) -> Drawing:
    """Ask for a row that is not there."""
    return _drawing(ledger, go.Bar(y=[float(ledger.one("ladder", arm=words.language)["tok_s"])], meta=SERIES))


@figure
def mixes_units(ledger: Ledger, words: Words) -> Drawing:
    """Add what cannot be added."""
    row = ledger.one("ladder", arm="base", context=1024)
    return _drawing(ledger, go.Bar(y=[float(row["tok_s"] + row["context"])], name=words("Arm"), meta=SERIES))


@figure  # type: ignore[arg-type]  # on purpose
def returns_nothing(ledger: Ledger, words: Words) -> None:
    """Return nothing."""
    words(ledger.one("ladder", arm="base", context=1024).text("arm") and "Arm")


@figure
def reads_nothing(ledger: Ledger, words: Words) -> Drawing:
    """Draw without the ledger."""
    return Drawing(title=words("Arm"), alt=str(len(ledger.datasets)), plot=go.Figure([go.Bar(y=[1], meta=SERIES)]), columns=[], rows=[])


@figure
def ragged_table(ledger: Ledger, words: Words) -> Drawing:
    """Return a row with a cell too few."""
    return _drawing(ledger, go.Bar(y=[1], meta=SERIES), [[words("Arm")]])


@figure
def another_type(ledger: Ledger, words: Words) -> Drawing:
    """Draw what the small bundle lacks."""
    return _drawing(ledger, go.Heatmap(z=[[1]], name=words("Arm"), meta=SERIES))


@figure
def no_slot(ledger: Ledger, words: Words) -> Drawing:
    """Name no colour slot."""
    return _drawing(ledger, go.Bar(y=[1], name=words("Arm")))


@figure
def seventh_slot(ledger: Ledger, words: Words) -> Drawing:
    """Name a colour slot that does not exist."""
    return _drawing(ledger, go.Bar(y=[1], name=words("Arm"), meta={"series": 7}))


@figure
def typed_array(ledger: Ledger, words: Words) -> Drawing:
    """Hand over numbers in Plotly's own packing."""
    return _drawing(ledger, {"type": "bar", "y": {"dtype": "i1", "bdata": "AQI="}, "name": words("Arm"), "meta": SERIES})


@figure
def not_finite(ledger: Ledger, words: Words) -> Drawing:
    """Draw a point that is no number."""
    return _drawing(ledger, go.Bar(y=[1, float("inf")], name=words("Arm"), meta=SERIES))


@figure
def not_in_its_table(ledger: Ledger, words: Words) -> Drawing:
    """Draw twice the rate that stands in the table."""
    row = ledger.one("ladder", arm="base", context=1024)
    bar = go.Bar(x=[words("Arm")], y=[2 * float(row["tok_s"])], name=words("Arm"), meta=SERIES)
    return _drawing(ledger, bar, [[words("Arm"), row["tok_s"]]])
