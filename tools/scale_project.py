"""Makes a project of any size to time the check with: pages in two languages, a ledger of runs, metrics and a figure, all without findings.

It is like a real one where it costs time: sentences in both languages with subjects, comparisons, terms and dates in them, tables, code,
front matter, cells and metrics, bounds and series.
"""

from __future__ import annotations

import csv
import json
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from pathlib import Path

CLAIMS_PER_PAGE: Final = 10
_ARMS: Final = {"base": ("the plain build", "原始构建"), "tuned": ("the tuned build", "调优构建"), "wide": ("the wide build", "加宽构建")}
_FIELDS: Final = ("machine", "stack", "date", "arm", "run", "context", "tok_s", "latency_ms")
_UNITS: Final = {"run": "1", "context": "token", "tok_s": "tok/s", "latency_ms": "ms"}
_TYPES: Final = {"date": "date", "run": "integer", "context": "integer", "tok_s": "number", "latency_ms": "number"}
_METRICS: Final = '''"""Metrics of a generated project."""

from ledgermark import Ledger, Quantity, largest, metric


@metric(unit="%", formula="rate(after) / rate(before) - 1")
def gain(ledger: Ledger, before: int, after: int) -> Quantity:
    """Change in rate from one run to another."""
    return ledger.one("runs", run=after)["tok_s"] / ledger.one("runs", run=before)["tok_s"] - 1


@metric(unit="ms")
def slowest(ledger: Ledger, runs: tuple[int, ...]) -> Quantity:
    """Longest latency of some runs."""
    return largest(ledger.one("runs", run=run)["latency_ms"] for run in runs)
'''
_FIGURES: Final = '''"""Figures of a generated project."""

import plotly.graph_objects as go

from ledgermark import Drawing, Ledger, Words, figure


@figure
def first_runs(ledger: Ledger, words: Words) -> Drawing:
    """The first runs."""
    runs = [ledger.one("runs", run=run) for run in range(8)]
    trace = go.Bar(x=list(range(8)), y=[float(run["tok_s"]) for run in runs], meta={"series": 1})
    return Drawing(words("First runs"), words("Bars of the first runs."), go.Figure(trace), [words("Rate")], [[run["tok_s"]] for run in runs])
'''
_CATALOGUE: Final = {
    "Change in rate from one run to another.": "从一次运行到另一次，速率的变化。",
    "Longest latency of some runs.": "几次运行里最长的延迟。",
    "First runs": "最初的运行",
    "Bars of the first runs.": "最初几次运行的条形图。",
    "Rate": "速率",
}
_CONFIG: Final = """site_name: Generated
site_url: https://generated.example/
docs_dir: site_src/pages
theme: {name: material, font: false}
plugins:
  - search
  - ledgermark:
      stills: false
      subjects: site_src/subjects.yml
      terms: {batch 1: how every run was made}
markdown_extensions: [attr_list, tables, pymdownx.superfences, ledgermark]
"""


@dataclass(frozen=True)
class _Row:
    arm: str
    rate_centi: int
    latency_centi: int

    @property
    def rate(self) -> str:
        return f"{self.rate_centi / 100:.2f}"

    @property
    def latency(self) -> str:
        return f"{self.latency_centi / 100:.2f}"


def write_project(root: Path, pairs: int, rows: int, seed: int = 1) -> int:
    """Write a project and return how many claims its pages hold, both languages together.

    Args:
        root: a new folder.
        pairs: how many pages there are in each language.
        rows: how many rows the ledger has.
        seed: of what is drawn by chance.
    """
    chance = random.Random(seed)  # noqa: S311  (no secret is made here)
    for folder in ("data", "en", "zh", "site_src/pages", "site_src/locale/zh/LC_MESSAGES"):
        (root / folder).mkdir(parents=True, exist_ok=True)
    runs = [_Row(chance.choice(list(_ARMS)), chance.randrange(500, 10_000), chance.randrange(100, 5_000)) for _ in range(rows)]
    _write_data(root, runs)
    (root / "mkdocs.yml").write_text(_CONFIG, "utf-8")
    (root / "site_src/metrics.py").write_text(_METRICS, "utf-8")
    (root / "site_src/figures.py").write_text(_FIGURES, "utf-8")
    (root / "site_src/pages/index.md").write_text("# Generated\n", "utf-8")
    subjects = {name: {"values": [name], "en": [words[0]], "zh": [words[1]]} for name, words in _ARMS.items()}
    (root / "site_src/subjects.yml").write_text(json.dumps({"arm": {"columns": ["arm"], "subjects": subjects}}, ensure_ascii=False), "utf-8")
    head = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n'
    entries = (f"\nmsgid {json.dumps(message)}\nmsgstr {json.dumps(text, ensure_ascii=False)}\n" for message, text in _CATALOGUE.items())
    (root / "site_src/locale/zh/LC_MESSAGES/messages.po").write_text(head + "".join(entries), "utf-8")
    for number in range(pairs):
        for language, text in zip(("en", "zh"), _page(number, runs, chance), strict=True):
            (root / language / ("index.md" if number == 0 else f"p{number}.md")).write_text(text, "utf-8")
    return 2 * pairs * CLAIMS_PER_PAGE


