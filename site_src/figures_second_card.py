"""Figures of the article on the second card: decode ratios, the prefill fit and its terms, and the pair against the A100."""

from collections.abc import Sequence

from fits import Rung
from once import once
from plots import Look, Part, Point, bars, context_axis, frame, level, series, short
from restated import a100_tokens, lead_recounted, radeon_tokens, restated_contexts
from second_card import b_lead, c_lead, decode_cells, decode_rate, decode_ratio, fitted, prefill_b, prefill_c, shared_contexts
from step_parts import PROBE, probe_lead

from ledgermark import Drawing, Ledger, Quantity, Words, figure, largest, mean, smallest

TableRows = list[Sequence[Quantity | str]]

TICKS = (500, 2000, 8000, 32000)
# Models whose ladders stand beside one another, each with what it ran on: on the two Radeons, on the A100, and the kernel on the A100.
KERNELS = (
    ("gemma-4-31B", "31B", "31b_two", "31b_a100", "Triton"),
    ("gemma-4-12B", "12B", "12b_two", "12b_a100", "Triton"),
    ("gemma-4-26B-A4B", "26B", "26b_two", "26b_a100", "Triton"),
    ("Qwen3.8-27B", "Qwen3.8", "q38_two_routed", "q38_a100", "FlashAttention"),
    ("Qwen3.8-27B", "Qwen3.8*", "q38_two_pinned", "q38_a100", "FlashAttention"),
    ("Muse-Glimmer-30B", "Glimmer", "mg30_two", "mg30_a100", "FlashAttention"),
)


def line_of(words: Words, name: str, value: Quantity, places: int = 2, *, signed: bool = False) -> str:
    """Return a hover line: a name and a value with its unit."""
    return words("{name}: {value}", name=name, value=words.quantity(value, places, signed=signed))


def _machines(words: Words) -> dict[str, tuple[str, int, str]]:
    """Return name, colour slot and symbol of each machine that one Radeon is compared with."""
    return {"two": (words("Two Radeons"), 1, "circle"), "a100": (words("A100"), 2, "square"), "l4": (words("L4"), 3, "diamond")}


@once
def _apart(ledger: Ledger, run: str, context: int) -> Quantity:
    rounds = [row["tok_s"] for row in decode_cells(ledger, run)[context]]
    return ((largest(rounds) - smallest(rounds)) / mean(rounds)).to("%")


@figure
def decode_ratios(ledger: Ledger, words: Words) -> Drawing:
    """Decode rate of three machines against one Radeon, by context, two models."""
    traces: list[Part] = []
    rows: TableRows = []
    for model, label, symbol, dash in (("12b", "gemma-4-12B", "", "solid"), ("26b", "gemma-4-26B-A4B", "-open", "dash")):
        for key, (machine, slot, shape) in _machines(words).items():
            run, base = f"{model}_{key}", f"{model}_one"
            name = words("{machine}, {model}", machine=machine, model=label)
            points = []
            for context in shared_contexts(ledger, run, base):
                ratio, rate, one = (
                    decode_ratio(ledger, run, base, context),
                    decode_rate(ledger, run, context),
                    decode_rate(ledger, base, context),
                )
                widest = max(_apart(ledger, run, context), _apart(ledger, base, context))
                value = words.quantity(ratio.to("×"))
                head = words("{name}, {context} of context: {value}", name=name, context=short(context), value=value)
                more = (
                    line_of(words, machine, rate),
                    line_of(words, words("One Radeon"), one),
                    line_of(words, words("Rounds apart by up to"), widest, 1),
                )
                points.append(Point(context, ratio.to("×"), (head, *more)))
                rows.append([machine, label, str(context), rate, one, ratio.to("×"), widest])
            traces.append(series(name, points, Look(slot, f"{shape}{symbol}", dash, size=8)))
    layout = frame(words("Context"), words("Rate against one Radeon, ×"), shapes=[level(1)])
    layout["xaxis"].update(context_axis(TICKS), range=[2.6, 4.6])
    layout["yaxis"].update(range=[0, 2.5])
    return Drawing(
        title=words("Decode against one Radeon"),
        alt=words(
            "Line chart of decode rates over that of one Radeon, by context, for two models. The A100 lies highest and "
            "comes down with context; the second Radeon runs flat a little above one; the L4 lies below one throughout."
        ),
        plot={"data": traces, "layout": layout},
        columns=[
            words("Machine"),
            words("Model"),
            words("Context"),
            words("Rate, tok/s"),
            words("One Radeon, tok/s"),
            words("Rate against one Radeon, ×"),
            words("Rounds apart, %"),
        ],
        rows=rows,
    )


