"""The figures of the report on hybrid decode: the ladder of July, the profile, what a token of context costs."""

from collections.abc import Mapping, Sequence
from typing import Any

from hybrid_controls import llama_slope, splitkv_slope
from hybrid_decode import DEEP, HYBRID, KERNELS, PAGED, SHALLOW, july, pinned
from ladders import Ladder
from plots import Look, Part, Point, bars, context_axis, frame, series, short, waiting

from ledgermark import Drawing, Ledger, Quantity, Words, figure

Rows = list[Sequence[Quantity | str]]

TICKS = (500, 1000, 2000, 4000, 8000, 16000, 32000)


def said(words: Words, name: str, value: Quantity, places: int = 2, *, signed: bool = False) -> str:
    """Return a hover line: what it is, and how much."""
    return words("{name}: {value}", name=name, value=words.quantity(value, places, signed=signed))


def at(words: Words, name: str, context: str, value: Quantity, places: int = 2) -> str:
    """Return the first hover line of a point on a line over contexts."""
    return words("{name}, {context} of context: {value}", name=name, context=context, value=words.quantity(value, places))


def over_contexts(views: Mapping[str, list[Part]], axes: Mapping[str, str], x_title: str, free: str = "") -> dict[str, Any]:
    """Return the parts of a drawing whose views share an axis of contexts: `plot`, `view` and `views`.

    Args:
        views: by name, the series of each; the first is what is shown first.
        axes: by the same names, the title of each vertical axis.
        x_title: the title of the axis of contexts.
        free: the view, if any, whose vertical axis need not begin at zero.
    """
    plots = {}
    for name, traces in views.items():
        layout = frame(x_title, axes[name])
        layout["xaxis"].update(context_axis(TICKS))
        layout["yaxis"].update(rangemode="normal" if name == free else "tozero")
        plots[name] = {"data": traces, "layout": layout}
    (view, plot), *others = plots.items()
    return {"view": view, "plot": plot, "views": dict(others)}


def _rounds(words: Words, ladder: Ladder, context: int) -> tuple[str, str]:
    """Return the hover lines about a rung's rounds."""
    count = len(ladder.rounds(context))
    return words("{count} rounds", count=count), said(words, words("Rounds apart by"), ladder.apart(context).to("%"))


@figure
def hybrid_ladder(ledger: Ledger, words: Words) -> Drawing:
    """Fig. 1: decode rate by context; as a share of the shortest, and as time of a token."""
    lines = [
        ("Qwen3.6-27B", july(ledger, HYBRID), Look(2, "diamond"), True),
        ("Qwen3-8B", july(ledger, "Qwen3-8B"), Look(1, "circle"), True),
        ("gemma-4-12B", july(ledger, "gemma-4-12B-it"), Look(3, "square", "dash"), False),
        ("gemma-4-26B-A4B", july(ledger, "gemma-4-26B-A4B"), Look(4, "triangle-up", "dot"), False),
        ("gemma-4-31B", july(ledger, "gemma-4-31B-it"), Look(5, "triangle-down", "dashdot"), False),
        *(
            (words("Qwen3.8-27B, {backend}", backend=backend), pinned(ledger, backend), Look(6, symbol, dash), False)
            for (backend, symbol, dash) in zip(KERNELS, ("cross-open", "x"), ("longdash", "longdashdot"), strict=True)
        ),
    ]
    rate, share, time = words("Rate"), words("Share kept"), words("Time of a token")
    views: dict[str, list[Part]] = {rate: [], share: [], time: []}
    rows: Rows = []
    for name, ladder, look, shown in lines:
        points: dict[str, list[Point]] = {view: [] for view in views}
        for context in ladder.contexts:
            values = {rate: ladder.rate(context), share: ladder.retained(None, context).to("%"), time: ladder.time(context)}
            about = (said(words, words("Prompt tokens counted"), ladder.prompt(context), 0), *_rounds(words, ladder, context))
            for view, value in values.items():
                rest = [said(words, other, more) for other, more in values.items() if other != view]
                points[view].append(Point(context, value, (at(words, name, short(context), value), *rest, *about)))
            apart = ladder.apart(context).to("%")
            rows.append([name, str(context), ladder.prompt(context), *values.values(), str(len(ladder.rounds(context))), apart])
        for view, traces in views.items():
            part = series(name, points[view], look)
            traces.append(part if shown else waiting(part))
    axes = {rate: words("Decode rate, tok/s"), share: words("Share of the rate at 500 tokens, %"), time: words("Time of a generated token, ms")}
    return Drawing(
        title=words("Decode by context, five architectures"),
        alt=words(
            "Line chart of decode rates by context. The other models decline gently; Qwen3.6-27B starts lowest and loses most of its rate."
        ),
        columns=[
            words("Model"),
            words("Context"),
            words("Prompt tokens"),
            words("Rate, tok/s"),
            words("Share kept, %"),
            words("Time, ms/tok"),
            words("Rounds"),
            words("Rounds apart, %"),
        ],
        rows=rows,
        **over_contexts(views, axes, words("Context, tokens")),
    )


