"""The figure of the front page: one model on several machines, with and without speculation, and a hybrid beside it."""

from figures_hybrid import at, said
from hybrid_decode import HYBRID, july
from ladders import Ladder, decode
from plots import Look, Part, Point, context_axis, frame, series, short, waiting

from ledgermark import Drawing, Ledger, Quantity, Words, figure

TICKS = (500, 2000, 8000, 32000, 128000)
Rates = dict[int, Quantity]


def _gate(ledger: Ledger, arm: str) -> Rates:
    """Return an arm of the gate's ladder, by context."""
    return {int(row.text("context")): row["tok_s"] for row in ledger.rows("spec_ladder", arm=arm, context=(1024, 8192, 16384, 32768))}


def _rates(ladder: Ladder) -> Rates:
    return {context: ladder.rate(context) for context in ladder.contexts}


@figure
def story(ledger: Ledger, words: Words) -> Drawing:
    """Decode rate by context: machines and arms to choose."""
    lines = [
        (words("Two Radeons, MTP as shipped"), _gate(ledger, "mtp_stock_replicate"), Look(2, "square", "dash"), True),
        (words("Two Radeons, MTP admitted"), _gate(ledger, "mtp_admitted"), Look(1, "circle"), True),
        (words("Two Radeons, no speculation"), _gate(ledger, "no_speculation"), Look(3, "triangle-up", "dot"), True),
        (words("A100, no speculation"), _rates(decode(ledger, "a100-2026-08-30", "G31")), Look(4, "diamond", "dashdot"), False),
        (words("H200, no speculation"), _rates(decode(ledger, "h200-2026-09-03", "G31")), Look(5, "cross", "longdash"), False),
        (words("Qwen3.6-27B on two Radeons"), _rates(july(ledger, HYBRID)), Look(6, "x", "longdashdot"), False),
    ]
    rate, share, time = words("Rate"), words("Share kept"), words("Time of a token")
    views: dict[str, list[Part]] = {rate: [], share: [], time: []}
    rows: list[list[Quantity | str]] = []
    for name, rates, look, shown in lines:
        points: dict[str, list[Point]] = {view: [] for view in views}
        shallowest = rates[min(rates)]
        for context, value in rates.items():
            values = {rate: value, share: (value / shallowest).to("%"), time: (1 / value).to("ms/tok")}
            for view, one in values.items():
                rest = (said(words, other, more) for other, more in values.items() if other != view)
                points[view].append(Point(context, one, (at(words, name, short(context), one), *rest)))
            rows.append([name, str(context), *values.values()])
        for view, traces in views.items():
            line = series(name, points[view], look)
            traces.append(line if shown else waiting(line))
    titles = {rate: words("Decode rate, tok/s"), share: words("Share of the rate at the shortest, %"), time: words("Time of a token, ms")}
    plots = {}
    for view, traces in views.items():
        layout = frame(words("Context"), titles[view])
        layout["xaxis"].update(context_axis(TICKS), range=[2.6, 5.2])
        layout["yaxis"].update(rangemode="tozero")
        plots[view] = {"data": traces, "layout": layout}
    (view, plot), *others = plots.items()
    return Drawing(
        title=words("Decode rate by context, machine and arm"),
        alt=words(
            "Line chart of the decode rate of gemma-4-31B by context. On two Radeons MTP starts above the line without speculation, falls "
            "below it before 8K and far below at 32K; with the condition relaxed it stays above. "
            "An A100, an H200 and a hybrid model can be added."
        ),
        plot=plot,
        view=view,
        views=dict(others),
        columns=[words("Line"), words("Context, tokens"), words("Rate, tok/s"), words("Share kept, %"), words("Time of a token, ms")],
        rows=rows,
    )
