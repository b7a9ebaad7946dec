"""The way from one page to another, and which page a text is."""

from __future__ import annotations

import posixpath
from datetime import date
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.addresses import relative_url
from ledgermark.check import check_project
from ledgermark.contexts import Contexts
from ledgermark.site import evidence_name

if TYPE_CHECKING:
    from ledgermark.check import Project


@pytest.mark.parametrize(
    ("target", "url", "way"),
    [
        ("", "", "./"),
        ("", "en/", "../"),
        ("", "en/report/", "../../"),
        ("en/report/", "en/report/", "./"),
        ("zh/report/", "en/report/", "../../zh/report/"),
        ("build.json", "", "build.json"),
        ("build.json", "en/", "../build.json"),
        ("en/errata/feed.xml", "en/errata/", "feed.xml"),
        ("en/", "404.html", "en/"),
        ("en/a/b/", "en/a/", "b/"),
    ],
)
def test_the_way(target: str, url: str, way: str) -> None:
    assert relative_url(target, url) == way


PARTS = st.lists(st.sampled_from(["a", "b", "zh"]), max_size=4)


@given(PARTS, PARTS, st.booleans())
def test_following_the_way_leads_there(target: list[str], url: list[str], folder: bool) -> None:  # noqa: FBT001
    there = "/".join(target) + ("/" if folder and target else "")
    here = "".join(f"{part}/" for part in url)
    way = relative_url(there, here)
    assert posixpath.normpath(f"/{here}{way}") == posixpath.normpath(f"/{there}")
    assert way.endswith("/") is (there.endswith("/") or not there)


def test_pages_by_name(project: Project) -> None:
    contexts = Contexts(check_project(project, date(2026, 12, 1)))
    assert [contexts.language(name) for name in ("en/report.md", "zh/a/b.md", "index.md", "de/x.md")] == ["en", "zh", "en", "en"]
    page = contexts.page("zh/report.md")
    assert page is project.pages["zh"]["report.md"]
    assert contexts.page("index.md") is project.pages[""]["index.md"]
    assert contexts.page("en/errata.md") is None
    assert evidence_name(project.pages["zh"]["report.md"]) == "zh/report/evidence.json"
    assert evidence_name(project.pages["en"]["index.md"]) == "en/evidence.json"
    context = contexts.context("zh/report.md", "zh/report/")
    assert (context.base, context.links, context.words.language) == ("../../", "../", "zh")
    assert ("gap", "二十五天") in context.checked


def test_the_errata_page_holds_each_block_as_it_stands(project: Project) -> None:
    text = Contexts(check_project(project, date(2026, 12, 1))).errata_page("zh")
    assert "/// erratum | 2026-08-28\n    id: days-apart" in text
    assert "[25 天](claim:gap)" in text
    assert "report.md#erratum-days-apart" in text
