"""The arithmetic of the calculator: the cases that its script has to agree with too, and what must hold for any acceptance."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from expected_tokens import Costs, Shares, best_length, decaying, expected_tokens, reached, speedup, step_cost
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.catalogue import read_catalogue

ROOT = Path(__file__).parents[2]
CASES: list[dict[str, Any]] = json.loads((ROOT / "tests/vectors/expected_tokens.json").read_text(encoding="utf-8"), parse_float=Decimal)[
    "cases"
]
TEMPLATE = (ROOT / "site_src/theme/partials/lm-expected-tokens.html").read_text(encoding="utf-8")
SHARE = st.decimals(0, 1, places=3)


def shares_of(acceptance: dict[str, Any]) -> Shares:
    if "log" in acceptance:
        return tuple(map(Decimal, acceptance["log"]))
    if "each" in acceptance:
        return reached(list(map(Decimal, acceptance["each"])))
    return reached(decaying(Decimal(acceptance["first"]), Decimal(acceptance["decay"]), int(acceptance["count"])))


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["name"]))
def test_gives_what_the_cases_say(case: dict[str, Any]) -> None:
    shares = shares_of(case["acceptance"])
    used = shares[: case["length"]]
    costs = Costs(Decimal(case["draft"]), Decimal(case["row"]), parallel=case["parallel"])
    assert float(expected_tokens(used)) == pytest.approx(float(case["tokens"]), rel=1e-12)
    assert float(step_cost(len(used), costs)) == pytest.approx(float(case["cost"]), rel=1e-12)
    assert float(speedup(used, costs)) == pytest.approx(float(case["speedup"]), rel=1e-12)
    assert best_length(shares, costs) == case["best"]


@given(SHARE, st.integers(0, 20))
def test_one_acceptance_for_all_positions_is_the_published_formula(share: Decimal, count: int) -> None:
    closed = (1 - share ** (count + 1)) / (1 - share) if share < 1 else Decimal(count + 1)
    assert abs(expected_tokens(reached([share] * count)) - closed) < Decimal("1e-20")


@given(st.lists(SHARE, max_size=16), SHARE, SHARE, st.booleans())
def test_no_other_length_does_better_than_the_best(acceptance: list[Decimal], draft: Decimal, row: Decimal, parallel: bool) -> None:  # noqa: FBT001
    shares, costs = reached(acceptance), Costs(draft, row, parallel=parallel)
    best = best_length(shares, costs)
    rates = [speedup(shares[:count], costs) for count in range(len(shares) + 1)]
    assert rates[best] == max(rates) >= 1
    assert all(rate < rates[best] for rate in rates[:best])


@given(st.lists(SHARE, min_size=1, max_size=16))
def test_tokens_lie_between_one_and_all(acceptance: list[Decimal]) -> None:
    assert 1 <= expected_tokens(reached(acceptance)) <= 1 + len(acceptance)


@pytest.mark.parametrize("shares", [(Decimal("1.1"),), (Decimal("-0.1"),), (Decimal("0.5"), Decimal("0.6")), (Decimal("NaN"),)])
def test_refuses_what_is_no_share(shares: Shares) -> None:
    with pytest.raises((ValueError, ArithmeticError)):
        expected_tokens(shares)


def test_the_form_has_chinese_words_and_the_script_none() -> None:
    words = re.findall(r"lm\.t\((['\"])(.*?)\1\)", TEMPLATE)
    assert len(words) > 20
    catalogue, findings = read_catalogue("zh", [("messages.po", (ROOT / "site_src/locale/zh/LC_MESSAGES/messages.po").read_bytes())])
    assert findings == []
    assert {word for _, word in words if not catalogue.messages.get(word)} == set()
    # Texts between tags are words of the catalogue, or a symbol.
    bare = re.sub(r"\{#.*?#\}|\{\{.*?\}\}|\{%.*?%\}|<[^>]*>", " ", TEMPLATE, flags=re.DOTALL)
    assert set(bare.split()) <= {"N"}
    script = (ROOT / "site_src/assets/js/expected-tokens.js").read_text(encoding="utf-8")
    code = re.sub(r"/\*.*?\*/|//[^\n]*", "", script, flags=re.DOTALL)
    assert [text for text in re.findall(r'textContent = "([^"]+)"', code) if text] == []