def _fit_point(words: Words, name: str, rung: Rung, residual: Quantity) -> tuple[Point, list[Quantity | str]]:
    each, line = (rung.time / rung.prompt).to("us/tok"), rung.time / (1 + residual)
    head = words("{name}, {context} of prompt: {value}", name=name, context=short(rung.context), value=words.quantity(each, 1))
    lines = (
        head,
        line_of(words, words("First token, faster round"), rung.time, 4),
        line_of(words, words("By the fit"), line, 4),
        line_of(words, words("Measured against the fit"), residual, 2, signed=True),
    )
    return Point(float(rung.prompt), each, lines), [name, str(rung.context), rung.prompt, rung.time, line, residual, each]


@figure
def prefill_fits(ledger: Ledger, words: Words) -> Drawing:
    """Time of a prompt over its length, gemma-4-12B on four machines, with what the fit leaves over."""
    machines = {"one": (words("One Radeon"), 4, "triangle-up"), **_machines(words)}
    dashes = {"one": "solid", "two": "dash", "a100": "dot", "l4": "dashdot"}
    traces: list[Part] = []
    rows: TableRows = []
    for key, (name, slot, symbol) in machines.items():
        fit = fitted(ledger, f"12b_{key}")
        made = [_fit_point(words, name, rung, residual) for rung, residual in zip(fit.rungs, fit.residuals, strict=True)]
        traces.append(series(name, [point for point, _ in made], Look(slot, symbol, dashes[key])))
        rows += [row for _, row in made]
    layout = frame(words("Prompt, tokens"), words("Time for each token of the prompt, µs"))
    layout["xaxis"].update(tickmode="array", tickvals=[500, 8000, 16000, 24000, 32000], ticktext=["500", "8K", "16K", "24K", "32K"])
    layout["yaxis"].update(rangemode="tozero")
    return Drawing(
        title=words("What each token of a prompt costs"),
        alt=words(
            "Line chart of the time to the first token over the tokens of the prompt, gemma-4-12B on four machines. One "
            "Radeon rises most steeply. The L4 starts above it and ends below; two Radeons and the A100 lie lower."
        ),
        plot={"data": traces, "layout": layout},
        columns=[
            words("Machine"),
            words("Context"),
            words("Prompt, tokens"),
            words("First token, s"),
            words("By the fit, s"),
            words("Measured against the fit, %"),
            words("For each token, µs"),
        ],
        rows=rows,
    )


def _term_bars(ledger: Ledger, words: Words, places: list[tuple[float, str, str, str]]) -> tuple[list[Part], TableRows]:
    """Return bars of the leads in b and c, and their rows, for runs against a base: place on the axis, name, run, base."""
    traces: list[Part] = []
    rows: TableRows = []
    terms = (
        (words("Linear term b"), b_lead, prefill_b, Look(1), -0.2),
        (words("Quadratic term c"), c_lead, prefill_c, Look(2, pattern="/"), 0.2),
    )
    for term, lead, value, look, shift in terms:
        points = []
        for x, name, run, base in places:
            ratio, here, there = lead(ledger, run, base).to("×"), value(ledger, run), value(ledger, base)
            head = words("{name}, {term}: {value}", name=name, term=term, value=words.quantity(ratio))
            lines = (head, line_of(words, words("This machine"), here, 2), line_of(words, words("Compared with"), there, 2))
            points.append(Point(x + shift, ratio, lines, words.number(ratio, 1)))
            rows.append([name, term, here, there, ratio])
        traces.append(bars(term, points, look, width=0.36))
    return traces, rows


def _term_columns(words: Words) -> list[str]:
    return [words("Machine and model"), words("Term"), words("This machine, µs or ns"), words("Compared with, µs or ns"), words("Lead, ×")]


@figure
def term_leads(ledger: Ledger, words: Words) -> Drawing:
    """Both terms of the prefill fit against one Radeon: three machines, two models."""
    places: list[tuple[float, str, str, str]] = []
    ticks: list[str] = []
    for group, (model, label) in enumerate((("12b", "gemma-4-12B"), ("26b", "gemma-4-26B-A4B"))):
        for index, (key, (machine, _, _)) in enumerate(_machines(words).items()):
            name = words("{machine}, {model}", machine=machine, model=label)
            places.append((group * 3.4 + index, name, f"{model}_{key}", f"{model}_one"))
            ticks.append(words("Two") if key == "two" else machine)
    traces, rows = _term_bars(ledger, words, places)
    layout = frame(words("gemma-4-12B left, gemma-4-26B-A4B right"), words("Lead over one Radeon, ×"), barmode="overlay", shapes=[level(1)])
    layout["xaxis"].update(tickmode="array", tickvals=[place[0] for place in places], ticktext=ticks)
    layout["yaxis"].update(range=[0, 7.5])
    return Drawing(
        title=words("Both terms of prefill against one Radeon"),
        alt=words(
            "Bar chart of the lead over one Radeon in the linear and in the quadratic term of prefill. On gemma-4-12B the "
            "A100 leads further in the quadratic term than in the linear; on gemma-4-26B-A4B the two are alike."
        ),
        plot={"data": traces, "layout": layout},
        columns=_term_columns(words),
        rows=rows,
    )


