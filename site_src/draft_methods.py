"""Metrics of the draft methods: what a published sweep of proposal lengths says of the cost of a step.

Everything here is computed from transcribed rows; nothing was measured by this site. A step that yields E tokens and costs C ordinary steps
decodes at E / C times the ordinary rate, so a published ratio and a published mean accepted length give C.
"""

from decimal import Decimal

from expected_tokens import Costs, expected_tokens, step_cost

from ledgermark import Ledger, Quantity, Row, count, largest, metric
from ledgermark.units import parse_unit

LENGTH = "num_speculative_tokens"


def sweep_line(ledger: Ledger, target: str, method: str, benchmark: str, n: int) -> Row:
    """Return the line of the appendix for one setting. Raises LedgerError where it was not taken over."""
    return ledger.one("amd_sweep", target_model=target, method=method, benchmark=benchmark, num_speculative_tokens=n)


def _tokens(ledger: Ledger, target: str, method: str, benchmark: str, n: int) -> Quantity:
    """Return the tokens of a step as a plain number, to set against costs in steps."""
    return sweep_line(ledger, target, method, benchmark, n)["mean_accepted_length"] / Quantity.of(1, "tok")


def _positions(ledger: Ledger, target: str, method: str, n: int) -> tuple[Row, ...]:
    rows = ledger.rows("amd_positions", target_model=target, method=method, num_speculative_tokens=n)
    if len(rows) != n:
        raise ValueError(f"{len(rows)} positions of {method} on {target} with {n} tokens, expected {n}")
    return rows


@metric(unit="×", formula="MAL / ratio")
def draft_step_cost(ledger: Ledger, target: str, method: str, benchmark: str, n: int) -> Quantity:
    """What a speculative step costs in ordinary steps: the tokens it yields over the ratio of the rates."""
    return _tokens(ledger, target, method, benchmark, n) / sweep_line(ledger, target, method, benchmark, n)["throughput_ratio"]


@metric(unit="×", formula="(C(longest) − C(shortest)) / (longest − shortest)")
def draft_cost_per_token(ledger: Ledger, target: str, method: str, benchmark: str, ends: tuple[int, ...]) -> Quantity:
    """What each further token of the proposal adds to the cost of a step, in ordinary steps, from the ends of a sweep."""
    shortest, longest = ends
    low, high = (draft_step_cost(ledger, target, method, benchmark, n) for n in ends)
    return (high - low) / (longest - shortest)


@metric(unit="×", formula="C(shortest) − 1 − shortest × cost per token")
def draft_fixed_cost(ledger: Ledger, target: str, method: str, benchmark: str, ends: tuple[int, ...]) -> Quantity:
    """What a step costs beyond an ordinary one whatever the length of its proposal, in ordinary steps, from the ends of a sweep."""
    shortest, _ = ends
    per_token = draft_cost_per_token(ledger, target, method, benchmark, ends)
    return draft_step_cost(ledger, target, method, benchmark, shortest) - 1 - per_token * shortest


@metric(unit="×", formula="MAL / (1 + fixed cost + N × cost per token)")
def draft_modelled_ratio(ledger: Ledger, target: str, method: str, benchmark: str, ends: tuple[int, ...], n: int) -> Quantity:
    """The ratio that the straight line through the ends of a sweep gives for a proposal length, with the published tokens per step."""
    fixed, per_token = (find(ledger, target, method, benchmark, ends) for find in (draft_fixed_cost, draft_cost_per_token))
    costs = Costs(draft=fixed.to("1").value, row=per_token.to("1").value, parallel=True)
    cost = Quantity(step_cost(n, costs), parse_unit("1"), fixed.evidence | per_token.evidence)
    return _tokens(ledger, target, method, benchmark, n) / cost


@metric(unit="%", formula="cost per token × ratio")
def draft_break_even(ledger: Ledger, target: str, method: str, benchmark: str, ends: tuple[int, ...], n: int) -> Quantity:
    """Share of all steps in which a further position has to be accepted to pay for itself, at the ratio of a proposal length."""
    per_token = draft_cost_per_token(ledger, target, method, benchmark, ends)
    return per_token * sweep_line(ledger, target, method, benchmark, n)["throughput_ratio"]


@metric(unit="%", formula="max |modelled / published − 1|")
def draft_model_gap(ledger: Ledger, target: str, method: str, benchmark: str, ends: tuple[int, ...], between: tuple[int, ...]) -> Quantity:
    """Largest distance of the modelled ratio from the published one, over the proposal lengths between the ends."""
    return largest(
        abs(
            draft_modelled_ratio(ledger, target, method, benchmark, ends, n)
            / sweep_line(ledger, target, method, benchmark, n)["throughput_ratio"]
            - 1
        )
        for n in between
    )


@metric(unit="tok", formula="1 + Σ share(position)")
def draft_summed_tokens(ledger: Ledger, target: str, method: str, n: int) -> Quantity:
    """Tokens of a step, from the published acceptance of each position."""
    shares = [row["accepted_pct"].to("1") for row in _positions(ledger, target, method, n)]
    evidence = frozenset().union(*(share.evidence for share in shares))
    return Quantity(expected_tokens([share.value for share in shares]), parse_unit("tok"), evidence)


@metric(unit="%", formula="share(position) / share(position − 1)")
def draft_given_previous(ledger: Ledger, target: str, method: str, n: int, position: int) -> Quantity:
    """Acceptance of a position where the one before it was accepted, from the published shares of all steps."""
    rows = {int(row.text("position")): row for row in _positions(ledger, target, method, n)}
    if position not in rows:
        raise ValueError(f"position {position} of {n}")
    share = rows[position]["accepted_pct"]
    return share / rows[position - 1]["accepted_pct"] if position > 1 else share


@metric(unit="×", formula="ratio(here) / ratio(there)")
def draft_advantage(ledger: Ledger, target: str, benchmark: str, here: str, there: str) -> Quantity:
    """How many times the best ratio of one draft method another reaches, each at its own best proposal length."""
    best = {
        method: largest(row["throughput_ratio"] for row in ledger.rows("amd_sweep", target_model=target, method=method, benchmark=benchmark))
        for method in (here, there)
    }
    return best[here] / best[there]


@metric(unit="row")
def summary_rows(ledger: Ledger) -> Quantity:
    """Rows of the summary's table of highest ratios."""
    return count(ledger.rows("amd_methods"), unit="row")


@metric(unit="row")
def summary_rows_that_differ(ledger: Ledger) -> Quantity:
    """Rows of the summary's table for which the appendix of the article gives another ratio at the same setting."""
    pairs = [(row, appendix_of(ledger, row)) for row in ledger.rows("amd_methods")]
    differing = [(row, line) for row, line in pairs if row["throughput_ratio"].value != line["throughput_ratio"].value]
    evidence = frozenset(cell for pair in pairs for row in pair for cell in row["throughput_ratio"].evidence)
    return Quantity(Decimal(len(differing)), parse_unit("row"), evidence)


def appendix_of(ledger: Ledger, row: Row) -> Row:
    """Return the line of the appendix for the setting of a row of the summary."""
    return sweep_line(ledger, row.text("target_model"), row.text("method"), row.text("benchmark"), int(row.text(LENGTH)))
