"""The figures of this site: each draws rows of the ledger, in the page's language."""

import plotly.graph_objects as go

from ledgermark import Drawing, Ledger, Words, figure
from ledgermark.palette import LIGHT


@figure
def rates(ledger: Ledger, words: Words) -> Drawing:
    """Each round's decode rate, before and after."""
    rows = ledger.rows("rates")
    plot = go.Figure(
        go.Bar(
            name=words("Decode rate"),
            x=[f"{words(row.text('arm'))} {row.text('round')}" for row in rows],
            y=[float(row["tok_s"]) for row in rows],
            marker={"color": LIGHT[0]},
            meta={"series": 1},
            hovertemplate="%{x}: %{y}<extra></extra>",
        )
    )
    plot.update_layout(height=320, yaxis_title=words("Decode rate, tok/s"))
    return Drawing(
        title=words("Decode rate by round"),
        alt=words("Two rounds before and two after; both after are higher."),
        plot=plot,
        columns=[words("Arm"), words("Round"), words("Decode rate, tok/s")],
        rows=[[words(row.text("arm")), row.text("round"), row["tok_s"]] for row in rows],
    )
