"""Metrics: how a claim's parameters become arguments, and what a metric that fails is called."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ledgermark import Ledger, Quantity, UnitError, metric
from ledgermark.claims import parse_key
from ledgermark.metrics import EvaluationError, Evaluator, find_metrics

EMPTY = Ledger([])


@metric(unit="1")
def integer(ledger: Ledger, n: int) -> Quantity:  # noqa: ARG001  (a metric takes the ledger)
    """Give an integer."""
    return Quantity.of(n, "1")


@metric(unit="1")
def pair(ledger: Ledger, a: int, b: Decimal = Decimal("0.5")) -> Quantity:  # noqa: ARG001
    """Give a sum."""
    return Quantity.of(a + b, "1")


@metric(unit="1")
def several(ledger: Ledger, ns: tuple[int, ...]) -> Quantity:  # noqa: ARG001
    """Give a sum of several."""
    return Quantity.of(sum(ns), "1")


@metric(unit="1")
def text(ledger: Ledger, word: str = "a") -> Quantity:  # noqa: ARG001
    """Give a length."""
    return Quantity.of(len(word), "1")


@metric(unit="1")
def truth(ledger: Ledger, yes: bool) -> Quantity:  # noqa: ARG001, FBT001
    """Give a truth value."""
    return Quantity.of(int(yes), "1")


@metric(unit="1")
def words(ledger: Ledger, names: tuple[str, ...]) -> Quantity:  # noqa: ARG001
    """Give how many words there are."""
    return Quantity.of(len(names), "1")


@metric(unit="%")
def half(ledger: Ledger) -> Quantity:  # noqa: ARG001
    """Give a half, as a plain number."""
    return Quantity.of("0.5", "1")


METRICS = find_metrics({name: value for name, value in globals().items() if not name.startswith("test_")})


def values(key: str) -> list[str]:
    return [f"{item.value.normalize():f} {item.unit.symbol}" for item in Evaluator(EMPTY, METRICS).values(parse_key(key))]


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("integer?n=7", ["7 1"]),
        ("integer?n=-7", ["-7 1"]),
        ("integer?n=3,1,2", ["3 1", "1 1", "2 1"]),
        ("pair?a=1", ["1.5 1"]),
        ("pair?a=1&b=0.25", ["1.25 1"]),
        ("pair?a=1,2&b=0.1,0.2", ["1.1 1", "1.2 1", "2.1 1", "2.2 1"]),
        ("pair?b=0.1,0.2&a=1,2", ["1.1 1", "1.2 1", "2.1 1", "2.2 1"]),
        ("several?ns=1,2,3", ["6 1"]),
        ("several?ns=4", ["4 1"]),
        ("text", ["1 1"]),
        ("text?word=a%20b", ["3 1"]),
        ("text?word=a,bb", ["1 1", "2 1"]),
        ("truth?yes=true,false", ["1 1", "0 1"]),
        ("words?names=x,y", ["2 1"]),
        ("half", ["50 %"]),
    ],
)
def test_parameters(key: str, expected: list[str]) -> None:
    assert values(key) == expected


@pytest.mark.parametrize(
    ("key", "code", "message"),
    [
        ("intger?n=7", "LM105", "no metric 'intger'; did you mean 'integer'?"),
        ("integer", "LM106", "integer needs the parameter 'n'"),
        ("integer?m=7", "LM106", "integer has no parameter 'm'; it takes n"),
        ("half?n=1", "LM106", "half has no parameter 'n'; it takes none"),
        ("integer?n=1.5", "LM106", "integer: n=1.5, expected int"),
        ("integer?n=", "", "is no parameter"),
        ("integer?n=1,", "LM106", "integer: n=, expected int"),
        ("integer?n=a", "LM106", "integer: n=a, expected int"),
        ("pair?a=1&b=x", "LM106", "pair: b=x, expected Decimal"),
        ("truth?yes=1", "LM106", "truth: yes=1, expected bool"),
        ("several?ns=1,x", "LM106", "several: ns=x, expected int"),
        ("integer?n=1_000", "LM106", "integer: n=1_000, expected int"),
        ("integer?n=１０", "LM106", "integer: n=１０, expected int"),
        ("integer?n=%207", "LM106", "integer: n= 7, expected int"),
        ("pair?a=1&b=NaN", "LM106", "pair: b=NaN, expected Decimal"),
        ("pair?a=1&b=sNaN", "LM106", "pair: b=sNaN, expected Decimal"),
        ("pair?a=1&b=Infinity", "LM106", "pair: b=Infinity, expected Decimal"),
    ],
)
def test_parameters_that_do_not_fit(key: str, code: str, message: str) -> None:
    with pytest.raises((EvaluationError, ValueError)) as caught:
        values(key)
    assert getattr(caught.value, "code", "") == code
    assert message in str(caught.value)


def failing(error: BaseException) -> dict[str, object]:
    @metric(unit="1")
    def fails(ledger: Ledger) -> Quantity:  # noqa: ARG001
        """Fail."""
        raise error

    return {"fails": fails}


def giving(result: object, unit: str = "1") -> dict[str, object]:
    @metric(unit=unit)
    def gives(ledger: Ledger) -> Quantity:  # noqa: ARG001
        """Give what it was told to."""
        return result  # type: ignore[return-value]  # on purpose

    return {"gives": gives}


@pytest.mark.parametrize(
    ("namespace", "code", "message"),
    [
        (failing(ZeroDivisionError("by zero")), "LM108", "fails() raised ZeroDivisionError: by zero (fails, line "),
        (failing(KeyError("x")), "LM108", "fails() raised KeyError: 'x'"),
        (failing(RecursionError("deep")), "LM108", "fails() raised RecursionError: deep"),
        (failing(SystemExit(0)), "LM108", "fails() raised SystemExit: 0"),
        (failing(UnitError("no")), "LM112", "fails(): no"),
        (giving(None), "LM108", "gives() returned NoneType, expected a Quantity"),
        (giving(1.5), "LM108", "gives() returned float, expected a Quantity"),
        (giving(complex(1, 1)), "LM108", "gives() returned complex, expected a Quantity"),
        (giving(Quantity.of("NaN", "1")), "LM108", "gives() gives NaN, expected a finite number"),
        (giving(Quantity.of("Infinity", "1")), "LM108", "gives() gives Infinity, expected a finite number"),
        (giving(Quantity.of("-Infinity", "1")), "LM108", "gives() gives -Infinity, expected a finite number"),
        (giving(Quantity.of(1, "s")), "LM112", "gives() gives time, declared '1' (no unit)"),
        (giving(Quantity.of(1, "chunk/s") / Quantity.of(1, "tok/s")), "LM112", "gives() gives chunk/token, declared '1' (no unit)"),
        (giving(Quantity.of(1, "chunk/s"), "tok/s"), "LM112", "gives() gives chunk/time, declared 'tok/s' (token/time)"),
    ],
)
def test_a_metric_that_fails(namespace: dict[str, object], code: str, message: str) -> None:
    name = next(iter(namespace))
    evaluator = Evaluator(EMPTY, find_metrics(namespace))
    for _ in range(2):  # the answer is remembered, and stays the same
        with pytest.raises(EvaluationError) as caught:
            evaluator.values(parse_key(name))
        assert caught.value.code == code
        assert message in str(caught.value)


def test_a_value_is_computed_once() -> None:
    calls: list[int] = []

    @metric(unit="1")
    def counted(ledger: Ledger, n: int) -> Quantity:  # noqa: ARG001
        """Count the calls."""
        calls.append(n)
        return Quantity.of(n, "1")

    evaluator = Evaluator(EMPTY, find_metrics({"counted": counted}))
    for key in ("counted?n=1", "counted?n=1,2", "counted?n=2&show=magnitude", "counted?n=1"):
        evaluator.values(parse_key(key))
    assert calls == [1, 2]


def test_what_a_metric_says_of_itself() -> None:
    @metric(unit="tok/s", formula="a / b")
    def spoken(ledger: Ledger) -> Quantity:  # noqa: ARG001
        """Give the rate,
        over two lines.

        And more, which no reader sees.
        """  # noqa: D205  (the point of the test)
        return Quantity.of(1, "tok/s")

    made = find_metrics({"spoken": spoken, "_hidden": spoken, "other": 5})
    assert list(made) == ["spoken"]
    assert (made["spoken"].sentence, made["spoken"].formula, made["spoken"].unit.symbol) == ("Give the rate, over two lines.", "a / b", "tok/s")


def test_a_metric_needs_a_known_unit_a_sentence_and_free_names() -> None:
    with pytest.raises(UnitError):
        metric(unit="tokk/s")

    @metric(unit="1")
    def silent(ledger: Ledger) -> Quantity:  # type: ignore[empty-body]
        ...

    with pytest.raises(ValueError, match="metric 'silent' has no docstring"):
        find_metrics({"silent": silent})

    @metric(unit="1")
    def greedy(ledger: Ledger, unit: str) -> Quantity:  # type: ignore[empty-body]
        """Take a name that links use."""

    with pytest.raises(ValueError, match="the parameter name 'unit' is reserved"):
        find_metrics({"greedy": greedy})


@pytest.mark.parametrize(
    ("key", "code"),
    [
        ("ladder.tok_s?arm=base&context=1024", None),
        ("ladder.tok_s?arm=base", "LM107"),
        ("ladder.tok_s?arm=base&context=7", "LM107"),
        ("ladder.tok?arm=base&context=1024", "LM105"),
        ("lader.tok_s?arm=base", "LM105"),
        ("ladder.tok_s?am=base", "LM105"),
        ("ladder.arm?arm=base&context=1024", "LM107"),
        ("ladder.tok_s?dataset=x", "LM105"),
        ("ladder.tok_s?self=x", "LM105"),
    ],
)
def test_cells(evaluator: Evaluator, key: str, code: str | None) -> None:
    if code is None:
        assert [str(item.value) for item in evaluator.values(parse_key(key))] == ["40.00"]
        return
    with pytest.raises(EvaluationError) as caught:
        evaluator.values(parse_key(key))
    assert caught.value.code == code


def test_a_series_of_cells(evaluator: Evaluator) -> None:
    found = evaluator.values(parse_key("ladder.tok_s?arm=fast,base&context=32768,1024"))
    assert [str(item.value) for item in found] == ["5.00", "50.10", "20.00", "40.00"]
