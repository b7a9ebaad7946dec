"""The figures of the draft methods: the ratios of the summary, the sweeps of the appendix, acceptance by position. All rows are transcribed."""

from collections.abc import Sequence

from draft_methods import LENGTH, appendix_of, draft_step_cost
from plots import Look, Part, Point, bars, frame, series

from ledgermark import Drawing, Ledger, Quantity, Row, Words, figure

__all__ = ["amd_ratios", "draft_positions", "draft_sweep"]

Rows = list[Sequence[Quantity | str]]

LOOKS = {
    "dflash": Look(1),
    "gemma4_mtp": Look(2, pattern="/"),
    "eagle3": Look(3, pattern="x"),
    "dspark": Look(4, pattern="."),
}
SWEEPS = (
    ("gemma-4-26B-A4B-it", "dflash", Look(1, "circle")),
    ("gemma-4-26B-A4B-it", "gemma4_mtp", Look(2, "square", "dash")),
    ("gemma-4-26B-A4B-it", "eagle3", Look(3, "diamond", "dashdot")),
    ("Qwen3.6-35B-A3B", "dflash", Look(4, "circle-open", "dot")),
    ("Qwen3.6-35B-A3B", "native_mtp", Look(5, "square-open", "longdash")),
    ("Qwen3-8B", "eagle3", Look(6, "triangle-up", "longdashdot")),
)
DRAFTS = (
    ("gemma-4-26B-A4B-it", "dflash", 15, Look(1, "circle")),
    ("gemma-4-26B-A4B-it", "gemma4_mtp", 5, Look(2, "square", "dash")),
    ("Qwen3.6-35B-A3B", "dflash", 15, Look(4, "circle-open", "dot")),
    ("Kimi-K2.5", "dflash", 15, Look(3, "triangle-up-open", "dashdot")),
)
BENCHMARK = "MATH500"


def _method(words: Words, method: str) -> str:
    names = {"native_mtp": words("Native MTP"), "gemma4_mtp": "Gemma 4 MTP", "eagle3": "EAGLE-3", "dflash": "DFlash", "dspark": "DSpark"}
    return names[method]


def _line(words: Words, name: str, value: Quantity, places: int = 2) -> str:
    return words("{name}: {value}", name=name, value=words.quantity(value, places))


def _even(*, horizontal: bool) -> list[dict[str, object]]:
    """Return a line at a ratio of one: where speculation changes nothing."""
    ends: dict[str, object] = (
        {"yref": "paper", "y0": 0, "y1": 1, "x0": 1, "x1": 1} if horizontal else {"xref": "paper", "x0": 0, "x1": 1, "y0": 1, "y1": 1}
    )
    return [{"type": "line", **ends, "line": {"width": 1.5, "dash": "dot", "color": "rgba(128, 128, 128, 0.8)"}, "layer": "below"}]


@figure
def amd_ratios(ledger: Ledger, words: Words) -> Drawing:
    """The ratios of the summary, largest first, and what the appendix of the article gives for the same settings."""
    found = sorted(ledger.rows("amd_methods"), key=lambda row: row["throughput_ratio"].value, reverse=True)
    summary, appendix = words("Summary"), words("Appendix of the article")
    bars_of: dict[str, list[Point]] = {method: [] for method in LOOKS}
    marks: list[Point] = []
    rows: Rows = []
    notes: list[dict[str, object]] = []
    for rank, row in enumerate(found):
        at = len(found) - 1 - rank
        line = appendix_of(ledger, row)
        method, ratio = row.text("method"), row["throughput_ratio"]
        name = words("{target}, {method}", target=row.text("target_model"), method=_method(words, method))
        setting = words("{benchmark}, N = {length}", benchmark=row.text("benchmark"), length=row.text(LENGTH))
        for source, of, held in ((summary, row, bars_of[method]), (appendix, line, marks)):
            value = of["throughput_ratio"]
            head = words("{name}: {value}", name=name, value=words.quantity(value))
            # A mark at the end of the bar leaves room for its label; one elsewhere would stand in it.
            label = f"\u2002\u2002{words.quantity(value)}" if of is row and ratio.value == line["throughput_ratio"].value else ""
            held.append(Point(at, value, (head, setting, source), label))
            rows.append([row.text("target_model"), _method(words, method), row.text("benchmark"), row[LENGTH], source, value])
        notes.append({"x": 0, "y": at + 0.24, "text": f"{name}, {setting}", "xanchor": "left", "yanchor": "bottom", "showarrow": False})
    traces: list[Part] = [
        bars(_method(words, method), points, LOOKS[method], width=0.34, lying=True) for method, points in bars_of.items() if points
    ]
    traces.append(series(appendix, marks, Look(6, "diamond-open", joined=False, size=11), lying=True))
    layout = frame(words("Output throughput against no speculation, ×"), "", barmode="overlay")
    layout["height"] = 430
    layout["margin"].update(l=16)
    layout["xaxis"].update(range=[0, 3.3])
    places = {
        "tickmode": "array",
        "tickvals": [len(found) - 1 - rank for rank in range(len(found))],
        "ticktext": [note["text"] for note in notes],
    }
    layout["yaxis"].update(range=[-0.4, len(found) - 0.25], showticklabels=False, showgrid=False, ticks="", **places)
    layout.update(annotations=notes, shapes=_even(horizontal=True))
    return Drawing(
        title=words("Published ratios, as the summary gives them and as the appendix does"),
        alt=words(
            "Bar chart of {count} throughput ratios, from {first} down to {last}, each with a mark where the article's appendix "
            "has it. At {differing} of them the mark does not lie at the end of the bar.",
            count=len(found),
            differing=sum(row["throughput_ratio"].value != appendix_of(ledger, row)["throughput_ratio"].value for row in found),
            first=words.quantity(found[0]["throughput_ratio"]),
            last=words.quantity(found[-1]["throughput_ratio"]),
        ),
        plot={"data": traces, "layout": layout},
        columns=[
            words("Target model"),
            words("Method"),
            words("Benchmark"),
            words("Proposal length, tokens"),
            words("From"),
            words("Ratio, ×"),
        ],
        rows=rows,
    )


