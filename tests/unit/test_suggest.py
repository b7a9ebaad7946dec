"""A wrong or unbound number is told which claims give it; a right one costs nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ledgermark.display import read_numbers
from ledgermark.suggest import Suggestions, suggestions_for
from ledgermark.units import parse_unit

if TYPE_CHECKING:
    from ledgermark.display import Shown
    from ledgermark.metrics import Evaluator
    from ledgermark.units import Unit
    from tests.copies import Copy

KEYS = [
    "gain?context=1024",
    "gain?context=32768&show=magnitude",
    "trace.median_us?arm=fast",
    "no.such?x=1",
    "gain?context=5",
    "ladder.tok_s?context=1024&arm=base",
]


@pytest.fixture
def suggestions(evaluator: Evaluator) -> Suggestions:
    """Those of the site in miniature, if its pages held `KEYS`."""
    return suggestions_for(KEYS, evaluator, {})


@pytest.mark.parametrize(
    ("text", "key", "others"),
    [
        ("25.3 %", "gain?context=32768", ("gain?context=1024",)),
        ("75 %", "gain?context=1024", ("gain?context=32768",)),
        ("−75 %", "gain?context=1024", ("gain?context=32768",)),
        ("+75 %", "gain?context=1024", ()),
        ("25.3 %", "gain?context=1024&is=about", ()),
        ("25.4 %", "gain?context=32768", ()),
        ("0.158 ms", "gap", ("trace.median_us?arm=fast",)),
        ("0.159 ms", "gap", ()),
        ("25 days", "cells", ("gap",)),
        ("15.0×", "cells", ("slowdown",)),
        ("0.75×", "slowdown", ()),
    ],
)
def test_which_other_claims_give_a_number(suggestions: Suggestions, text: str, key: str, others: tuple[str, ...]) -> None:
    (number,) = read_numbers(text)
    assert number.unit
    assert suggestions.instead(number, number.unit, key) == others


def test_too_many_say_nothing_but_those_of_the_same_metric_do(evaluator: Evaluator) -> None:
    keys = ["gain?context=32768", "widest?contexts=32768", "widest?contexts=1024,32768", "widest?contexts=32768,1024"]
    (number,) = read_numbers("75 %")
    suggestions = suggestions_for(keys, evaluator, {})
    assert suggestions.instead(number, parse_unit("%"), "gain?context=1024") == ("gain?context=32768",)
    assert suggestions.instead(number, parse_unit("%"), "slowdown") == ()


def test_an_unbound_number(suggestions: Suggestions) -> None:
    assert suggestions.message("25 days") == "'25 days' is bound to nothing; claim:gap gives 25 day"
    assert suggestions.message("7 %").startswith("'7 %' is bound to nothing; make it a claim")
    assert suggestions.message("x").startswith("'x' is bound to nothing; make it a claim")


def test_a_wrong_number_is_told(tiny: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    giving = Suggestions.instead

    def instead(self: Suggestions, number: Shown, unit: Unit, key: str) -> tuple[str, ...]:
        asked.append(key)
        return giving(self, number, unit, key)

    monkeypatch.setattr(Suggestions, "instead", instead)
    monkeypatch.setattr(Suggestions, "message", lambda _self, text: asked.append(text))
    assert tiny.check()[0] == 0
    assert asked == []
    tiny.edit("en/index.md", "context=32768", "context=1024")
    line = tiny.check()[1][0]
    assert line.startswith("en/index.md:6:60: LM101 shows −75.0, data gives +25.3 (25.25 %) by gain?context=1024 ")
    assert line.endswith("; claim:gain?context=32768 and claim:gain?context=1024,32768 give −75.0")
    assert asked == ["gain?context=1024"]