@figure
def hybrid_profile(ledger: Ledger, words: Words) -> Drawing:
    """Fig. 2: time of a call of each kernel at two contexts."""
    kernels = {
        "fused_recurrent_gated_delta_rule_packed_decode": words("delta rule"),
        "_causal_conv1d_update_kernel": words("convolution"),
        "triton_w4a16_gemm_kernel": words("matrix product"),
        PAGED: words("paged attention"),
    }
    traces: list[Part] = []
    rows: Rows = []
    for context, look, side in ((SHALLOW, Look(1), -1), (DEEP, Look(2, pattern="/"), 1)):
        name, points = words("{context} of context", context=short(context)), []
        for place, (kernel, spoken) in enumerate(kernels.items()):
            row, base = (ledger.one("hybrid_profile", kernel=kernel, context=when) for when in (context, SHALLOW))
            time, ratio = row["us_per_call"], (row["us_per_call"] / base["us_per_call"]).to("×")
            lines = (at(words, kernel, short(context), time), said(words, words("Against {context}", context=short(SHALLOW)), ratio))
            points.append(Point(place + side * 0.2, time, lines, words.quantity(ratio) if context == DEEP else ""))
            rows.append([kernel, spoken, str(context), time, ratio])
        traces.append(bars(name, points, look, width=0.36))
    layout = frame("", words("GPU time of a call, µs, logarithmic"), barmode="overlay")
    layout["xaxis"].update(tickmode="array", tickvals=list(range(len(kernels))), ticktext=list(kernels.values()))
    layout["yaxis"].update(type="log", range=[0, 4.4], tickmode="array", tickvals=[1, 10, 100, 1000, 10000])
    return Drawing(
        title=words("Time of a kernel call, at 1K and at 32K"),
        alt=words(
            "Bar chart, logarithmic, of the time of a call of four kernels at two contexts. Three are as fast or faster at the "
            "longer one; paged attention takes {ratio} as long.",
            ratio=words.quantity(
                ledger.one("hybrid_profile", kernel=PAGED, context=DEEP)["us_per_call"]
                / ledger.one("hybrid_profile", kernel=PAGED, context=SHALLOW)["us_per_call"],
                1,
            ),
        ),
        plot={"data": traces, "layout": layout},
        columns=[words("Kernel"), words("What it is"), words("Context"), words("Time, µs"), words("Against {context}, ×", context="1K")],
        rows=rows,
    )


@figure
def context_slopes(ledger: Ledger, words: Words) -> Drawing:
    """Fig. 4: what one more token of context costs, by model and engine."""
    dense = {name: july(ledger, name).slope() for name in ("Qwen3-8B", "gemma-4-26B-A4B", "gemma-4-12B-it", "gemma-4-31B-it")}
    engine = {words("llama.cpp, {backend}", backend=backend): llama_slope(ledger, backend) for backend in ("Vulkan", "ROCm")}
    split = {words("0.27, with #45916"): splitkv_slope(ledger, "splitkv"), words("0.27, as shipped"): splitkv_slope(ledger, "stock")}
    kernels = {words("0.27, #45916, {backend}", backend=backend): pinned(ledger, backend).slope() for backend in KERNELS}
    groups = (
        (words("vLLM 0.23, other models"), Look(1, "circle", joined=False), dense),
        (words("vLLM 0.23, Qwen3.6-27B"), Look(2, "diamond", joined=False, size=11), {HYBRID: july(ledger, HYBRID).slope()}),
        (words("llama.cpp, Qwen3.6-27B"), Look(3, "square", joined=False), engine),
        (words("vLLM 0.27, Qwen3.8-27B, ladders"), Look(5, "cross", joined=False), kernels),
        (words("vLLM 0.27, Qwen3.8-27B, one file swapped"), Look(4, "triangle-up", joined=False, size=10), split),
    )
    traces: list[Part] = []
    rows: Rows = []
    ticks: list[str] = []
    for name, look, slopes in groups:
        points = []
        for label, slope in slopes.items():
            ratio = (slope / dense["Qwen3-8B"]).to("×")
            lines = (said(words, label, slope, 3), said(words, words("Against {name}", name="Qwen3-8B"), ratio, 1))
            points.append(Point(-len(ticks), slope, lines))
            ticks.append(label)
            rows.append([name, label, slope, ratio])
        traces.append(series(name, points, look, lying=True))
    layout = frame(words("Slope, µs/token, logarithmic"), "")
    layout["xaxis"].update(type="log", range=[-1.15, 1.1], tickmode="array", tickvals=[0.1, 0.2, 0.5, 1, 2, 5, 10], showgrid=True)
    layout["yaxis"].update(tickmode="array", tickvals=[-place for place in range(len(ticks))], ticktext=ticks, range=[0.6 - len(ticks), 0.6])
    ends = [float(slope) for slope in dense.values()]
    band = {"type": "rect", "xref": "x", "yref": "paper", "x0": min(ends), "x1": max(ends), "y0": 0, "y1": 1}
    layout.update(
        shapes=[{**band, "fillcolor": "rgba(128, 128, 128, 0.14)", "line": {"width": 1, "color": "rgba(128, 128, 128, 0.5)"}, "layer": "below"}]
    )
    return Drawing(
        title=words("What one more token of context costs"),
        alt=words(
            "Dot plot, logarithmic, of the microseconds that a token of context adds to a generated token. The other models under vLLM, "
            "llama.cpp and the patched kernel lie close together; Qwen3.6-27B under vLLM and the kernel as shipped lie an order of "
            "magnitude above."
        ),
        plot={"data": traces, "layout": layout},
        columns=[words("Series"), words("Configuration"), words("Slope, µs per token"), words("Against {name}, ×", name="Qwen3-8B")],
        rows=rows,
    )
