"""Figures of the article on the second card: the restated comparison, MTP on one card and on two, bandwidth and the memory controller."""

from figures_second_card import TICKS, TableRows, line_of
from plots import Look, Part, Point, bars, context_axis, frame, level, series, short
from restated import a100_chunk_rate, a100_tokens, lead_as_recorded, lead_recounted, radeon_tokens, restated_contexts, tokens_per_chunk
from second_card import PEAK, decode_rate
from step_parts import (
    PROBE,
    a100_admitted_gain,
    a100_rate_retained,
    bandwidth_bound,
    bandwidth_share,
    busy_one,
    busy_speedup,
    busy_two,
    weights_on_a_card,
)

from ledgermark import Drawing, Ledger, Words, figure

MODELS = {
    "gemma-4-12B-it": (Look(1, "circle", joined=False, size=12), (500, 8000, 32000)),
    "Qwen3-8B": (Look(2, "square", joined=False, size=12), (500, 8000)),
}


@figure
def restated_lead(ledger: Ledger, words: Words) -> Drawing:
    """The A100 over two Radeons with MTP, gemma-4-31B: chunks over tokens as first recorded, and tokens over tokens."""
    recorded, recount, plain = words("MTP, chunks over tokens"), words("MTP, recounted"), words("No speculation, recounted")
    drawn: dict[str, list[Point]] = {recorded: [], recount: [], plain: []}
    rows: TableRows = []
    for context in restated_contexts(ledger):
        chunks, tokens, here = (
            a100_chunk_rate(ledger, "admitted", context),
            a100_tokens(ledger, "admitted", context).to("tok/s"),
            radeon_tokens(ledger, "admitted", context),
        )
        first = lead_as_recorded(ledger, "admitted", context).to("chunk/tok")
        lead = lead_recounted(ledger, "admitted", context).to("×")
        each = tokens_per_chunk(ledger, context).to("tok/chunk")
        radeons = line_of(words, words("Two Radeons"), here)
        cases = (
            (recorded, first, (line_of(words, words("A100, as recorded"), chunks), radeons)),
            (recount, lead, (line_of(words, words("A100, in tokens"), tokens), radeons, line_of(words, words("Tokens in a chunk"), each))),
        )
        for name, value, more in cases:
            head = words("{name}, {context} of context: {value}", name=name, context=short(context), value=words.quantity(value))
            drawn[name].append(Point(context, value, (head, *more)))
        without = lead_recounted(ledger, "no_speculation", context).to("×")
        head = words("{name}, {context} of context: {value}", name=plain, context=short(context), value=words.quantity(without))
        more = (
            line_of(words, words("A100, in tokens"), a100_tokens(ledger, "no_speculation", context).to("tok/s")),
            line_of(words, words("Two Radeons"), radeon_tokens(ledger, "no_speculation", context)),
        )
        drawn[plain].append(Point(context, without, (head, *more)))
        rows += [[recorded, str(context), chunks, here, first], [recount, str(context), tokens, here, lead]]
        rows.append(
            [
                plain,
                str(context),
                a100_tokens(ledger, "no_speculation", context).to("tok/s"),
                radeon_tokens(ledger, "no_speculation", context),
                without,
            ]
        )
    looks = (Look(2, "x", "dot"), Look(1, "circle"), Look(3, "square-open", "dash", size=7))
    layout = frame(words("Context"), words("A100 over two Radeons"), shapes=[level(1)])
    layout["xaxis"].update(context_axis(TICKS), range=[2.6, 4.6])
    layout["yaxis"].update(range=[0, 2.4])
    return Drawing(
        title=words("The lead with MTP, as recorded and recounted"),
        alt=words(
            "Line chart of the A100 over two Radeons by context. Chunks over tokens, as first recorded, lie at about one. "
            "Recounted in tokens the lead with MTP lies at about two, above the one without speculation."
        ),
        plot={"data": [series(name, points, look) for (name, points), look in zip(drawn.items(), looks, strict=True)], "layout": layout},
        columns=[
            words("Count"),
            words("Context"),
            words("A100, chunk/s or tok/s"),
            words("Two Radeons, tok/s"),
            words("A100 over two Radeons"),
        ],
        rows=rows,
    )


