"""Pages of the data: what they say of rows and descriptor, in both languages, and that nothing in either gets out of its cell."""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.addresses import address_of, data_file, data_page, data_slug
from ledgermark.catalogue import Catalogue
from ledgermark.check import check_project
from ledgermark.contexts import Contexts
from ledgermark.datafacts import data_facts, words_of
from ledgermark.datapages import DataSheet, index_parts, page_markdown, page_parts
from ledgermark.datarows import rows_html, shown
from ledgermark.datauses import data_uses
from ledgermark.descriptor import Column, Dataset
from ledgermark.table import Table, read_table
from ledgermark.units import parse_unit
from ledgermark.yamls import read_yaml

if TYPE_CHECKING:
    from ledgermark.check import Project

ENGLISH = Catalogue("en", {})
HOSTILE = '<img src=x onerror="hit()">\u202e"\'&<!--ledgermark: rows of en/x--></td></script>'
TOKENS = Column("tokens", "integer", parse_unit("tok"), "Tokens.")
RATE = Column("rate", "number", parse_unit("tok/s"))
COLUMNS = (Column("name", "string"), Column("day", "date"), TOKENS, RATE, Column("ok", "boolean"))
HEAD = "name,day,tokens,rate,ok\n"


class _Elements(HTMLParser):
    """Collects the elements of a page, and the text of each cell."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.cells: list[str] = []
        self.inside = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag == "td":
            self.cells.append("")
            self.inside = True

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "td"

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.cells[-1] += data


def table(rows: str, **options: object) -> Table:
    """Return a table with the columns above."""
    dataset = Dataset("x", "data/x.csv", COLUMNS, ("name", "tokens"), "raw")
    found, findings = read_table(replace(dataset, **options), "data/x.csv", (HEAD + rows).encode())  # type: ignore[arg-type]
    assert found is not None, findings
    return found


def rows_of(rows: str, source: str = "x.csv") -> str:
    made = table(rows)
    return rows_html(made, data_facts(made), ENGLISH, source)


def test_cells_stand_as_they_are_written() -> None:
    text = rows_of("a,2026-08-01,16,-1.50,true\n=1+1,2026-08-02,,1e-3,\n")
    assert _Elements(text).cells == ["a", "2026-08-01", "16", "-1.50", "true", "=1+1", "2026-08-02", "–", "1e-3", "–"]
    assert '<tr id="row-2"><th scope="row"><a href="#row-2">2</a></th><td>a</td>' in text
    assert '<th scope="col" class="is-number" data-column="rate" data-type="number">rate <span class="lm-data__unit">tok/s</span></th>' in text
    assert "All rows, 2 in number" in text


def test_a_row_is_named_by_the_line_it_begins_on() -> None:
    text = rows_of('"two\nlines",2026-08-01,1,1,true\n\nb,2026-08-01,2,1,true\n')
    assert re.findall(r'id="row-([0-9]+)"', text) == ["2", "5"]
    assert "two⟨U+000A⟩lines" in text


def test_what_is_the_same_in_every_row_is_said_once() -> None:
    text = rows_of("a,2026-08-01,1,7,true\na,2026-08-01,2,7,true\n")
    assert re.findall(r'data-column="([a-z]+)"', text) == ["tokens", "rate", "ok"]
    assert "<code>name</code> a · <code>day</code> 2026-08-01</p>" in text
    assert "left out" not in rows_of("a,2026-08-01,1,7,true\n")


@pytest.mark.parametrize(("count", "there", "said"), [(40, 40, "All rows, 40"), (41, 20, "The first 20 of 41 rows")])
def test_of_many_rows_the_first_stand_in_the_page(count: int, there: int, said: str) -> None:
    text = rows_of("".join(f"n{at},2026-08-01,{at},1,true\n" for at in range(count)))
    assert text.count("<tr id=") == there
    assert said in text
    assert f'data-count="{count}"' in text


def test_without_a_file_there_is_nothing_for_a_script() -> None:
    assert "data-src" not in rows_of("a,2026-08-01,1,1,true\n", source="")


def test_the_script_is_told_what_to_say() -> None:
    made = table("a,2026-08-01,1,1,true\nb,2026-08-01,2,1,true\n")
    (_, block), *_ = _Elements(rows_html(made, data_facts(made), ENGLISH, "x.csv")).elements
    words = json.loads(block["data-words"])
    assert words["hint"].endswith(": tokens>=2")
    assert {"{first}", "{last}", "{matching}", "{count}"} == set(re.findall(r"\{\w+\}", words["matching"]))


@pytest.mark.parametrize("hostile", [HOSTILE, "\u2066x", "javascript:hit()", "\ud800"])
def test_nothing_in_data_or_descriptor_gets_out(hostile: str) -> None:
    cell = hostile.encode("utf-8", "replace").decode().replace('"', '""')
    column = Column("name", "string", None, hostile)
    made = table(
        f'"{cell}",2026-08-01,1,1,true\nb,2026-08-01,2,1,true\n',
        columns=(column, *COLUMNS[1:]),
        title=hostile,
        description=hostile,
        row=hostile,
        note=hostile,
        sources=({"title": hostile, "path": hostile, "file": hostile, "passage": hostile, "license": hostile},),
        licenses=({"title": hostile, "path": "javascript:hit()"},),
    )
    sheet = DataSheet(made, data_facts(made), "0" * 64, ("csv", "parquet"), ())
    parts, heavy = page_parts(sheet, "en", ENGLISH)
    told = "".join([*parts.values(), *heavy.values(), *index_parts([sheet], "en", ENGLISH).values()])
    told.encode()  # no half character
    elements = _Elements(told).elements
    assert {tag for tag, _ in elements} & {"img", "script"} == set()
    assert [attributes for _, attributes in elements if any(name.startswith("on") for name in attributes)] == []
    assert [attributes["href"] for _, attributes in elements if attributes.get("href", "").startswith("javascript:")] == []
    assert "<!--" not in told
    assert [char for char in told if unicodedata.category(char) in ("Cf", "Cc", "Cs") and char != "\n"] == []
    front = page_markdown(made.dataset, "en", ENGLISH).split("---\n")[1]
    meta = read_yaml(front)
    assert isinstance(meta, dict)
    assert "<" not in meta["title"]
    assert not {'"', "<"} & set(meta.get("description", ""))


@given(st.text(max_size=40))
def test_any_text_is_one_text_in_a_cell(text: str) -> None:
    reader = _Elements(f"<td>{shown(text)}</td>")
    assert [tag for tag, _ in reader.elements] == ["td"]
    assert reader.cells[0] == re.sub("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]", _spelled, text)


def _spelled(match: re.Match[str]) -> str:
    return f"⟨U+{ord(match.group()):04X}⟩"


@pytest.mark.parametrize(
    ("name", "slug"), [("spec_ladder", "spec_ladder"), ("A-1", "A-1"), ("index", r"index-\w{8}"), ("../../x", r"x-\w{8}"), ("数据", r"\w{8}")]
)
def test_a_name_is_the_name_of_a_page(name: str, slug: str) -> None:
    assert re.fullmatch(slug, data_slug(name))
    assert data_page("en", name) == f"en/data/{data_slug(name)}.md"
    assert address_of(data_page("en", name)) == f"en/data/{data_slug(name)}/"
    assert data_file(name, "csv") == f"assets/data/{data_slug(name)}.csv"


@given(st.text(min_size=1, max_size=12), st.text(min_size=1, max_size=12))
def test_two_names_are_two_pages(one: str, two: str) -> None:
    assert re.fullmatch(r"[A-Za-z0-9_-]+", data_slug(one))
    assert (data_slug(one) == data_slug(two)) == (one == two)


@pytest.fixture(name="contexts", scope="module")
def contexts_of_the_site(project: Project) -> Contexts:
    files = frozenset(data_file(name, form) for name in project.ledger.datasets for form in ("csv", "parquet"))
    return Contexts(check_project(project, date(2026, 12, 1)), data=files)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "en",
            ["Kernel calls by arm", "Told apart by", "Raw data not in the repository", "The traces are on the machine.", "Download Parquet"],
        ),
        ("zh", ["各组的内核调用", "以此区分各行", "原始数据不在仓库", "trace 在那台机器上。", "下载 Parquet"]),
    ],
)
def test_the_page_of_a_dataset(contexts: Contexts, language: str, words: list[str]) -> None:
    name = f"{language}/data/trace.md"
    parts, heavy = contexts.data_parts(name)
    text = contexts.data_pages(language)[name]
    told = text + "".join(parts.values()) + "".join(heavy.values())
    assert [word for word in words if word not in told] == []
    # Each mark stands once in the Markdown, and each mark there has its part.
    assert sorted(re.findall("<!--.*?-->", text)) == sorted([*parts, *heavy])
    digest = contexts.checked.project.digests["data/trace.csv"]
    assert f"sha256:{digest}" in told
    assert f'<a href="../../report/">{"Fast is slow by 75.0 %" if language == "en" else "fast 组反而慢 75.0 %"}</a>' in told
    assert contexts.words(language).missing == set()


def test_the_list_has_each_dataset(contexts: Contexts) -> None:
    (listed,), _ = (part.values() for part in contexts.data_parts("en/data/index.md"))
    assert re.findall(r'<a href="([^"]+)">', listed) == ["ladder/", "trace/"]
    assert "1 August 2026" in listed.replace("\u00a0", " ")
    assert "<code>machine</code> <code>date</code> <code>arm</code> <code>context</code>" in listed


def test_uses_are_those_of_the_evidence(contexts: Contexts) -> None:
    uses = data_uses(contexts.checked, "en")
    assert {name: [(use.page.path, [drawn.name for drawn in use.figures]) for use in items] for name, items in uses.items()} == {
        "ladder": [("index.md", []), ("report.md", ["rates"])],
        "trace": [("report.md", [])],
    }
    # slowdown, and four cells of the table.
    assert uses["trace"][0].numbers == 5
    assert "#fig-rates" in "".join(contexts.data_parts("en/data/ladder.md")[0].values())


def test_a_page_of_the_project_goes_first(contexts: Contexts) -> None:
    project = contexts.checked.project
    own = {**project.pages, "en": {**project.pages["en"], "data/trace.md": project.pages["en"]["index.md"]}}
    other = Contexts(replace(contexts.checked, project=replace(project, pages=own)))
    assert "en/data/trace.md" not in other.data_pages("en")
    assert "zh/data/trace.md" in other.data_pages("zh")


def test_there_need_be_no_pages(contexts: Contexts) -> None:
    project = contexts.checked.project
    without = replace(project, settings=replace(project.settings, data_pages=False))
    other = Contexts(replace(contexts.checked, project=without))
    assert other.data_pages("en") == {}
    assert other.data_parts("en/data/trace.md") == ({}, {})


def test_what_has_no_chinese_is_a_finding(project: Project) -> None:
    dataset = replace(project.ledger.table("trace").dataset, description="Not said in Chinese.")
    assert words_of(dataset) >= {"Kernel calls by arm", "The traces are on the machine.", "Not said in Chinese."}
    words = project.catalogues["zh"]
    fewer = Catalogue("zh", {name: text for name, text in words.messages.items() if name != "Kernel calls by arm"})
    found = check_project(replace(project, catalogues={**project.catalogues, "zh": fewer}), date(2026, 12, 1)).findings
    assert [str(finding) for finding in found] == ["site_src/locale/zh/LC_MESSAGES/data.po:1:1: LM306 no translation of 'Kernel calls by arm'"]