@figure
def kernel_groups(ledger: Ledger, words: Words) -> Drawing:
    """Both terms of the prefill fit, the A100 against two Radeons, by the kernel that serves the model on the A100."""
    places: list[tuple[float, str, str, str]] = []
    for index, (model, _, base, run, kernel) in enumerate(KERNELS):
        pinned = words(", kernel pinned on the Radeons") if base.endswith("pinned") else ""
        name = words("{model}{note}, {kernel} on the A100", model=model, note=pinned, kernel=kernel)
        places.append((index + (0.4 if kernel == "FlashAttention" else 0), name, run, base))
    traces, rows = _term_bars(ledger, words, places)
    layout = frame(
        words("Triton on the A100 left, FlashAttention right"), words("Lead over two Radeons, ×"), barmode="overlay", shapes=[level(1)]
    )
    layout["xaxis"].update(tickmode="array", tickvals=[place[0] for place in places], ticktext=[kind[1] for kind in KERNELS])
    layout["yaxis"].update(range=[0, 21])
    return Drawing(
        title=words("The lead of the A100 by term and kernel"),
        alt=words(
            "Bar chart of the lead of the A100 over two Radeons in the two terms of prefill, by case. The linear term differs little. "
            "The quadratic term is alike where the same kernel serves both sides or the Radeons run their default, and far higher "
            "where FlashAttention meets Triton."
        ),
        plot={"data": traces, "layout": layout},
        columns=_term_columns(words),
        rows=rows,
    )


@figure
def pair_lead(ledger: Ledger, words: Words) -> Drawing:
    """The lead of the A100 over two Radeons, gemma-4-31B: the ladders as shipped, the session of 2026-08-29, and the four single runs."""
    stock, session, probe = words("Unpatched"), words("Session of 2026-08-29, recounted"), words("Four single runs, MTP")
    rows: TableRows = []
    drawn: dict[str, list[Point]] = {stock: [], session: [], probe: []}

    def add(name: str, context: int, lead: Quantity, rates: tuple[Quantity, Quantity], note: str) -> None:
        here, there = (rate.to("tok/s") for rate in rates)
        head = words("{name}, {context} of context: {value}", name=name, context=short(context), value=words.quantity(lead.to("×")))
        lines = (head, line_of(words, words("A100"), here), line_of(words, words("Two Radeons"), there), note)
        drawn[name].append(Point(context, lead.to("×"), lines))
        rows.append([name, str(context), here, there, lead.to("×")])

    twice = words("No speculation, mean of two rounds")
    for context in shared_contexts(ledger, "31b_a100", "31b_two_july"):
        rates = decode_rate(ledger, "31b_a100", context), decode_rate(ledger, "31b_two_july", context)
        add(stock, context, decode_ratio(ledger, "31b_a100", "31b_two_july", context), rates, twice)
    for context in restated_contexts(ledger):
        rates = a100_tokens(ledger, "no_speculation", context), radeon_tokens(ledger, "no_speculation", context)
        add(session, context, lead_recounted(ledger, "no_speculation", context), rates, twice)
    for context in PROBE:
        rates = (
            ledger.one("a100_admission", series="ladder", gate="admitted", context=PROBE[context])["tok_s"],
            ledger.one("spec_ladder", arm="mtp_admitted", context=context)["tok_s"],
        )
        add(probe, context, probe_lead(ledger, context), rates, words("One run a cell, one token drafted"))
    looks = (Look(1, "circle"), Look(3, "square-open", "dash", size=7), Look(2, "diamond", "dot", size=11))
    layout = frame(words("Context"), words("A100 over two Radeons, ×"), shapes=[level(1)])
    layout["xaxis"].update(context_axis(TICKS), range=[2.6, 4.6])
    layout["yaxis"].update(range=[0.9, 2])
    return Drawing(
        title=words("The A100 against two Radeons, gemma-4-31B"),
        alt=words(
            "Line chart of the A100's decode rate over that of two Radeons. Two ladders without speculation lie flat at "
            "about one and four tenths; four single runs with MTP make a U from one and a half down and up again."
        ),
        plot={"data": [series(name, points, look) for (name, points), look in zip(drawn.items(), looks, strict=True)], "layout": layout},
        columns=[words("Measurement"), words("Context"), words("A100, tok/s"), words("Two Radeons, tok/s"), words("A100 over two Radeons, ×")],
        rows=rows,
    )
