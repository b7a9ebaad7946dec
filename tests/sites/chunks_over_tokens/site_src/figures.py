"""The lead of an A100, drawn as it was first worked out, beside the figure of the base."""

import plotly.graph_objects as go

from ledgermark import Drawing, Ledger, Quantity, Words, figure, mean


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


@figure
def lead(ledger: Ledger, words: Words) -> Drawing:
    """Draw chunks over tokens as if they were a ratio."""
    chunks, tokens = (mean(row[of] for row in ledger.rows(name)) for name, of in (("a100", "chunk_s"), ("radeons", "tok_s")))
    ratio = (chunks / tokens).to("×")
    trace = go.Bar(x=[words("Arm")], y=[float(ratio)], meta={"series": 1})
    return Drawing(title=words("Arm"), alt=words("Arm"), plot=go.Figure([trace]), columns=[words("Arm")], rows=[[ratio]])