@figure
def draft_sweep(ledger: Ledger, words: Words) -> Drawing:
    """Throughput ratio by proposal length, for six sweeps on one benchmark."""
    traces: list[Part] = []
    rows: Rows = []
    for target, method, look in SWEEPS:
        name = words("{target}, {method}", target=target, method=_method(words, method))
        points = []
        for line in ledger.rows("amd_sweep", target_model=target, method=method, benchmark=BENCHMARK):
            length, ratio = int(line.text(LENGTH)), line["throughput_ratio"]
            cost = draft_step_cost(ledger, target, method, BENCHMARK, length).to("×")
            head = words("{name}, N = {length}: {value}", name=name, length=length, value=words.quantity(ratio))
            lines = (
                head,
                _line(words, words("Tokens per step (MAL)"), line["mean_accepted_length"]),
                _line(words, words("Acceptance rate (AR)"), line["acceptance_pct"], 1),
                _line(words, words("Cost of a step, in ordinary steps"), cost),
            )
            points.append(Point(length, ratio, lines))
            rows.append([target, _method(words, method), line[LENGTH], ratio, line["mean_accepted_length"], line["acceptance_pct"], cost])
        traces.append(series(name, points, look))
    layout = frame(words("Proposal length N, tokens"), words("Throughput ratio, ×"))
    layout["xaxis"].update(tickmode="array", tickvals=[1, 3, 5, 7, 11, 15], range=[0.4, 15.6])
    layout["yaxis"].update(range=[0, 3.1])
    layout.update(shapes=_even(horizontal=False))
    return Drawing(
        title=words("Throughput ratio by proposal length, MATH500"),
        alt=words(
            "Line chart of throughput ratios by proposal length. DFlash peaks in the middle of its sweep and falls; MTP and "
            "EAGLE-3 on the Gemma target rise and flatten; Qwen3-8B with EAGLE-3 stays below the line of no speculation throughout."
        ),
        plot={"data": traces, "layout": layout},
        columns=[
            words("Target model"),
            words("Method"),
            words("Proposal length, tokens"),
            words("Ratio, ×"),
            words("Tokens per step (MAL)"),
            words("Acceptance rate, %"),
            words("Cost of a step, ×"),
        ],
        rows=rows,
    )


@figure
def draft_positions(ledger: Ledger, words: Words) -> Drawing:
    """Acceptance by position of the draft: among all steps, and on hover where the position before was accepted."""
    traces: list[Part] = []
    rows: Rows = []
    last: list[str] = []
    for target, method, count, look in DRAFTS:
        name = words("{target}, {method}", target=target, method=_method(words, method))
        points = []
        before: Row | None = None
        for row in ledger.rows("amd_positions", target_model=target, method=method, num_speculative_tokens=count):
            share = row["accepted_pct"]
            given = share if before is None else (share / before["accepted_pct"]).to("%")
            head = words("{name}, position {place}: {value}", name=name, place=row.text("position"), value=words.quantity(share, 0))
            points.append(Point(int(row.text("position")), share, (head, _line(words, words("Where the one before was accepted"), given, 0))))
            rows.append([target, _method(words, method), row[LENGTH], row["position"], share, given])
            before = row
        last.append(words.quantity(share, 0))
        traces.append(series(name, points, look))
    layout = frame(words("Position in the draft"), words("Accepted, % of all steps"))
    layout["xaxis"].update(tickmode="array", tickvals=[1, 3, 5, 7, 11, 15], range=[0.4, 15.6])
    layout["yaxis"].update(range=[0, 102])
    return Drawing(
        title=words("Acceptance by position, MATH500"),
        alt=words(
            "Line chart of the share of steps in which each draft position is accepted. All lines fall with the position, that "
            "of Kimi-K2.5 furthest: the last shares are {shares}.",
            shares=", ".join(last),
        ),
        plot={"data": traces, "layout": layout},
        columns=[
            words("Target model"),
            words("Method"),
            words("Proposal length, tokens"),
            words("Position"),
            words("Accepted, % of all steps"),
            words("Where the one before was accepted, %"),
        ],
        rows=rows,
    )
