"""More figures of the report on hybrid decode: another engine, reading the prompt, and the split, run by run."""

from collections.abc import Sequence

from figures_hybrid import TICKS, Rows, at, over_contexts, said
from hybrid_controls import RUNGS, prefill_line, split_rounds
from hybrid_decode import HYBRID, july
from plots import Look, Part, Point, frame, series, short, waiting

from ledgermark import Drawing, Ledger, Quantity, Words, figure

DISTURBED = ("ROCm", 16384)
FIRST = 1000  # the rung that prefill rates are set against: the shorter one is chart grade on some ladders only


@figure
def other_engine(ledger: Ledger, words: Words) -> Drawing:
    """Fig. 3: the hybrid model under llama.cpp, with the runs of the disturbed cell."""
    rate, time = words("Rate"), words("Time of a token")
    views: dict[str, list[Part]] = {rate: [], time: []}
    rows: Rows = []

    def add(name: str, look: Look, cells: Sequence[tuple[int, Quantity, tuple[str, ...]]]) -> None:
        points: dict[str, list[Point]] = {view: [] for view in views}
        for context, value, about in cells:
            values = {rate: value, time: (1 / value).to("ms/tok")}
            for view, shown in values.items():
                rest = [said(words, other, more) for other, more in values.items() if other != view]
                points[view].append(Point(context, shown, (at(words, name, short(context), shown), *rest, *about)))
            rows.append([name, str(context), *values.values(), "; ".join(about)])
        for view, traces in views.items():
            traces.append(series(name, points[view], look))

    for backend, look in (("ROCm", Look(3, "square")), ("Vulkan", Look(4, "triangle-up", "dash"))):
        found = ledger.rows("llamacpp_depth", backend=backend)
        cells = [
            (
                int(row.text("context")),
                row["tok_s"],
                (
                    said(words, words("Standard deviation"), row["stddev_tok_s"], 3),
                    *([words("Disturbed: see its two runs")] if (backend, int(row.text("context"))) == DISTURBED else []),
                ),
            )
            for row in found
        ]
        add(words("llama.cpp, {backend}", backend=backend), look, cells)
    cell = ledger.one("llamacpp_depth", backend=DISTURBED[0], context=DISTURBED[1])
    runs = [(DISTURBED[1], cell[f"run{number}_tok_s"], (words("Run {number} of two", number=number),)) for number in (1, 2)]
    add(words("The disturbed cell, run by run"), Look(3, "circle-open", joined=False, size=12), runs)
    ladder = july(ledger, HYBRID)
    rounds = words("mean of its rounds")
    add(words("vLLM, July ladder"), Look(2, "diamond", "dot"), [(when, ladder.rate(when), (rounds,)) for when in ladder.contexts])
    return Drawing(
        title=words("Qwen3.6-27B under another engine"),
        alt=words(
            "Line chart of decode rates of Qwen3.6-27B by context. Under llama.cpp both backends decline gently, but for one low "
            "point at 16K on ROCm, whose two runs disagree; under vLLM the rate falls to a third."
        ),
        columns=[words("Series"), words("Context"), words("Rate, tok/s"), words("Time, ms/tok"), words("Note")],
        rows=rows,
        **over_contexts(
            views,
            {rate: words("Decode rate, tok/s"), time: words("Time of a generated token, ms")},
            words("Context, tokens"),
        ),
    )


