"""The prefill fit T(S) = a + b S + c S²: time to the first token by tokens of prompt.

Least squares over the chart-grade cells of a ladder; T is the faster round of a cell, S the mean of the prompt tokens measured. Sums are exact
(fractions), so that the result does not depend on the order of the rows or on the machine. The fixed term `a` takes part in the fit and is not
given out: the same configuration gave 10 ms and 100 ms a month apart, so the ladder does not determine it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

from gate_control import CHART_GRADE, spread
from ladders import latest_session
from once import once

from ledgermark import Ledger, Quantity, Row, mean, smallest
from ledgermark.quantity import Cell
from ledgermark.units import parse_unit

FEWEST_ROUNDS = 2
FEWEST_RUNGS = 4  # one more than the terms of the fit
_MATH = Context(prec=34)


@dataclass(frozen=True)
class Rung:
    """A cell of a prefill ladder: nominal context, mean tokens of its prompts, its faster round, and whether it is chart grade."""

    context: int
    prompt: Quantity
    time: Quantity
    chart_grade: bool


@dataclass(frozen=True)
class Fit:
    """The terms that grow with the prompt, and what the fit leaves over at each rung it was made from.

    Attributes:
        per_token: b, in µs/tok.
        per_token_squared: c, in ns/tok².
        rungs: the chart-grade rungs, by context.
        residuals: measured time / fitted time − 1 of each of them.
    """

    per_token: Quantity
    per_token_squared: Quantity
    rungs: tuple[Rung, ...]
    residuals: tuple[Quantity, ...]

    def grown(self, tokens: Quantity) -> Quantity:
        """Return b S + c S², the time that a prompt of that length takes beyond the fixed term."""
        return (self.per_token * tokens).to("s") + (self.per_token_squared * tokens * tokens).to("s")


@once
def prefill_rungs(ledger: Ledger, campaign: str, cfg: str) -> tuple[Rung, ...]:
    """Return the cells of a prefill ladder, by context."""
    cells = latest_session(ledger, "prefill_ladder", campaign=campaign, cfg=cfg)
    return tuple(_rung(context, rows) for context, rows in cells.items())


def _rung(context: int, rows: tuple[Row, ...]) -> Rung:
    times = [row["first_token_s"] for row in rows]
    even = len(times) >= FEWEST_ROUNDS and spread(times) <= CHART_GRADE
    return Rung(context, mean(row["prompt_tokens"] for row in rows), smallest(times), even)


@once
def fit_prefill(ledger: Ledger, campaign: str, cfg: str) -> Fit:
    """Return the fit of a prefill ladder. Raises ValueError when fewer than four of its cells are chart grade."""
    rungs = prefill_rungs(ledger, campaign, cfg)
    used = tuple(rung for rung in rungs if rung.chart_grade)
    if len(used) < FEWEST_RUNGS:
        raise ValueError(f"{cfg} of {campaign} has {len(used)} chart-grade rungs, the fit needs {FEWEST_RUNGS}")
    # Which rungs are chart grade hangs on every cell read, so every cell is evidence.
    evidence = frozenset[Cell]().union(*(rung.time.evidence | rung.prompt.evidence for rung in rungs))
    points = [(Fraction(rung.prompt.to("tok").value), Fraction(rung.time.to("s").value)) for rung in used]
    fixed, linear, quadratic = least_squares(points)
    fitted = [fixed + linear * size + quadratic * size**2 for size, _ in points]
    return Fit(
        per_token=_quantity(linear, "s/tok", evidence).to("us/tok"),
        per_token_squared=_quantity(quadratic, "s/tok^2", evidence).to("ns/tok^2"),
        rungs=used,
        residuals=tuple(_quantity(time / line - 1, "1", evidence).to("%") for (_, time), line in zip(points, fitted, strict=True)),
    )


def least_squares(points: Sequence[tuple[Fraction, Fraction]]) -> tuple[Fraction, Fraction, Fraction]:
    """Return the terms of the parabola that lies nearest to the points: the normal equations, by elimination without rounding.

    Raises:
        ZeroDivisionError: fewer than three different sizes.
    """
    sums = [sum((size**power for size, _ in points), Fraction(0)) for power in range(5)]
    right = [sum((time * size**power for size, time in points), Fraction(0)) for power in range(3)]
    rows = [[*sums[power : power + 3], right[power]] for power in range(3)]
    for pivot in range(3):
        rows[pivot] = [value / rows[pivot][pivot] for value in rows[pivot]]
        for other in range(3):
            if other != pivot:
                factor = rows[other][pivot]
                rows[other] = [value - factor * base for value, base in zip(rows[other], rows[pivot], strict=True)]
    return rows[0][3], rows[1][3], rows[2][3]


def _quantity(value: Fraction, unit: str, evidence: frozenset[Cell]) -> Quantity:
    return Quantity(_MATH.divide(Decimal(value.numerator), Decimal(value.denominator)), parse_unit(unit), evidence)
