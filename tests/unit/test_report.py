"""Findings and answers in every format, whole."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.claims import parse_key
from ledgermark.figures import draw
from ledgermark.findings import Finding
from ledgermark.report import FORMATS, explain_text, explanation, recomputation, recompute_text, report

if TYPE_CHECKING:
    from ledgermark.check import Project
    from ledgermark.metrics import Evaluator

FINDINGS = [
    Finding("en/a b.md", 12, 9, "LM101", "shows 2.10×, data gives 2.13× (data/mtp.csv:41)", "2.10", "2.13", ("data/mtp.csv:41",)),
    Finding("zh/a.md", 1, 1, "LM103", "'甲\n::error::forged\u202e' is no number", "甲\n::error::forged"),
]
SUMMARY = "ledgermark: 2 findings (claims: 3 en, 3 zh)"

TEXT = """\
en/a b.md:12:9: LM101 shows 2.10×, data gives 2.13× (data/mtp.csv:41)
zh/a.md:1:1: LM103 '甲\\u000a::error::forged\\u202e' is no number
ledgermark: 2 findings (claims: 3 en, 3 zh)"""

GITHUB = """\
::error file=en/a b.md,line=12,col=9,title=LM101::shows 2.10×, data gives 2.13× (data/mtp.csv:41)
::error file=zh/a.md,line=1,col=1,title=LM103::'甲\\u000a::error::forged\\u202e' is no number"""

JSON = """\
{
  "findings": [
    {
      "path": "en/a b.md",
      "line": 12,
      "column": 9,
      "code": "LM101",
      "title": "the number shown is not what the data gives",
      "message": "shows 2.10×, data gives 2.13× (data/mtp.csv:41)",
      "shown": "2.10",
      "expected": "2.13",
      "rows": [
        "data/mtp.csv:41"
      ]
    },
    {
      "path": "zh/a.md",
      "line": 1,
      "column": 1,
      "code": "LM103",
      "title": "the text of a claim cannot be read as numbers",
      "message": "'甲\\n::error::forged\u202e' is no number",
      "shown": "甲\\n::error::forged",
      "expected": null,
      "rows": []
    }
  ],
  "summary": "ledgermark: 2 findings (claims: 3 en, 3 zh)"
}"""


@pytest.mark.parametrize(("form", "expected"), [("text", TEXT), ("github", GITHUB), ("json", JSON)])
def test_findings(form: str, expected: str) -> None:
    assert report(FINDINGS, form, SUMMARY) == expected


def test_sarif() -> None:
    log = json.loads(report(FINDINGS, "sarif", SUMMARY))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["LM101", "LM103"]
    assert [(result["ruleId"], result["level"], result["message"]["text"]) for result in run["results"]] == [
        ("LM101", "error", FINDINGS[0].message),
        ("LM103", "error", FINDINGS[1].message),
    ]
    place = run["results"][0]["locations"][0]["physicalLocation"]
    assert place == {"artifactLocation": {"uri": "en/a%20b.md"}, "region": {"startLine": 12, "startColumn": 9, "endLine": 12, "endColumn": 13}}


@pytest.mark.parametrize(
    ("form", "expected"), [("text", "all well"), ("github", ""), ("json", '{\n  "findings": [],\n  "summary": "all well"\n}')]
)
def test_no_findings(form: str, expected: str) -> None:
    assert report([], form, "all well") == expected


TEXTS = st.text(alphabet="ab:,%\n\r\u202e\x1b]甲 ", max_size=20)


@pytest.mark.parametrize("form", FORMATS)
@given(TEXTS, TEXTS)
def test_no_text_forges_a_line(form: str, path: str, message: str) -> None:
    text = report([Finding(path or "p", 1, 1, "LM101", message)], form, "summary")
    if form in ("json", "sarif"):
        json.loads(text)
        return
    lines = text.splitlines()
    assert len(lines) == (2 if form == "text" else 1)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert form != "github" or lines[0].count("::") >= 2


EXPLAINED = """\
gain?context=1024
  Change in rate from base to fast.
  = rate(fast) / rate(base) − 1
  gives 25.25 %
  recomputable: Each run is a row in this repository; the command below recomputes what is shown.
  data/ladder.csv:2  machine=box, date=2026-08-01, arm=base, context=1024, tok_s=40.00  [tok_s]
  data/ladder.csv:4  machine=box, date=2026-08-26, arm=fast, context=1024, tok_s=50.10  [tok_s]"""


def test_an_explanation(project: Project, evaluator: Evaluator) -> None:
    claim = parse_key("gain?context=1024")
    answer = explanation(claim, evaluator.values(claim), project)
    assert explain_text(answer) == EXPLAINED
    assert json.loads(json.dumps(answer)) == answer
    assert answer["values"] == ["25.25 %"]
    assert [(item["file"], item["line"], item["used"]) for item in answer["inputs"]] == [
        ("data/ladder.csv", 2, ["tok_s"]),
        ("data/ladder.csv", 4, ["tok_s"]),
    ]


def test_an_explanation_of_a_cell(project: Project, evaluator: Evaluator) -> None:
    claim = parse_key("trace.median_us?arm=base,fast")
    answer = explanation(claim, evaluator.values(claim), project)
    assert (answer["values"], answer["unit"], answer["badge"]) == (["10.5 us", "158 us"], "us", "raw-missing")


RECOMPUTED = """\
rates: 各上下文长度的速率
  组    上下文  速率，tok/s
  base  1024    40
  base  32768   20
  fast  1024    50.1
  fast  32768   5
  recomputable: Each run is a row in this repository; the command below recomputes what is shown."""


def test_a_recomputation(project: Project) -> None:
    drawn = draw((project.figures or {})["rates"], project.ledger, project.catalogues["zh"])
    answer = recomputation(drawn, project)
    *lines, last = recompute_text(answer).splitlines()
    assert "\n".join(lines) == RECOMPUTED
    assert last == f"  rows read: 4, sha256:{drawn.digest}"
    assert answer["inputs"] == ["data/ladder.csv:2", "data/ladder.csv:3", "data/ladder.csv:4", "data/ladder.csv:5"]
