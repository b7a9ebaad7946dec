"""Metrics of the article on the second card: decode and prefill ladders of four machines, and what a decode step on two cards is made of."""

from fits import Fit, Rung, fit_prefill, prefill_rungs
from ladders import latest_session
from once import once

from ledgermark import Ledger, Quantity, Row, count, largest, mean, metric, smallest

# The ladders compared, by a short name: the campaign and the configuration as the author names them.
LADDERS = {
    "12b_one": ("radeon-2026-08-24", "A-12B-tp1"),
    "12b_two": ("radeon-2026-08-24", "A-12B-tp2"),
    "12b_one_july": ("radeon-2026-07-25", "A-12B-tp1"),
    "12b_two_july": ("radeon-2026-07-25", "A-12B-tp2"),
    "12b_a100": ("a100-2026-08-30", "G12"),
    "12b_l4": ("l4-2026-08-30", "G12"),
    "26b_one": ("radeon-2026-08-30", "E26-tp1-u95"),
    "26b_two": ("radeon-2026-08-24", "E-26B-tp2"),
    "26b_two_july": ("radeon-2026-07-25", "E-26B-tp2"),
    "26b_a100": ("a100-2026-08-30", "G26A4B"),
    "26b_l4": ("l4-2026-08-30", "G26A4B"),
    "8b_one": ("radeon-2026-08-24", "B-8B-tp1"),
    "8b_two": ("radeon-2026-08-24", "B-8B-tp2"),
    "8b_two_july": ("radeon-2026-07-25", "B-8B-tp2"),
    "31b_two": ("radeon-2026-09-02", "G31-tp2-x16"),
    "31b_two_july": ("radeon-2026-07-25", "C-31B-tp2"),
    "31b_two_narrow": ("radeon-2026-08-29", "G31-tp2"),
    "31b_a100": ("a100-2026-08-30", "G31"),
    "q38_two_pinned": ("radeon-2026-09-02c", "Q38-triton-tp2-x16"),
    "q38_two_routed": ("radeon-2026-09-02c", "Q38-tp2-x16"),
    "q38_two_narrow": ("radeon-2026-08-29", "Q38-triton-tp2"),
    "q38_a100": ("a100-2026-08-30", "Q38"),
    "mg30_two": ("radeon-2026-08-24", "G-30B-tp2"),
    "mg30_a100": ("a100-2026-08-30", "MG30"),
}
SHALLOWEST = 500  # the first rung of every ladder, in tokens
PEAK = Quantity.of(800, "GB/s")  # memory bandwidth of one RX 7900 XT, by its data sheet
WITHDRAWN_ALLREDUCE = Quantity.of(1050, "us")  # what the source once took an all-reduce to cost, from the fixed term of a fit


def ladder(run: str) -> tuple[str, str]:
    """Return campaign and configuration of a ladder. Raises ValueError for one that is not compared."""
    if run not in LADDERS:
        raise ValueError(f"no ladder '{run}'; there are {', '.join(LADDERS)}")
    return LADDERS[run]


def decode_cells(ledger: Ledger, run: str) -> dict[int, tuple[Row, ...]]:
    """Return the rounds of each context of a decode ladder, ascending."""
    campaign, cfg = ladder(run)
    return latest_session(ledger, "decode_ladder", campaign=campaign, cfg=cfg)


def fitted(ledger: Ledger, run: str) -> Fit:
    """Return the fit of a prefill ladder."""
    return fit_prefill(ledger, *ladder(run))


def _prefill_cell(ledger: Ledger, run: str, context: int) -> Rung:
    found = [rung for rung in prefill_rungs(ledger, *ladder(run)) if rung.context == context]
    if not found:
        raise ValueError(f"the prefill ladder '{run}' has no rung at {context}")
    return found[0]


@once
def shared_contexts(ledger: Ledger, run: str, base: str) -> tuple[int, ...]:
    """Return the contexts that two decode ladders both have, ascending."""
    cells, others = decode_cells(ledger, run), decode_cells(ledger, base)
    return tuple(context for context in cells if context in others)


@metric(unit="tok/s", formula="mean of rounds")
@once
def decode_rate(ledger: Ledger, run: str, context: int) -> Quantity:
    """Decode rate of a cell, mean of its rounds, without speculation."""
    cells = decode_cells(ledger, run)
    if context not in cells:
        raise ValueError(f"the decode ladder '{run}' has no rung at {context}")
    return mean(row["tok_s"] for row in cells[context])


@metric(unit="×", formula="rate / rate of the base")
def decode_ratio(ledger: Ledger, run: str, base: str, context: int) -> Quantity:
    """How many times the decode rate of another ladder one reaches at a context, without speculation."""
    return decode_rate(ledger, run, context) / decode_rate(ledger, base, context)


def _ratios(ledger: Ledger, run: str, base: str) -> list[Quantity]:
    return [decode_ratio(ledger, run, base, context) for context in shared_contexts(ledger, run, base)]