def _write_data(root: Path, runs: list[_Row]) -> None:
    with (root / "data/runs.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(_FIELDS)
        for number, run in enumerate(runs):
            writer.writerow((f"m{number % 7}", "stack 1", "2026-08-01", run.arm, number, 1024 << number % 6, run.rate, run.latency))
    fields: list[dict[str, Any]] = [{"name": name, "type": _TYPES.get(name, "string")} for name in _FIELDS]
    for field in fields:
        if field["name"] in _UNITS:
            field |= {"unit": _UNITS[field["name"]], "constraints": {"minimum": 0}}
    schema = {"fields": fields, "primaryKey": ["machine", "stack", "date", "arm", "run", "context"]}
    dataset = {"name": "runs", "path": "runs.csv", "evidence": "raw", "rows": len(runs), "sources": [{"title": "generated"}], "schema": schema}
    (root / "data/datapackage.json").write_text(json.dumps({"name": "generated", "resources": [dataset]}), "utf-8")


def _page(number: int, runs: list[_Row], chance: random.Random) -> tuple[str, str]:
    """Return a page in English and in Chinese, with the same claims."""
    drawn = [chance.randrange(len(runs)) for _ in range(14)]
    cells = [(f"claim:runs.tok_s?run={run}", f"{runs[run].rate} tok/s", runs[run].arm) for run in drawn[:4]]
    gains = [_gain(runs, before, after) for before, after in zip(drawn[4:7], drawn[7:10], strict=True)]
    bound = max(runs[run].latency_centi for run in drawn[10:13])
    longest = f"[{bound / 100:.2f} ms](claim:slowest?runs={','.join(map(str, drawn[10:13]))}&is=at_most)"
    series = f"[{runs[drawn[0]].latency}, {runs[drawn[1]].latency} ms](claim:runs.latency_ms?run={drawn[0]},{drawn[1]})"
    plain = f"[{runs[drawn[13]].latency}](claim:runs.latency_ms?run={drawn[13]}&unit=ms)"
    english = ["---", f"title: Runs of {_named(number)}", "description: What was measured.", "---"]
    chinese = ["---", f"title: {_named(number)} 的运行", "description: 测到了什么。", "---"]
    english += ["", "## What was measured {#what}", ""]
    chinese += ["", "## 测到了什么 {#what}", ""]
    for key, shown, arm in cells:
        english += [f"At batch 1, {_ARMS[arm][0]} reached [{shown}]({key}), as the log of vLLM 0.28.0 of 2026-08-01 says.", ""]
        chinese += [f"batch 1 下，{_ARMS[arm][1]}跑到了[{shown}]({key})，这是 vLLM 0.28.0 在 2026-08-01 的记录。", ""]
    english += ["```sh", "run --rate 70.8", "```", "", "## What it means {#means}", ""]
    chinese += ["```sh", "run --rate 70.8", "```", "", "## 这说明什么 {#means}", ""]
    for key, shown in gains:
        english += [f"- From one run to the next the rate changed by [{shown}]({key}); nothing else was touched.", ""]
        chinese += [f"- 从一次运行到下一次，速率变化了[{shown}]({key})；别的都没有动。", ""]
    english += [f"The latency of any of these is at most {longest}, and some of them show {series}.", "", "| Latency, ms |"]
    chinese += [f"其中任何一次的延迟都不超过 {longest}，其中之一与另一次是 {series}。", "", "| 延迟，ms |"]
    english += ["| ---: |", f"| {plain} |", ""]
    chinese += ["| ---: |", f"| {plain} |", ""]
    if number == 0:
        english += ["/// figure | first_runs", "The first of them.", "///", ""]
        chinese += ["/// figure | first_runs", "最初的那些。", "///", ""]
    return "\n".join(english), "\n".join(chinese)


def _gain(runs: list[_Row], before: int, after: int) -> tuple[str, str]:
    change = round((runs[after].rate_centi / runs[before].rate_centi - 1) * 100, 3)
    return f"claim:gain?before={before}&after={after}", f"{change:+.3f} %".replace("-", "−")


def _named(number: int) -> str:
    """Return a name without a digit in it: a bare number in a title would be a finding."""
    letters = ""
    while number >= 0:
        letters = chr(ord("A") + number % 26) + letters
        number = number // 26 - 1
    return letters
