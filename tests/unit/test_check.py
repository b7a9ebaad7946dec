"""The check as a whole: every page, each thing once, in order."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from ledgermark.check import check_project
from ledgermark.pages import read_page
from ledgermark.source import Source

if TYPE_CHECKING:
    from ledgermark.check import Project

TODAY = date(2026, 12, 1)


def test_the_miniature_is_clean(project: Project) -> None:
    checked = check_project(project, TODAY)
    assert checked.findings == ()
    assert sorted(checked.drawn) == [("rates", "en"), ("rates", "zh")]
    assert [float(value) for value in checked.values["gain?context=1024,32768"]] == [25.25, -75]


def test_the_day_matters(project: Project) -> None:
    codes = [(finding.path, finding.code) for finding in check_project(project, date(2026, 8, 27)).findings]
    assert codes == [("en/report.md", "LM402"), ("zh/report.md", "LM402")]


def test_a_finding_stands_once(project: Project) -> None:
    text = "---\ntitle: [[[\n---\n# A {#a}\n\n[26 %](claim:gain?context=1024)\n"
    pages = {language: {"p.md": read_page(Source(f"{language}/p.md", text), "p.md", language)} for language in ("en", "zh")}
    findings = check_project(replace(project, pages={**pages, "": {}}), TODAY).findings
    assert len(findings) == len(set(findings))
    assert list(findings) == sorted(findings)


def test_only_some_pages(project: Project) -> None:
    text = "# A {#a}\n\n[26 %](claim:gain?context=1024)\n"
    pages = {language: {"p.md": read_page(Source(f"{language}/p.md", text), "p.md", language)} for language in ("en", "zh")}
    spoiled = replace(project, pages={**pages, "": {}})
    assert {finding.path for finding in check_project(spoiled, TODAY).findings} == {"en/p.md", "zh/p.md"}
    assert {finding.path for finding in check_project(spoiled, TODAY, frozenset({"zh/p.md"})).findings} == {"zh/p.md"}


def test_a_page_of_no_language_is_checked(project: Project) -> None:
    page = read_page(Source("site_src/pages/index.md", "[26 %](claim:gain?context=1024)"), "index.md", "")
    findings = check_project(replace(project, pages={"en": {}, "zh": {}, "": {"index.md": page}}), TODAY).findings
    assert ("site_src/pages/index.md", "LM101") in [(finding.path, finding.code) for finding in findings]


def test_broken_metrics_are_said_once(project: Project) -> None:
    findings = check_project(replace(project, metrics=None), TODAY).findings
    assert [finding for finding in findings if finding.code == "LM105"] == []
