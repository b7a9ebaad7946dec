"""The HTML the library writes: what themes, scripts and tests from outside rely on."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import markdown
import pytest

from ledgermark.check import Checked, check_project
from ledgermark.contexts import Contexts
from ledgermark.markdown_ext import LedgermarkExtension

if TYPE_CHECKING:
    from ledgermark.check import Project

CLAIM = "[25.3 %](claim:gain?context=1024)"


@pytest.fixture(name="checked", scope="module")
def checked_project(project: Project) -> Checked:
    return check_project(project, date(2026, 12, 1))


def render(checked: Checked, text: str, language: str = "en") -> ET.Element:
    """Return a text as the page of the report in a language would show it."""
    context = Contexts(checked, stills=frozenset({"rates.en"})).context(f"{language}/report.md", f"{language}/report/")
    html = markdown.markdown(text, extensions=["tables", "attr_list", LedgermarkExtension(context=context)])
    return ET.fromstring(f"<body>{html}</body>")  # noqa: S314  (made here)


def texts(element: ET.Element, path: str) -> list[str]:
    return ["".join(item.itertext()) for item in element.findall(path)]


def test_a_claim(checked: Checked) -> None:
    body = render(checked, f"By {CLAIM}, [40.00 tok/s](claim:ladder.tok_s?arm=base&context=1024).")
    one, two = body.findall(".//span[@data-claim]")
    assert one.attrib == {"class": "lm-claim", "data-claim": "gain?context=1024", "tabindex": "0", "role": "button", "aria-haspopup": "dialog"}
    assert (one.text, two.get("data-claim")) == ("25.3 %", "ladder.tok_s?arm=base&context=1024")
    assert body.find(".//a") is None


def test_a_long_claim_may_break(checked: Checked) -> None:
    (span,) = render(checked, "[+25.3 %, −75.0 %, and another](claim:gain?context=1024,32768)").iter("span")
    assert span.get("class") == "lm-claim lm-long"


def test_a_given_number(checked: Checked) -> None:
    (span,) = render(checked, "[0.90 GiB](given: \"card & <b> 'x'\")").iter("span")
    assert span.get("data-given") == "card & <b> 'x'"
    assert (span.get("class"), span.get("role"), span.text) == ("lm-given", "button", "0.90 GiB")


@pytest.mark.parametrize(
    ("language", "number", "badge", "summary", "label"),
    [("en", "Figure 1", "Recomputable", "Data table", "Series shown"), ("zh", "图 1", "可重算", "数据表", "显示哪些数据")],
)
def test_a_figure(checked: Checked, language: str, number: str, badge: str, summary: str, label: str) -> None:
    body = render(checked, f"/// figure | rates\nCaption by {CLAIM}.\n///", language)
    (figure,) = body.findall("figure")
    assert figure.get("class") == "lm-figure"
    assert (figure.get("id"), figure.get("data-figure"), figure.get("data-badge")) == ("fig-rates", "rates", "recomputable")
    assert figure.get("data-src") == f"../../assets/figures/rates.{language}.json"
    assert texts(figure, ".//span[@class='lm-figure__number']") == [number]
    assert texts(figure, ".//span[@class='lm-badge lm-badge--recomputable']") == [badge]
    assert texts(figure, ".//summary") == [summary]
    assert [item.get("aria-label") for item in figure.findall("div[@class='lm-figure__legend']")] == [label]
    (caption,) = figure.findall("figcaption")
    assert "".join(caption.itertext()).strip() == "Caption by 25.3 %."
    assert len(caption.findall(".//span[@data-claim]")) == 1
    assert texts(figure, ".//tbody/tr[1]/td") == ["base", "1024", "40"]
    assert texts(figure, ".//code") == ["ledgermark recompute rates"]
    assert [link.get("href") for link in figure.iter("a")] == [f"../../assets/figures/rates.{language}.csv"]
    assert [image.get("src") for image in figure.iter("img")] == (
        [f"../assets/figures/rates.en.{scheme}.svg" for scheme in ("light", "dark")] if language == "en" else []
    )
    assert all(image.get("alt") for image in figure.iter("img"))


def test_figures_are_numbered_on_each_page(checked: Checked) -> None:
    drawn = {**checked.drawn, ("other", "en"): replace(checked.drawn["rates", "en"], name="other")}
    again = replace(checked, drawn=drawn)
    for _ in range(2):
        body = render(again, "/// figure | rates\n.\n///\n\n/// figure | other\n.\n///")
        assert texts(body, ".//span[@class='lm-figure__number']") == ["Figure 1", "Figure 2"]


def test_an_erratum(checked: Checked) -> None:
    text = "/// erratum | 2026-08-28\n    id: a-1\n    affects: [gap, '#x']\n    title: Short\nIt was *wrong*.\n///"
    for language, label, when, affects in (("en", "Erratum", "28 August 2026", "Affects:"), ("zh", "勘误", "2026年8月28日", "涉及：")):
        (aside,) = render(checked, text, language).findall("aside")
        assert (aside.get("class"), aside.get("data-erratum"), aside.get("id")) == ("lm-erratum", "a-1", "erratum-a-1")
        assert texts(aside, ".//span[@class='lm-erratum__label']") == [label]
        assert [item.get("datetime") for item in aside.iter("time")] == ["2026-08-28"]
        assert [text.replace("\u00a0", " ") for text in texts(aside, ".//time")] == [when]
        assert texts(aside, ".//strong") == ["Short"]
        assert texts(aside, ".//em") == ["wrong"]
        assert texts(aside, ".//p[@class='lm-erratum__affects']") == [f"{affects} gap #x"]


def test_an_evidence_block(checked: Checked) -> None:
    body = render(checked, "/// evidence | trace\n\n| a |\n|---|\n| b |\n\n///")
    (frame,) = body.findall("div")
    assert (frame.get("class"), frame.get("data-badge"), frame.get("data-dataset")) == ("lm-evidence", "raw-missing", "trace")
    assert len(frame.findall(".//table")) == 1
    assert texts(frame, ".//span[@class='lm-badge lm-badge--raw-missing']") == ["Raw data not in the repository"]


def test_an_abstract(checked: Checked) -> None:
    assert texts(render(checked, "/// abstract\nText.\n///", "zh"), ".//p[@class='lm-abstract__label']") == ["摘要"]


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("中文\n中文", "中文中文"),
        ("中文，\nword", "中文，word"),
        ("word\n中文", "word\n中文"),
        ("a\nb", "a\nb"),
        ("*中文*\n中文", "中文\n中文"),
    ],
)
def test_lines_that_end_in_han_are_joined(checked: Checked, text: str, joined: str) -> None:
    assert "".join(render(checked, text).itertext()).strip() in (joined, joined.replace("\n中文", "中文"))


def test_code_keeps_its_lines(checked: Checked) -> None:
    assert "".join(render(checked, "    中文\n    中文").itertext()).strip() == "中文\n中文"


def test_without_a_project_the_text_still_stands() -> None:
    html = markdown.markdown(
        f"{CLAIM}\n\n/// figure | rates\nCaption.\n///\n\n/// erratum | 2026-08-01\n    id: a\n    affects: gap\nx\n///",
        extensions=["ledgermark"],
    )
    assert 'data-claim="gain?context=1024"' in html
    assert 'id="fig-rates"' in html
    assert "Caption." in html
    assert 'data-erratum="a"' in html


EVIL = "<script>alert(1)</script>&amp;\"'*x*</script>"


def test_texts_from_data_are_inert(checked: Checked) -> None:
    spoiled = replace(checked.drawn["rates", "en"], title=EVIL, alt=EVIL, columns=(EVIL,), rows=((EVIL,),))
    body = render(replace(checked, drawn={("rates", "en"): spoiled}), "/// figure | rates\n.\n///")
    assert body.find(".//script") is None
    assert body.find(".//em") is None
    assert texts(body, ".//td") == texts(body, ".//th") == [EVIL]
    assert {item.get("alt") for item in body.iter("img")} == {EVIL}


def test_the_table_of_a_figure_may_come_late(checked: Checked) -> None:
    """A host whose search would read every cell puts the tables in when that has been."""
    context = Contexts(checked).context("en/report.md", "en/report/")
    early = markdown.markdown("/// figure | rates\nCaption.\n///", extensions=[LedgermarkExtension(context=replace(context))])
    late: dict[str, str] = {}
    bare = markdown.markdown("/// figure | rates\nCaption.\n///", extensions=[LedgermarkExtension(context=replace(context, late=late))])
    assert "<td>" not in bare
    for mark, part in late.items():
        assert bare.count(mark) == 1
        bare = bare.replace(mark, part)
    assert "<td>" in early
    assert bare == early


def corrections(checked: Checked, name: str, text: str) -> ET.Element:
    """Return the list of corrections in a text on a page of the site."""
    context = Contexts(checked).context(name, "")
    return ET.fromstring(f"<body>{markdown.markdown(text, extensions=[LedgermarkExtension(context=context)])}</body>")  # noqa: S314  (made here)


@pytest.mark.parametrize(
    ("name", "link", "title"),
    [
        ("en/index.md", "report.md#erratum-days-apart", "Less than that"),
        ("zh/index.md", "report.md#erratum-days-apart", "没有那么久"),
        ("index.md", "en/report.md#erratum-days-apart", "Less than that"),
    ],
)
def test_the_newest_corrections(checked: Checked, name: str, link: str, title: str) -> None:
    body = corrections(checked, name, "/// corrections | 5\nSaid before.\n///")
    (entry,) = body.iter("li")
    assert texts(body, ".//p") == ["Said before."]
    assert [time.get("datetime") for time in entry.iter("time")] == ["2026-08-28"]
    assert [(way.get("href"), way.text) for way in entry.iter("a")] == [(link, title)]


def test_corrections_are_counted_from_the_newest_and_name_their_pages(checked: Checked) -> None:
    project = checked.project
    page = project.pages["en"]["report.md"]
    (erratum,) = page.errata
    days = [replace(erratum, id=f"day-{day}", date=date(2026, 9, day), title=f"<b>{day}</b> &amp;") for day in (3, 1, 2)]
    other = replace(page, path="more/other.md", errata=tuple(days), meta={"title": "Other"})
    pages = {**project.pages, "en": {**project.pages["en"], "more/other.md": other}}
    more = replace(checked, project=replace(project, pages=pages))
    body = corrections(more, "en/index.md", "/// corrections | 4\n///")
    assert [time.get("datetime") for time in body.iter("time")] == ["2026-09-03", "2026-09-02", "2026-09-01", "2026-08-28"]
    assert texts(body, ".//a")[0] == "<b>3</b> &amp;"
    assert next(way.get("href") for way in body.iter("a")) == "more/other.md#erratum-day-3"
    assert texts(body, ".//span") == ["Other"] * 3 + ["Fast is slow by 75.0 %"]
    assert len(list(corrections(more, "en/index.md", "/// corrections | 2\n///").iter("li"))) == 2


def test_no_corrections_are_said(checked: Checked) -> None:
    project = checked.project
    pages = {language: {path: replace(page, errata=()) for path, page in by_path.items()} for language, by_path in project.pages.items()}
    body = corrections(replace(checked, project=replace(project, pages=pages)), "zh/index.md", "/// corrections | 5\n///")
    assert texts(body, ".//p") == ["目前没有更正。"]