@metric(unit="×", formula="min over contexts of rate / rate of the base")
def decode_ratio_least(ledger: Ledger, run: str, base: str) -> Quantity:
    """Least ratio of the decode rates of two ladders over the contexts they share."""
    return smallest(_ratios(ledger, run, base))


@metric(unit="×", formula="max over contexts of rate / rate of the base")
def decode_ratio_most(ledger: Ledger, run: str, base: str) -> Quantity:
    """Largest ratio of the decode rates of two ladders over the contexts they share."""
    return largest(_ratios(ledger, run, base))


@metric(unit="rung", formula="contexts in both")
def shared_rungs(ledger: Ledger, run: str, base: str) -> Quantity:
    """Contexts at which both of two decode ladders were measured."""
    cells = decode_cells(ledger, run)
    return count([cells[context][0] for context in shared_contexts(ledger, run, base)], unit="rung")


@metric(unit="token", formula="max of context")
def ladder_deepest(ledger: Ledger, run: str) -> Quantity:
    """Longest context of a decode ladder."""
    return largest(rows[0]["context"] for rows in decode_cells(ledger, run).values())


@metric(unit="token", formula="min of context")
def ladder_shortest(ledger: Ledger, run: str) -> Quantity:
    """Shortest context of a decode ladder."""
    return smallest(rows[0]["context"] for rows in decode_cells(ledger, run).values())


@metric(unit="%", formula="rate(deepest) / rate(shallowest)")
def ladder_retained(ledger: Ledger, run: str) -> Quantity:
    """Share of its rate at the shortest context that a decode ladder keeps at the longest."""
    contexts = list(decode_cells(ledger, run))
    return decode_rate(ledger, run, contexts[-1]) / decode_rate(ledger, run, contexts[0])


@metric(unit="us/tok", formula="b of T(S) = a + b S + c S²")
def prefill_b(ledger: Ledger, run: str) -> Quantity:
    """Linear term of the prefill fit: time that each token of the prompt adds by itself."""
    return fitted(ledger, run).per_token


@metric(unit="ns/tok^2", formula="c of T(S) = a + b S + c S²")
def prefill_c(ledger: Ledger, run: str) -> Quantity:
    """Quadratic term of the prefill fit: time that grows with the square of the prompt, which is attention."""
    return fitted(ledger, run).per_token_squared


@metric(unit="×", formula="b of the base / b")
def b_lead(ledger: Ledger, run: str, base: str) -> Quantity:
    """How many times smaller the linear term of the prefill fit is than that of another ladder."""
    return prefill_b(ledger, base) / prefill_b(ledger, run)


@metric(unit="×", formula="c of the base / c")
def c_lead(ledger: Ledger, run: str, base: str) -> Quantity:
    """How many times smaller the quadratic term of the prefill fit is than that of another ladder."""
    return prefill_c(ledger, base) / prefill_c(ledger, run)


@metric(unit="token", formula="(b − b of the base) / (c of the base − c)")
def prefill_crossing(ledger: Ledger, run: str, base: str) -> Quantity:
    """Length of prompt from which a machine that loses in the linear term of prefill and wins in the quadratic one is ahead of the other."""
    return ((prefill_b(ledger, run) - prefill_b(ledger, base)) / (prefill_c(ledger, base) - prefill_c(ledger, run))).to("tok")


@metric(unit="%", formula="max |T measured / T fitted − 1|")
def fit_residual(ledger: Ledger, run: str, shortest: int = SHALLOWEST) -> Quantity:
    """Largest distance of a rung from the prefill fit, as a share of the fitted time, over the rungs from a context upwards."""
    fit = fitted(ledger, run)
    return largest(abs(residual) for rung, residual in zip(fit.rungs, fit.residuals, strict=True) if rung.context >= shortest)


@metric(unit="s", formula="b S + c S²")
def prefill_terms(ledger: Ledger, run: str, tokens: int) -> Quantity:
    """Time that a prompt of a length takes by the two growing terms of the prefill fit, the fixed term left out."""
    return fitted(ledger, run).grown(Quantity.of(tokens, "tok"))


@metric(unit="×", formula="(b S + c S²) of the base / (b S + c S²)")
def prefill_terms_lead(ledger: Ledger, run: str, base: str, tokens: int) -> Quantity:
    """How many times shorter a prompt takes than on another ladder, by the two growing terms of the prefill fit."""
    return prefill_terms(ledger, base, tokens) / prefill_terms(ledger, run, tokens)


@metric(unit="s", formula="faster round")
def prefill_time(ledger: Ledger, run: str, context: int) -> Quantity:
    """Time to the first token of a cell as measured, faster round."""
    return _prefill_cell(ledger, run, context).time


@metric(unit="×", formula="time of the base / time, faster rounds")
def prefill_time_lead(ledger: Ledger, run: str, base: str, context: int) -> Quantity:
    """How many times shorter the first token takes than on another ladder, as measured, faster rounds."""
    return prefill_time(ledger, base, context) / prefill_time(ledger, run, context)