@figure
def mtp_split(ledger: Ledger, words: Words) -> Drawing:
    """What MTP keeps at depth with the stock gate, and adds with the admission, on one card and on two."""
    deepest, short_of = max(PROBE), min(PROBE)
    kept, adds = words("Kept at depth, stock gate"), words("Added at depth, admitted")
    stock = {at: ledger.one("spec_ladder", arm="mtp_stock_replicate", context=at)["tok_s"] for at in (short_of, deepest)}
    admitted, none = (ledger.one("spec_ladder", arm=arm, context=deepest)["tok_s"] for arm in ("mtp_admitted", "no_speculation"))
    a100 = {
        (gate, at): ledger.one("a100_admission", series="ladder", gate=gate, context=at)["tok_s"]
        for gate, at in (("stock", PROBE[short_of]), ("stock", PROBE[deepest]), ("admitted", PROBE[deepest]))
    }
    base = ledger.one("a100_backend_matrix", backend="triton_forced", speculation="none", context=PROBE[deepest])["tok_s"]
    machines = (
        (
            words("Two Radeons"),
            Look(1),
            -0.2,
            (stock[deepest] / stock[short_of], admitted / none - 1),
            (stock[deepest], stock[short_of], admitted, none),
        ),
        (
            words("A100"),
            Look(2, pattern="/"),
            0.2,
            (a100_rate_retained(ledger, "stock"), a100_admitted_gain(ledger)),
            (a100["stock", PROBE[deepest]], a100["stock", PROBE[short_of]], a100["admitted", PROBE[deepest]], base),
        ),
    )
    traces: list[Part] = []
    rows: TableRows = []
    for machine, look, shift, values, rates in machines:
        points = []
        for group, (name, value) in enumerate(zip((kept, adds), values, strict=True)):
            share, above, below = value.to("%"), rates[2 * group], rates[2 * group + 1]
            head = words("{machine}, {name}: {value}", machine=machine, name=name, value=words.quantity(share, 1, signed=group == 1))
            lines = (head, line_of(words, words("At depth"), above), line_of(words, words("Compared with"), below))
            points.append(Point(group + shift, share, lines, words.number(share, 1, signed=group == 1)))
            rows.append([machine, name, above, below, share])
        traces.append(bars(machine, points, look, width=0.36))
    layout = frame("", words("Share or change, %"), barmode="overlay")
    layout["xaxis"].update(tickmode="array", tickvals=[0, 1], ticktext=[kept, adds])
    layout["yaxis"].update(range=[0, 46])
    return Drawing(
        title=words("MTP at depth, on one card and on two"),
        alt=words(
            "Bar chart in two groups. With the stock gate the A100 keeps twice the share of its rate that two Radeons keep; "
            "with the admission MTP adds several times as much on the A100 as on two Radeons."
        ),
        plot={"data": traces, "layout": layout},
        columns=[words("Machine"), words("Quantity"), words("At depth, tok/s"), words("Compared with, tok/s"), words("Share or change, %")],
        rows=rows,
    )


@figure
def achieved_bandwidth(ledger: Ledger, words: Words) -> Drawing:
    """Upper bound of the share of its memory bandwidth that each of the two cards reaches while decoding."""
    points: list[Point] = []
    rows: TableRows = []
    models = (("gemma-4-12B-it", "12b_two_july"), ("gemma-4-31B-it", "31b_two_july"), ("Qwen3-8B", "8b_two_july"))
    for x, (model, run) in enumerate(models):
        share, read, rate = (
            bandwidth_share(ledger, model, run).to("%"),
            bandwidth_bound(ledger, model, run).to("GB/s"),
            decode_rate(ledger, run, 500),
        )
        weights = weights_on_a_card(ledger, model)
        lines = (
            words("{name}, at most {value}", name=model, value=words.quantity(share, 1)),
            line_of(words, words("Weights on each card"), weights.to("GiB/tok")),
            line_of(words, words("Decode rate at 500 tokens"), rate),
            line_of(words, words("Read by each card"), read, 0),
            line_of(words, words("By the data sheet"), PEAK, 0),
        )
        points.append(Point(x, share, lines, words.number(share, 1)))
        rows.append([model, weights, rate, read, share])
    layout = frame("", words("Share of 800 GB/s, at most, %"))
    layout["xaxis"].update(tickmode="array", tickvals=[0, 1, 2], ticktext=["12B w4a16", "31B w4a16", "8B bf16"])
    layout["yaxis"].update(range=[0, 100])
    return Drawing(
        title=words("Memory bandwidth while decoding, upper bounds"),
        alt=words(
            "Bar chart of the share of nominal memory bandwidth each of two Radeons reaches at most: least for the 12B, most for the 8B."
        ),
        plot={"data": [bars(words("Two Radeons"), points, Look(1), width=0.6)], "layout": layout},
        columns=[
            words("Model"),
            words("Weights on each card, GiB"),
            words("Rate, tok/s"),
            words("Read by each card, GB/s"),
            words("Share at most, %"),
        ],
        rows=rows,
    )


@figure
def memory_controller(ledger: Ledger, words: Words) -> Drawing:
    """What the second card is worth against how busy the memory controller of a single card is."""
    traces: list[Part] = []
    rows: TableRows = []
    for model, (look, contexts) in MODELS.items():
        points = []
        for context in contexts:
            one, two, worth = busy_one(ledger, model, context), busy_two(ledger, model, context), busy_speedup(ledger, model, context).to("×")
            head = words("{name}, {context} of context: {value}", name=model, context=short(context), value=words.quantity(worth))
            lines = (head, line_of(words, words("Busy on one card"), one, 0), line_of(words, words("Busy on two cards"), two, 0))
            points.append(Point(float(one), worth, lines))
            rows.append([model, str(context), one, two, worth])
        traces.append(series(model, points, look))
    layout = frame(words("Memory controller busy on one card, %"), words("Two cards against one, ×"), shapes=[level(1)])
    layout["xaxis"].update(range=[35, 100])
    layout["yaxis"].update(range=[0.9, 1.9])
    return Drawing(
        title=words("What the second card is worth, and how busy the first is"),
        alt=words(
            "Dot plot of the speed-up by the second card against the load of the memory controller of one. The points of the 12B lie "
            "low, where the controller idles through part of a step; those of the 8B lie high, where it hardly idles."
        ),
        plot={"data": traces, "layout": layout},
        columns=[
            words("Model"),
            words("Context"),
            words("Busy on one card, %"),
            words("Busy on two cards, %"),
            words("Two cards against one, ×"),
        ],
        rows=rows,
    )
