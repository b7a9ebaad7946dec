"""The prefill fit: exact on a parabola, held to the rules of the data, and never without enough rungs."""

from __future__ import annotations

import json
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ledgermark import UnitError
from ledgermark.descriptor import read_descriptor
from ledgermark.ledger import Ledger, load_ledger

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]
HEAD = "campaign,cfg,context,session,round,prompt_tokens,first_token_s"


@pytest.fixture(scope="module")
def fits() -> ModuleType:
    sys.path.insert(0, str(ROOT / "site_src"))
    try:
        import fits  # noqa: PLC0415
    finally:
        sys.path.remove(str(ROOT / "site_src"))
    return fits


def ledger_of(rows: list[str], unit: str = "s") -> Ledger:
    texts = [{"name": name, "type": "string"} for name in ("campaign", "cfg")]
    integers = {"context": "tok", "session": "1", "round": "1", "prompt_tokens": "tok"}
    numbers = [{"name": name, "type": "integer", "unit": of} for name, of in integers.items()]
    fields = [*texts, *numbers, {"name": "first_token_s", "type": "number", "unit": unit}]
    resource = {"name": "prefill_ladder", "path": "p.csv", "evidence": "raw", "rows": len(rows), "schema": {"fields": fields}}
    datasets, _ = read_descriptor("datapackage.json", json.dumps({"resources": [resource]}).encode())
    ledger, _ = load_ledger(datasets, {"p.csv": "\n".join([HEAD, *rows, ""]).encode()})
    return ledger


def parabola(size: int) -> str:
    """Return a = 0.05 s, b = 400 µs/tok, c = 20 ns/tok² at a size, in seconds, every digit of it."""
    return f"{0.05 + 400e-6 * size + 20e-9 * size * size:.8f}"


def ladder(sizes: tuple[int, ...]) -> list[str]:
    return [f"c,x,{size},1,{turn},{size},{parabola(size)}" for size in sizes for turn in (1, 2)]


def test_a_parabola_is_found_exactly(fits: ModuleType) -> None:
    fit = fits.fit_prefill(ledger_of(ladder((500, 1000, 2000, 8000, 32000))), "c", "x")
    assert (fit.per_token.value, fit.per_token.unit.symbol) == (400, "us/tok")
    assert (fit.per_token_squared.value, fit.per_token_squared.unit.symbol) == (20, "ns/tok^2")
    assert [residual.value for residual in fit.residuals] == [0] * 5


def test_elimination_rounds_nothing(fits: ModuleType) -> None:
    points = [(Fraction(size), Fraction(7, 3) + Fraction(size, 11) + Fraction(size * size, 13)) for size in (1, 2, 5, 9)]
    assert fits.least_squares(points) == (Fraction(7, 3), Fraction(1, 11), Fraction(1, 13))


def test_the_order_of_rows_does_not_matter(fits: ModuleType) -> None:
    rows = ladder((500, 1000, 2000, 8000))
    rows[3] = "c,x,1000,1,2,1001,0.4731"
    there, back = (fits.fit_prefill(ledger_of(order), "c", "x") for order in (rows, rows[::-1]))
    assert there.per_token.value == back.per_token.value
    assert there.per_token_squared.value == back.per_token_squared.value


def test_the_faster_round_and_the_mean_prompt_count(fits: ModuleType) -> None:
    rungs = fits.prefill_rungs(ledger_of(["c,x,500,1,1,512,0.210", "c,x,500,1,2,513,0.215"]), "c", "x")
    assert [(str(rung.time.value), str(rung.prompt.value), rung.chart_grade) for rung in rungs] == [("0.210", "512.5", True)]


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        (["c,x,4000,1,1,4000,1.0", "c,x,4000,1,2,4000,1.2"], "the rounds lie further apart than a tenth"),
        (["c,x,4000,1,1,4000,1.0"], "a single round"),
    ],
)
def test_a_rung_below_chart_grade_stays_out(fits: ModuleType, rows: list[str], why: str) -> None:
    fit = fits.fit_prefill(ledger_of([*ladder((500, 1000, 2000, 8000)), *rows]), "c", "x")
    assert [rung.context for rung in fit.rungs] == [500, 1000, 2000, 8000], why
    assert fit.per_token.value == 400


def test_a_spread_of_a_tenth_is_still_chart_grade(fits: ModuleType) -> None:
    (rung,) = fits.prefill_rungs(ledger_of(["c,x,500,1,1,500,0.95", "c,x,500,1,2,500,1.05"]), "c", "x")
    assert rung.chart_grade


def test_a_later_session_replaces_the_earlier(fits: ModuleType) -> None:
    rows = ["c,x,2000,1,1,2000,5", "c,x,2000,1,2,2000,9", "c,x,2000,2,3,2000,0.93", "c,x,2000,2,4,2000,0.93"]
    (rung,) = fits.prefill_rungs(ledger_of(rows), "c", "x")
    assert (str(rung.time.value), rung.chart_grade) == ("0.93", True)


@pytest.mark.parametrize("sizes", [(500, 1000, 2000), ()])
def test_fewer_than_four_rungs_are_an_error(fits: ModuleType, sizes: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=f"x of c has {len(sizes)} chart-grade rungs, the fit needs 4"):
        fits.fit_prefill(ledger_of(ladder(sizes)), "c", "x")


def test_every_cell_read_is_evidence(fits: ModuleType) -> None:
    fit = fits.fit_prefill(ledger_of([*ladder((500, 1000, 2000, 8000)), "c,x,9000,1,1,9000,7"]), "c", "x")
    lines = {cell.line for cell in fit.per_token.evidence if cell.column == "first_token_s"}
    assert lines == set(range(2, 11))


def test_a_time_that_is_no_time_is_refused(fits: ModuleType) -> None:
    with pytest.raises(UnitError):
        fits.fit_prefill(ledger_of(ladder((500, 1000, 2000, 8000)), unit="W"), "c", "x")
