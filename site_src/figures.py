"""The figures of this site. Each reads the ledger and says itself in the page's language.

Hover lines are written here, complete, so that the browser only puts them below one another. Rows of the data tables are the values drawn.
"""

from collections.abc import Sequence

from figures_draft_methods import *  # noqa: F403  (the figures of the draft methods, which fill a file of their own)
from figures_h200 import *  # noqa: F403  (those of the kernel on an H200)
from figures_home import story  # noqa: F401  (the front page)
from figures_hybrid import context_slopes, hybrid_ladder, hybrid_profile  # noqa: F401  (the report on hybrid decode)
from figures_hybrid_controls import other_engine, prefill_trend, split_runs  # noqa: F401
from figures_measure import all_reduce_sizes  # noqa: F401  (the page on the instruments)
from figures_random import random_ladder  # noqa: F401  (a ladder on random weights)
from figures_second_card import *  # noqa: F403  (figures of other articles fill files of their own)
from figures_step import *  # noqa: F403
from gate_control import RATES, contexts_of_run, rate_of_cell, spread_of_cell
from plots import Look, Part, Point, bars, context_axis, frame, level, series, short

from ledgermark import Drawing, Ledger, Quantity, Words, figure

Rows = list[Sequence[Quantity | str]]

PERCENT, TIMES = "%", "×"
LADDER = (1024, 8192, 16384, 32768)
RUNS = ("q38_radeon_pinned", "g26_a100", "g31_a100", "q38_a100_routed", "q38_radeon_routed")
GREY = 6


def _line(words: Words, name: str, value: Quantity, places: int = 2) -> str:
    return words("{name}: {value}", name=name, value=words.quantity(value, places))


def _gain_lines(words: Words, name: str, context: str, gain: Quantity, mtp: Quantity, base: Quantity) -> tuple[str, ...]:
    """Return the hover lines of a gain: what it is, and the two rates it was made from."""
    head = words("{name}, {context} of context: {value}", name=name, context=context, value=words.quantity(gain, 1, signed=True))
    return head, _line(words, words("With MTP"), mtp), _line(words, words("No speculation"), base)


@figure
def mtp_gain(ledger: Ledger, words: Words) -> Drawing:
    """Fig. 1: what MTP is worth at four contexts, and the second run of its arm."""
    arms = (("mtp_stock", words("MTP"), Look(1, "circle")), ("mtp_stock_replicate", words("MTP, second run"), Look(2, "diamond-open", "dot")))
    traces: list[Part] = []
    rows: Rows = []
    gains: list[str] = []
    for arm, name, look in arms:
        points = []
        for context in LADDER:
            run = ledger.one("spec_ladder", arm=arm, context=context)
            mtp, base = run["tok_s"], ledger.one("spec_ladder", arm="no_speculation", context=context)["tok_s"]
            gain = (mtp / base - 1).to(PERCENT)
            shown = words.quantity(gain, 1, signed=True)
            # The second run lies on the first: one set of labels. The last goes left, where a narrow page has room.
            label, at = (shown if look.slot == 1 else ""), ("middle left" if context == LADDER[-1] else "top right")
            points.append(Point(context, gain, _gain_lines(words, name, short(context), gain, mtp, base), label, at))
            rows.append([name, run.text("date"), run["context"], mtp, base, gain])
            gains.append(shown)
        traces.append(series(name, points, look))
    columns = [words("Arm"), words("Date"), words("Context, tokens"), words("MTP, tok/s"), words("No speculation, tok/s"), words("Change, %")]
    layout = frame(words("Context"), words("Change in decode rate, %"), zero=True)
    layout["xaxis"].update(context_axis(LADDER), range=[2.93, 4.68])
    layout["yaxis"].update(range=[-82, 52])
    return Drawing(
        title=words("What MTP is worth, by context"),
        alt=words(
            "Line chart of the change in decode rate at four contexts: {first} at 1K, falling through zero before 8K to "
            "{last} at 32K. A second run lies on the first except at 1K.",
            first=gains[0],
            last=gains[3],
        ),
        plot={"data": traces, "layout": layout},
        columns=columns,
        rows=rows,
    )


