"""Whether a claim is right: against the value of its binding, in its unit, at its last place."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark import Ledger, Quantity, metric
from ledgermark.claims import find_claims
from ledgermark.metrics import Evaluator, find_metrics
from ledgermark.source import Source
from ledgermark.verify import Problem, verify


def evaluator(*quantities: Quantity) -> Evaluator:
    """Return an evaluator with one metric `m`, which gives the quantities in turn for n = 0, 1, …; `m` alone gives the first."""
    unit = quantities[0].unit.symbol

    @metric(unit=unit)
    def m(ledger: Ledger, n: int = 0) -> Quantity:  # noqa: ARG001  (a metric takes the ledger)
        """Give one of the quantities."""
        return quantities[n]

    return Evaluator(Ledger([]), find_metrics({"m": m}))


def problems(text: str, *quantities: Quantity) -> list[Problem]:
    (claim,) = find_claims(Source("p.md", text)).claims
    return list(verify(claim, evaluator(*quantities), {}).problems)


def q(value: str, unit: str = "%") -> Quantity:
    return Quantity.of(value, unit)


ONE: list[tuple[str, Quantity, str | None, str | None]] = [
    # text; what the data gives; code, and what should stand there
    ("[36.9 %](claim:m)", q("36.8724"), None, None),
    ("[36.9 %](claim:m)", q("36.85"), None, None),
    ("[36.8 %](claim:m)", q("36.85"), None, None),
    ("[36.9 %](claim:m)", q("36.849"), "LM101", "36.8"),
    ("[36.87 %](claim:m)", q("36.8724"), None, None),
    ("[36.88 %](claim:m)", q("36.8724"), "LM101", "36.87"),
    ("[37 %](claim:m)", q("36.8724"), None, None),
    ("[−36.9 %](claim:m)", q("36.8724"), "LM101", "+36.9"),
    ("[36.9 %](claim:m)", q("-36.8724"), "LM101", "−36.9"),
    ("[36.90 %](claim:m)", q("36.8724"), "LM101", "36.87"),
    ("[0.369](claim:m)", q("36.8724"), "LM102", None),
    ("[36.9](claim:m)", q("36.8724"), "LM102", None),
    ("[36.9](claim:m?unit=%25)", q("36.8724"), None, None),
    ("[36.9](claim:m?unit=%)", q("36.8724"), None, None),
    ("[36.9×](claim:m)", q("36.8724"), "LM102", None),
    ("[36.9 tok/s](claim:m)", q("36.8724"), "LM102", None),
    ("[36.9](claim:m?unit=tok)", q("36.8724"), "LM102", None),
    ("[36.9](claim:m?unit=tokk)", q("36.8724"), "LM106", None),
    ("[36.9 %](claim:m)", q("0.368724", "1"), None, None),
    ("[0.37](claim:m)", q("0.368724", "1"), None, None),
    ("[3.70×](claim:m)", q("3.7", "×"), None, None),
    ("[370 %](claim:m)", q("3.7", "×"), "LM102", None),
    # another unit of the same kind
    ("[1.5 s](claim:m)", q("1500", "ms"), None, None),
    ("[1.6 s](claim:m)", q("1500", "ms"), "LM101", "1.5"),
    ("[1500 µs](claim:m)", q("1.5", "ms"), None, None),
    ("[1.5 毫秒](claim:m)", q("1500", "us"), None, None),
    ("[12.5 ms/token](claim:m)", q("0.0125", "s/tok"), None, None),
    ("[1.0 GB](claim:m)", q("0.9313", "GiB"), None, None),
    ("[43.4 tok/s](claim:m)", q("43.42", "chunk/s"), "LM102", None),
    # counts
    ("[8](claim:m)", q("8", "workgroup"), None, None),
    ("[eight](claim:m)", q("8", "workgroup"), None, None),
    ("[八个工作组](claim:m)", q("8", "workgroup"), None, None),
    ("[8 rows](claim:m)", q("8", "workgroup"), "LM102", None),
    ("[9](claim:m)", q("8", "workgroup"), "LM101", "8"),
    ("[nine](claim:m)", q("8", "workgroup"), "LM101", "eight"),
    ("[25](claim:m)", q("25", "day"), "LM102", None),
    ("[二十六天](claim:m)", q("25", "day"), "LM101", "二十五"),
    # how it is shown
    ("[70.8 %](claim:m?show=magnitude)", q("-70.83"), None, None),
    ("[70.8 %](claim:m?show=magnitude)", q("70.83"), None, None),
    ("[−70.8 %](claim:m?show=magnitude)", q("-70.83"), "LM103", None),
    ("[+70.8 %](claim:m?show=magnitude)", q("-70.83"), "LM103", None),
    ("[70.9 %](claim:m?show=magnitude)", q("-70.83"), "LM101", "70.8"),
    ("[+70.8 %](claim:m?show=signed)", q("70.83"), None, None),
    ("[70.8 %](claim:m?show=signed)", q("70.83"), "LM103", None),
    ("[0 %](claim:m?show=signed)", q("0"), None, None),
    # nothing to read
    ("[much](claim:m)", q("1"), "LM103", None),
    ("[ ](claim:m)", q("1"), "LM103", None),
    ("[1 % more](claim:m)", q("1"), "LM103", None),
    # bounds: the number shown is the data's, rounded
    ("[0.45 %](claim:m?is=at_most)", q("0.452"), None, None),
    ("[0.5 %](claim:m?is=at_most)", q("0.452"), None, None),
    ("[0.6 %](claim:m?is=at_most)", q("0.452"), "LM110", "0.5"),
    ("[0.4 %](claim:m?is=at_most)", q("0.452"), "LM101", "0.5"),
    ("[0.46 %](claim:m?is=at_most)", q("0.452"), "LM110", "0.45"),
    ("[0.4 %](claim:m?is=at_least)", q("0.452"), "LM110", "0.5"),
    ("[0.6 %](claim:m?is=at_least)", q("0.452"), "LM101", "0.5"),
    ("[5 %](claim:m?is=about)", q("4.6"), None, None),
    ("[6 %](claim:m?is=about)", q("4.6"), "LM101", "5"),
    ("[5 %](claim:m?is=less_than)", q("5"), "LM101", None),
    ("[5 %](claim:m?is=more_than)", q("5"), "LM101", None),
    ("[5 %](claim:m?is=less_than)", q("4.9"), None, None),
    ("[−0.0 %](claim:m)", q("0.04"), "LM101", None),
    ("[+0.0 %](claim:m)", q("-0.04"), "LM101", None),
    # a last place so coarse that little is left
    ("[−0.0 %](claim:m)", q("-0.04"), "LM113", None),
    ("[0.0 %](claim:m)", q("-0.04"), "LM113", None),
    ("[0.0 %](claim:m?is=about)", q("-0.04"), "LM113", None),
    ("[0.0 %](claim:m?show=magnitude)", q("-0.04"), "LM113", None),
    ("[0 %](claim:m)", q("0.0000000000000001"), None, None),
    ("[1×10² %](claim:m)", q("70.8"), "LM113", None),
    ("[1×10² %](claim:m?is=at_most)", q("70.8"), None, None),
    ("[1×10² %](claim:m)", q("80"), None, None),
    ("[1×10² %](claim:m)", q("79.9"), "LM113", None),
    ("[1×](claim:m)", q("1.34", "×"), "LM113", None),
    ("[1 倍](claim:m)", q("1.33", "×"), None, None),
    ("[一](claim:m)", q("1.4", "1"), "LM113", None),
    ("[0万](claim:m)", q("3000", "row"), "LM113", None),
    ("[0.01×](claim:m)", q("0.0083", "×"), None, None),
    ("[0 %](claim:m)", q("0"), None, None),
    ("[36.90000000000000000000000000000000 %](claim:m)", q("36.8724"), "LM101", None),
    ("[1e99999999 %](claim:m)", q("36.8724"), "LM103", None),
]


@pytest.mark.parametrize(("text", "value", "code", "expected"), ONE)
def test_one_number(text: str, value: Quantity, code: str | None, expected: str | None) -> None:
    found = problems(text, value)
    assert [item.code for item in found] == ([code] if code else [])
    if found and expected is not None:
        assert found[0].expected == expected


SERIES: list[tuple[str, list[str]]] = [
    ("[1.0 %, 2.0 %](claim:m?n=0,1)", []),
    ("[1.0, 2.0 %](claim:m?n=0,1)", []),
    ("[2.0 %, 1.0 %](claim:m?n=0,1)", ["LM101", "LM101"]),
    ("[1.0 %, 2.1 %](claim:m?n=0,1)", ["LM101"]),
    ("[1.0 %](claim:m?n=0,1)", ["LM104"]),
    ("[1.0 %, 2.0 %, 3.0 %](claim:m?n=0,1)", ["LM104"]),
    ("[2.0 %](claim:m?n=0,1&is=at_most)", []),
    ("[1.0 %](claim:m?n=0,1&is=at_least)", []),
    ("[1.0 %](claim:m?n=0,1&is=at_most)", ["LM101"]),
    ("[3.0 %](claim:m?n=0,1&is=less_than)", ["LM110"]),
    ("[1.0 %](claim:m?n=0,1&is=about)", ["LM104"]),
    ("[1.0 % 和 2.0 %](claim:m?n=0,1)", []),
]


@pytest.mark.parametrize(("text", "codes"), SERIES)
def test_a_series(text: str, codes: list[str]) -> None:
    assert [item.code for item in problems(text, q("1"), q("2"))] == codes


def test_a_problem_says_where_and_what() -> None:
    (problem,) = problems("[+1.0 %, −2.1 %](claim:m?n=0,1)", q("1"), q("-2.0396"))
    assert problem.offset == 8
    assert problem.message == "shows −2.1, data gives −2.0 (−2.0396 %) by m?n=0,1"
    assert problem.values == (q("-2.0396"),)


def test_what_cannot_be_evaluated_is_said_once() -> None:
    (problem,) = problems("[1 %](claim:m?x=1)", q("1"))
    assert (problem.code, problem.shown, problem.expected) == ("LM106", None, None)


NUMBERS = st.decimals(min_value=-(10**5), max_value=10**5, places=3)


def wrong_in(text: str, value: Decimal) -> list[str]:
    """Return the codes of what is wrong with a claim of a percentage, other than that its last place is coarse."""
    return [item.code for item in problems(text, q(str(value))) if item.code != "LM113"]


@given(NUMBERS, st.integers(0, 3))
def test_any_last_digit_off_by_one_is_found(value: Decimal, places: int) -> None:
    step = Decimal(1).scaleb(-places)
    shown = value.quantize(step)
    assert wrong_in(f"[{shown:f} %](claim:m)", value) == [] or shown == 0
    for wrong in (shown + step, shown - step):
        # A tie is right either way; it is the only case in which a neighbour is right, too.
        tie = abs(wrong - value) * 2 == step
        assert wrong_in(f"[{wrong:f} %](claim:m)", value) == ([] if tie and wrong * value >= 0 else ["LM101"]) or wrong == 0
    if shown:
        assert wrong_in(f"[{-shown:f} %](claim:m)", value) == ["LM101"]


@given(NUMBERS)
def test_what_is_expected_is_right(value: Decimal) -> None:
    for text in ("12.3 %", "+12 %", "1 234.5 %", "1.2万 %", "１２ %"):
        for problem in problems(f"[{text}](claim:m)", q(str(value))):
            if problem.code == "LM113":
                continue
            assert problem.code == "LM101"
            assert problem.expected is not None
            assert problem.shown is not None
            mended = text[: problem.shown.start] + problem.expected + text[problem.shown.end :]
            assert {left.code for left in problems(f"[{mended}](claim:m)", q(str(value)))} <= {"LM113"}


@given(NUMBERS)
def test_the_finer_form_would_do(value: Decimal) -> None:
    """What the finding on a coarse last place says to write is right and fine enough."""
    for text in ("0 %", "−0 %", "+0 %", "0.0 %", "1×10¹ %"):
        for problem in problems(f"[{text}](claim:m)", q(str(value))):
            if problem.code == "LM113":
                fine = problem.message.split("'")[3]
                assert problems(f"[{fine}](claim:m)", q(str(value))) == []
