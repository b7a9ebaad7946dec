"""The page of the draft methods: its transcribed rows agree with one another, and what it tells readers to run is a valid setting."""

from __future__ import annotations

import json
import re
import shlex
from collections import defaultdict
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ledgermark.project import load_project

if TYPE_CHECKING:
    from ledgermark.ledger import Ledger, Row

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / language / "draft-methods.md" for language in ("en", "zh")]
# vllm/config/speculative.py: the methods that take drafting weights, and those for which the target can be meant. `mtp` stands for the
# names by model family, which are deprecated.
METHODS = {"mtp", "eagle3", "dflash", "dspark", "eagle", "draft_model", "medusa", "mlp_speculator", "ngram", "suffix"}
NEEDS_MODEL = METHODS - {"mtp", "dspark", "ngram", "suffix"}
FIELDS = {"method", "model", "num_speculative_tokens", "attention_backend"}


@pytest.fixture(scope="module")
def ledger() -> Ledger:
    return load_project(ROOT / "mkdocs.yml").ledger


def settings_of(page: Path) -> list[dict[str, Any]]:
    """Return the value of --speculative-config in each block of a page that serves a model."""
    blocks = re.findall(r'^```sh title="[^"]+"\n(vllm serve .*?)^```$', page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    words = [shlex.split(block.replace("\\\n", " ")) for block in blocks]
    assert all(command[:2] == ["vllm", "serve"] and not command[2].startswith("-") for command in words)
    assert all(command[3] == "--speculative-config" and len(command) == 5 for command in words)
    return [json.loads(command[4]) for command in words]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.parent.name))
def test_each_setting_is_one_that_vllm_takes(page: Path) -> None:
    settings = settings_of(page)
    assert len(settings) == 5
    for setting in settings:
        assert set(setting) <= FIELDS
        assert setting["method"] in METHODS
        assert isinstance(setting["num_speculative_tokens"], int)
        assert setting["num_speculative_tokens"] > 0
        if setting["method"] in NEEDS_MODEL:
            assert "model" in setting
        if "model" in setting:
            assert re.fullmatch(r"[\w.-]+/[\w.-]+", setting["model"])


def test_both_languages_give_the_same_settings() -> None:
    english, chinese = map(settings_of, PAGES)
    assert english == chinese
    assert [setting["method"] for setting in english] == ["mtp", "mtp", "eagle3", "dflash", "dspark"]
    assert ["model" in setting for setting in english] == [False, True, True, True, True]


def half_of(row: Row, column: str) -> Decimal:
    """Return half a unit of the last place a cell is written with."""
    exponent = Decimal(row.text(column)).as_tuple().exponent
    assert isinstance(exponent, int)
    return Decimal(1).scaleb(exponent) / 2


def test_the_ratios_are_those_of_the_rates(ledger: Ledger) -> None:
    for row in ledger.rows("amd_sweep"):
        base, rate, ratio = (Decimal(row.text(name)) for name in ("baseline_tok_s", "tok_s", "throughput_ratio"))
        # Rates are printed whole, so a baseline of a few hundred moves the ratio in its last place.
        slack = half_of(row, "throughput_ratio") + (half_of(row, "tok_s") + ratio * half_of(row, "baseline_tok_s")) / base
        assert abs(rate / base - ratio) <= slack, row.line


def test_tokens_of_a_step_count_the_target_and_the_accepted(ledger: Ledger) -> None:
    for row in ledger.rows("amd_sweep"):
        length, tokens, share = (Decimal(row.text(name)) for name in ("num_speculative_tokens", "mean_accepted_length", "acceptance_pct"))
        slack = half_of(row, "mean_accepted_length") + length * half_of(row, "acceptance_pct") / 100
        assert abs(1 + length * share / 100 - tokens) <= slack, row.line


def test_positions_fall_and_add_up_to_the_tokens_of_a_step(ledger: Ledger) -> None:
    drafts: dict[tuple[str, ...], list[Row]] = defaultdict(list)
    for row in ledger.rows("amd_positions"):
        drafts[tuple(row.text(name) for name in ("target_model", "method", "benchmark", "num_speculative_tokens"))].append(row)
    for (target, method, benchmark, length), rows in drafts.items():
        assert [int(row.text("position")) for row in rows] == list(range(1, int(length) + 1))
        shares = [Decimal(row.text("accepted_pct")) for row in rows]
        assert shares == sorted(shares, reverse=True)
        line = ledger.one("amd_sweep", target_model=target, method=method, benchmark=benchmark, num_speculative_tokens=length)
        slack = sum((half_of(row, "accepted_pct") for row in rows), Decimal(0)) / 100 + half_of(line, "mean_accepted_length")
        assert abs(1 + sum(shares, Decimal(0)) / 100 - Decimal(line.text("mean_accepted_length"))) <= slack


def test_a_baseline_belongs_to_a_target_and_a_benchmark(ledger: Ledger) -> None:
    baselines = defaultdict(set)
    for row in ledger.rows("amd_sweep"):
        baselines[row.text("target_model"), row.text("benchmark")].add(row.text("baseline_tok_s"))
    assert all(len(values) == 1 for values in baselines.values())


def test_nothing_is_said_to_have_run_on_the_other_machine(ledger: Ledger) -> None:
    rows = [row for name in ("amd_methods", "amd_sweep", "amd_positions") for row in ledger.rows(name)]
    assert {row.text("machine") for row in rows} == {"MI300X (gfx942)"}
    assert not any("MiniMax" in row.text("target_model") for row in rows)