@figure
def query_rows(ledger: Ledger, words: Words) -> Drawing:
    """Fig. 2: direct kernel calls with more query rows, against one row of the same sweep."""
    traces: list[Part] = []
    rows: Rows = []
    symbols = {2: "circle", 4: "square", 8: "diamond"}
    for construction in (1, 2):
        for place, (count, symbol) in enumerate(symbols.items()):
            name = words("Construction {number}, {rows} rows", number=construction, rows=count)
            points = []
            for index, length in enumerate(LADDER):
                row = ledger.one("kernel_sweep", construction=construction, kv_len=length, query_rows=count)
                time, one = (
                    row["us_per_call"],
                    ledger.one("kernel_sweep", construction=construction, kv_len=length, query_rows=1)["us_per_call"],
                )
                change = (time / one - 1).to(PERCENT)
                value = words.quantity(change, 2, signed=True)
                head = words("{name}, {context} of KV: {value}", name=name, context=short(length), value=value)
                lines = (head, _line(words, words("This call"), time, 1), _line(words, words("One row"), one, 1))
                # Six marks side by side at each length: the constructions apart, the rows within each.
                points.append(Point(index + (construction * 2 - 3) * 0.2 + (place - 1) * 0.1, change, lines))
                rows.append([row["construction"], row["kv_len"], row["query_rows"], time, one, change])
            traces.append(series(name, points, Look(construction, symbol if construction == 1 else f"{symbol}-open", joined=False)))
    layout = frame(words("Length of the KV cache, tokens"), words("Time against one row, %"), zero=True)
    ticks = [short(length) for length in LADDER]
    layout["xaxis"].update(tickmode="array", tickvals=list(range(len(LADDER))), ticktext=ticks, range=[-0.5, 3.5])
    layout["yaxis"].update(range=[-45, 8])
    return Drawing(
        title=words("The same kernel with more query rows, no model loaded"),
        alt=words(
            "Dot plot of the time of direct kernel calls with 2, 4 and 8 query rows against one row, at four lengths and "
            "in two constructions. At 8K and 32K every mark lies near zero; at 16K the constructions disagree; at 1K more "
            "rows are faster."
        ),
        plot={"data": traces, "layout": layout},
        columns=[
            words("Construction"),
            words("KV length, tokens"),
            words("Query rows"),
            words("Time, µs"),
            words("One row, µs"),
            words("Change, %"),
        ],
        rows=rows,
    )


@figure
def other_vendor(ledger: Ledger, words: Words) -> Drawing:
    """Fig. 3: what MTP is worth on one A100, by backend."""
    backends = {
        "triton_forced": (words("Triton, forced"), Look(2)),
        "flashinfer_explicit": (words("FlashInfer, named"), Look(1, pattern="/")),
        "auto_mixed_47547": (words("FlashAttention 2 with FlashInfer"), Look(3, pattern="x")),
    }
    points: dict[str, list[Point]] = {backend: [] for backend in backends}
    rows: Rows = []
    for index, context in enumerate((30000, 50000)):
        runs = {(row.text("backend"), row.text("speculation")): row for row in ledger.rows("a100_backend_matrix", context=context)}
        measured = [backend for backend in backends if (backend, "mtp") in runs]
        for place, backend in enumerate(measured):
            name, (mtp, none) = backends[backend][0], (runs[backend, kind] for kind in ("mtp", "none"))
            gain = (mtp["tok_s"] / none["tok_s"] - 1).to(PERCENT)
            sessions = sorted({mtp.text("session"), none.text("session")})
            lines = _gain_lines(words, name, short(context), gain, mtp["tok_s"], none["tok_s"])
            where = words("Session {name}", name=" / ".join(sessions))
            x = index + (place - (len(measured) - 1) / 2) * 0.31
            points[backend].append(Point(x, gain, (*lines, where), words.number(gain, 1, signed=True)))
            rows.append([words("A100"), name, mtp["context"], " / ".join(sessions), mtp["tok_s"], none["tok_s"], gain])
    traces = [bars(name, points[backend], look, width=0.28) for backend, (name, look) in backends.items()]
    here, base = (ledger.one("spec_ladder", arm=arm, context=32768) for arm in ("mtp_stock", "no_speculation"))
    gain = (here["tok_s"] / base["tok_s"] - 1).to(PERCENT)
    name = words("Radeons, for scale")
    lines = _gain_lines(words, name, "32K", gain, here["tok_s"], base["tok_s"])
    mark = Point(1.85, gain, lines, words.number(gain, 1, signed=True))
    traces.append(series(name, [mark], Look(GREY, "diamond", joined=False, size=11)))
    rows.append([words("Two Radeons"), words("Triton, forced"), here["context"], "", here["tok_s"], base["tok_s"], gain])
    layout = frame(words("Context"), words("Change in decode rate, %"), zero=True, barmode="overlay")
    layout["xaxis"].update(tickmode="array", tickvals=[0, 1, 1.85], ticktext=["30K", "50K", words("32K, Radeons")], range=[-0.5, 2.3])
    layout["yaxis"].update(range=[-82, 52])
    return Drawing(
        title=words("What MTP is worth on an A100, by backend"),
        alt=words(
            "Bar chart of the change in decode rate on one A100. On the forced Triton backend MTP loses at 30K and more at "
            "50K; on the other backends it gains at 30K and loses little at 50K. A grey mark shows the loss on the Radeons "
            "at 32K."
        ),
        plot={"data": traces, "layout": layout},
        columns=[
            words("Machine"),
            words("Backend"),
            words("Context, tokens"),
            words("Session"),
            words("MTP, tok/s"),
            words("No speculation, tok/s"),
            words("Change, %"),
        ],
        rows=rows,
    )


