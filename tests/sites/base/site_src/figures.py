"""The figures of the site in miniature."""

import plotly.graph_objects as go

from ledgermark import Drawing, Ledger, Quantity, Words, figure


@figure
def rates(ledger: Ledger, words: Words) -> Drawing:
    """Fig. 1: both arms by context."""
    rows: list[list[Quantity | str]] = []
    traces = []
    for series, arm in enumerate(("base", "fast"), 1):
        found = ledger.rows("ladder", arm=arm)
        rows += [[arm, row["context"], row["tok_s"]] for row in found]
        x, y = [str(row["context"].value) for row in found], [float(row["tok_s"]) for row in found]
        hover = [words("{rate} at {context}", rate=words.quantity(row["tok_s"], 1), context=row.text("context")) for row in found]
        traces.append(go.Scatter(x=x, y=y, name=arm, meta={"series": series}, customdata=hover, hovertemplate="%{customdata}<extra></extra>"))
    return Drawing(
        title=words("Rates by context"),
        alt=words("Line chart of both arms."),
        plot=go.Figure(traces, go.Layout(height=360)),
        columns=[words("Arm"), words("Context"), words("Rate, tok/s")],
        rows=rows,
    )