@figure
def prefill_trend(ledger: Ledger, words: Words) -> Drawing:
    """Fig. 5: how fast prompts of different lengths are read, against prompts of 1K."""
    lines = [
        ("q36_july", words("Qwen3.6-27B, Radeons, July"), Look(2, "diamond"), True),
        ("q38_wide", words("Qwen3.8-27B, Radeons, as routed"), Look(1, "circle", "dash"), True),
        ("q38_triton", words("Qwen3.8-27B, Radeons, pinned"), Look(3, "square", "dot"), True),
        ("q38_a100", words("Qwen3.8-27B, A100"), Look(4, "triangle-up", "dashdot"), True),
        ("q38_h100", words("Qwen3.8-27B, H100"), Look(5, "triangle-down", "longdash"), True),
        ("g26_july", words("gemma-4-26B-A4B, Radeons, July"), Look(6, "cross-open", "longdashdot"), False),
        ("g31_july", words("gemma-4-31B, Radeons, July"), Look(6, "x", "dash"), False),
        ("b8_july", words("Qwen3-8B, Radeons, July"), Look(1, "circle-open", "dot"), False),
    ]
    change, rate = words("Against 1K"), words("Rate")
    views: dict[str, list[Part]] = {change: [], rate: []}
    rows: Rows = []
    for key, name, look, shown in lines:
        ladder = prefill_line(ledger, key)
        points: dict[str, list[Point]] = {view: [] for view in views}
        for context in (when for when in ladder.contexts if when <= TICKS[-1]):
            values = {change: (ladder.rate(context) / ladder.rate(FIRST)).to("%"), rate: ladder.rate(context)}
            apart = ladder.apart(context).to("%")
            about = [said(words, words("Rounds apart by"), apart)]
            if not ladder.charts(context):
                about.append(words("not chart grade"))
            for view, value in values.items():
                rest = [said(words, other, more, 1) for other, more in values.items() if other != view]
                points[view].append(Point(context, value, (at(words, name, short(context), value, 1), *rest, *about)))
            rows.append([name, str(context), *values.values(), apart])
        for view, traces in views.items():
            part = series(name, points[view], look)
            traces.append(part if shown else waiting(part))
    axes = {change: words("Prefill rate against that at 1K, %"), rate: words("Prefill rate, tok/s")}
    return Drawing(
        title=words("Reading the prompt, by its length"),
        alt=words(
            "Line chart of prefill rates against those at 1K. The same model rises on one machine, stays level on another and falls on a "
            "third; most lines begin lower at 500 tokens."
        ),
        columns=[words("Series"), words("Context"), words("Against 1K, %"), words("Prefill rate, tok/s"), words("Rounds apart, %")],
        rows=rows,
        **over_contexts(views, axes, words("Prompt, tokens"), free=change),
    )


@figure
def split_runs(ledger: Ledger, words: Words) -> Drawing:
    """Fig. 6: each run with and without the split, at three contexts."""
    rate, time = words("Rate"), words("Time of a token")
    arms = (
        ("stock", words("As shipped"), Look(2, "diamond", joined=False)),
        ("splitkv", words("With vllm#45916"), Look(1, "circle", joined=False)),
    )
    views: dict[str, list[Part]] = {rate: [], time: []}
    rows: Rows = []
    for arm, name, look in arms:
        points: dict[str, list[Point]] = {view: [] for view in views}
        for place, context in enumerate(RUNGS):
            runs = split_rounds(ledger, arm, context)
            for number, value in enumerate(runs, 1):
                values = {rate: value, time: (1 / value).to("ms/tok")}
                for view, shown in values.items():
                    rest = [said(words, other, more) for other, more in values.items() if other != view]
                    lines = (at(words, name, short(context), shown), *rest, words("Round {number} of {count}", number=number, count=len(runs)))
                    points[view].append(Point(place + (number - (len(runs) + 1) / 2) * 0.09, shown, lines))
                rows.append([name, str(context), str(number), *values.values()])
        for view, traces in views.items():
            traces.append(series(name, points[view], look))
    plots = {}
    for view, title in ((rate, words("Decode rate, tok/s")), (time, words("Time of a generated token, ms"))):
        layout = frame(words("Context"), title)
        ticks = [short(context) for context in RUNGS]
        layout["xaxis"].update(tickmode="array", tickvals=list(range(len(RUNGS))), ticktext=ticks, range=[-0.5, len(RUNGS) - 0.5])
        layout["yaxis"].update(rangemode="tozero")
        plots[view] = {"data": views[view], "layout": layout}
    return Drawing(
        title=words("The same file with and without the split, run by run"),
        alt=words(
            "Dot plot of decode rates at three contexts, one mark a run. As shipped the rate falls to a tenth; with the split it stays "
            "above {least}. At 8K the four runs with the split stand in two pairs.",
            least=words.quantity(min(split_rounds(ledger, "splitkv", RUNGS[-1])), 0),
        ),
        plot=plots[rate],
        view=rate,
        views={time: plots[time]},
        columns=[words("Arm"), words("Context"), words("Round"), words("Rate, tok/s"), words("Time, ms/tok")],
        rows=rows,
    )