@figure
def admission(ledger: Ledger, words: Words) -> Drawing:
    """Fig. 4: decode rate by context, stock gate against the admission."""
    arms = (
        ("mtp_admitted", words("MTP, admitted"), Look(1, "circle")),
        ("mtp_stock_replicate", words("MTP, stock gate"), Look(2, "square", "dash")),
        ("no_speculation", words("No speculation"), Look(GREY, "triangle-up", "dot")),
        ("mtp_widened_by_hand", words("MTP, widened by hand"), Look(3, "diamond-open", joined=False, size=16)),
    )
    traces: list[Part] = []
    rows: Rows = []
    for arm, name, look in arms:
        points = []
        for run in ledger.rows("spec_ladder", arm=arm, context=LADDER):
            context, rate = int(run.text("context")), run["tok_s"]
            ratio = (rate / ledger.one("spec_ladder", arm="mtp_stock_replicate", context=context)["tok_s"]).to(TIMES)
            head = words("{name}, {context} of context: {value}", name=name, context=short(context), value=words.quantity(rate))
            points.append(Point(context, rate, (head, _line(words, words("Against the stock gate"), ratio))))
            rows.append([name, run.text("date"), run["context"], rate, ratio])
        traces.append(series(name, points, look))
    layout = frame(words("Context"), words("Decode rate, tok/s"))
    layout["xaxis"].update(context_axis(LADDER), range=[2.93, 4.6])
    layout["yaxis"].update(rangemode="tozero")
    return Drawing(
        title=words("The same ladder with the second row admitted"),
        alt=words(
            "Line chart of decode rates at four contexts. With the admission MTP stays above no speculation everywhere; "
            "with the stock gate it is below from 8K on."
        ),
        plot={"data": traces, "layout": layout},
        columns=[words("Arm"), words("Date"), words("Context, tokens"), words("Rate, tok/s"), words("Against the stock gate, ×")],
        rows=rows,
    )


@figure
def five_runs(ledger: Ledger, words: Words) -> Drawing:
    """Fig. 5: the admission against the stock gate in five runs."""
    looks = (
        Look(1, "circle"),
        Look(2, "square", "dash"),
        Look(4, "diamond", "dashdot"),
        Look(3, "triangle-up-open", "dot"),
        Look(5, "cross-open", "longdash"),
    )
    traces: list[Part] = []
    rows: Rows = []
    for run, look in zip(RUNS, looks, strict=True):
        about, *_ = (row for dataset in RATES for row in ledger.rows(dataset, run=run))
        machine = words("A100") if about.text("machine").startswith("A100") else words("Radeons")
        name = words("{model}, {machine}, {backend}", model=about.text("model"), machine=machine, backend=about.text("backend"))
        points = []
        for context in contexts_of_run(ledger, run):
            before, after = (rate_of_cell(ledger, run, arm, context) for arm in ("stock", "admitted"))
            widest = max(spread_of_cell(ledger, run, arm, context) for arm in ("stock", "admitted")).to(PERCENT)
            ratio = (after / before).to(TIMES)
            head = words("{name}, {context} of context: {value}", name=name, context=short(context), value=words.quantity(ratio))
            lines = (
                head,
                _line(words, words("Admitted"), after),
                _line(words, words("Stock gate"), before),
                _line(words, words("Rounds apart by up to"), widest, 1),
            )
            points.append(Point(context, ratio, lines))
            rows.append([name, str(context), before, after, words("chunk/s") if machine == words("A100") else words("tok/s"), ratio, widest])
        traces.append(series(name, points, look))
    layout = frame(words("Context"), words("Admitted against stock, ×"))
    layout["xaxis"].update(context_axis((500, 2000, 8000, 32000)), range=[2.6, 4.6])
    layout.update(shapes=[level(1)])
    return Drawing(
        title=words("The admission in five runs"),
        alt=words(
            "Line chart of the rate with the admission over the rate with the stock gate, by context. The runs on "
            "the Triton kernel rise steadily with context; those on other backends stay level."
        ),
        plot={"data": traces, "layout": layout},
        columns=[
            words("Run"),
            words("Context"),
            words("Stock gate"),
            words("Admitted"),
            words("Unit"),
            words("Admitted against stock, ×"),
            words("Rounds apart, %"),
        ],
        rows=rows,
    )
