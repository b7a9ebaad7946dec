"""The figure of the ladder on random weights: one shape under two engines."""

from plots import Look, Part, Point, context_axis, frame, series, short
from random_weights import measured_rounds, rungs
from second_card import decode_cells

from ledgermark import Drawing, Ledger, Quantity, Words, figure, mean

TICKS = (500, 2000, 8000, 32000)


@figure
def random_ladder(ledger: Ledger, words: Words) -> Drawing:
    """Decode rate by context: random weights under transformers, and the real model under vLLM."""
    traces: list[Part] = []
    rows: list[list[Quantity | str]] = []
    name = words("Random weights, transformers, H200: single rounds")
    points = []
    for context in rungs(ledger):
        for row in measured_rounds(ledger, context):
            rate = row["tok_s"]
            head = words("{name}, {context} of context: {value}", name=name, context=short(context), value=words.quantity(rate, 1))
            points.append(Point(context, rate, (head, words("Round {number}", number=row.text("round")))))
            rows.append([name, row["context"], rate])
    traces.append(series(name, points, Look(1, "circle-open", joined=False)))
    lines = (
        (words("Qwen3-8B, vLLM, two Radeons"), "8b_two", Look(2, "square", "dash")),
        (words("Qwen3-8B, vLLM, one Radeon"), "8b_one", Look(3, "diamond", "dot")),
    )
    for name, run, look in lines:
        points = []
        for context, cell in decode_cells(ledger, run).items():
            rate = mean(row["tok_s"] for row in cell)
            head = words("{name}, {context} of context: {value}", name=name, context=short(context), value=words.quantity(rate, 1))
            points.append(Point(context, rate, (head, words("{count} rounds", count=len(cell)))))
            rows.append([name, cell[0]["context"], rate])
        traces.append(series(name, points, look))
    layout = frame(words("Context"), words("Decode rate, tok/s"))
    layout["xaxis"].update(context_axis(TICKS), range=[2.6, 4.65])
    layout["yaxis"].update(rangemode="tozero")
    return Drawing(
        title=words("One shape under two engines"),
        alt=words(
            "Line chart of decode rates by context. The model with random weights under transformers on an H200 lies far below the real one "
            "under vLLM on one or two Radeons, and does not fall with context."
        ),
        plot={"data": traces, "layout": layout},
        columns=[words("Line"), words("Context, tokens"), words("Rate, tok/s")],
        rows=rows,
    )
