"""What a build writes beside its pages: evidence, figures, stamp."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.check import Checked, check_project
from ledgermark.outputs import evidence_record, figure_record, stamp_record, to_json
from ledgermark.stamp import Stamp

if TYPE_CHECKING:
    from ledgermark.check import Project

STAMP = Stamp("0123456789abcdef", modified=True, built="2026-12-01T00:00:00Z", source_url="https://x.example/blob/0123/{path}#L{line}")


@pytest.fixture(name="checked", scope="module")
def checked_project(project: Project) -> Checked:
    return check_project(project, date(2026, 12, 1))


@pytest.mark.parametrize(
    ("language", "values", "sentence", "state"),
    [
        ("en", ["25.25 %", "−75 %"], "Change in rate from base to fast.", "Each run is a row in this repository"),
        ("zh", ["25.25 %", "−75 %"], "从 base 换到 fast，速率的变化。", "每次运行都是本仓库里的一行"),
    ],
)
def test_evidence(checked: Checked, language: str, values: list[str], sentence: str, state: str) -> None:
    project = checked.project
    claims = project.pages[language]["report.md"].claims.claims
    record = evidence_record(claims, checked, project.catalogues[language], STAMP)
    assert record["commit"] == "0123456789ab+"
    assert record["data"] == project.digest
    assert set(record["claims"]) == {claim.key for claim in claims}
    one = record["claims"]["gain?context=1024,32768"]
    assert (one["values"], one["sentence"], one["formula"]) == (values, sentence, "rate(fast) / rate(base) − 1")
    assert one["state_label"].startswith(state)
    used = one["inputs"][0]
    row = record["rows"][used["at"]]
    assert (row["file"], row["line"], used["used"], row["url"]) == (
        "data/ladder.csv",
        2,
        ["tok_s"],
        "https://x.example/blob/0123/data/ladder.csv#L2",
    )
    assert len({(item["file"], item["line"]) for item in record["rows"]}) == len(record["rows"])
    assert project.catalogues[language].missing == set()


def test_a_figure_for_the_browser(checked: Checked) -> None:
    project = checked.project
    english, chinese = (figure_record(checked.drawn["rates", language], project.catalogues[language]) for language in ("en", "zh"))
    assert (english["locale"], chinese["locale"]) == (None, "zh-CN")
    assert english.keys() == chinese.keys() >= {"name", "lang", "title", "alt", "data", "layout", "labels"}
    assert [trace["meta"]["series"] for trace in english["data"]] == [1, 2]
    assert english["labels"].keys() == chinese["labels"].keys()


def test_the_views_of_a_figure_for_the_browser(checked: Checked) -> None:
    drawn, words = checked.drawn["rates", "en"], checked.project.catalogues["en"]
    assert figure_record(drawn, words)["views"] == []
    record = figure_record(replace(drawn, view="Rate", views={"Share": drawn.spec}), words)
    assert record["view"] == "Rate"
    assert record["views"] == [{"name": "Share", **drawn.spec}]


def test_the_stamp(checked: Checked) -> None:
    record = stamp_record(checked, STAMP)
    assert {name: record[name] for name in ("commit", "modified", "built", "data", "findings")} == {
        "commit": "0123456789abcdef",
        "modified": True,
        "built": "2026-12-01T00:00:00Z",
        "data": f"sha256:{checked.project.digest}",
        "findings": 0,
    }
    for language in ("en", "zh"):
        counted = record["languages"][language]
        assert {name: counted[name] for name in ("pages", "claims", "given", "figures", "errata")} == {
            "pages": 2,
            "claims": 17,
            "given": 1,
            "figures": 1,
            "errata": 1,
        }


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_json_is_the_same_and_opens_no_tag(value: object) -> None:
    text = to_json(value)
    assert json.loads(text) == value
    assert "<" not in text
    assert "\u2028" not in text
    assert "\u2029" not in text


def test_json_knows_no_nan() -> None:
    with pytest.raises(ValueError, match="JSON"):
        to_json(float("nan"))
