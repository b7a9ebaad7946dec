"""What stands in a data cell stays text: in tables, hover texts, evidence, feeds and terminals."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest
from babel.messages.pofile import read_po, write_po

from tests.copies import ROOT, Copy, lay_over

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "end of a script": "</script><img src=x onerror=alert(2)>",
    "end of a comment": "--><svg onload=alert(3)>",
    "quotes": "\"'><b onclick=alert(4)>",
    "entities": "&lt;i&gt; &amp; &#60;u&#62;",
    "Markdown": "[x](javascript:alert(5)) **b** `c` ![i](https://elsewhere.example/i.png)",
    "claim": "[99 %](claim:gain?context=1024)",
    "block": "/// figure | rates",
    "placeholder": "\x02wzxhzdk:0\x03 \x02klzzwxh:0001\x03",
    "right to left": "\u202eabc\u2066d\u200f",
    "escape": "\x1b[31mred\x1b]0;title\x07",
    "lines": "a\nb\r\nc\u2028d",
    "command": "::error file=x::y%0A",
    "formula": "=1+1",
    "template": "{{ config }} {% raw %} ${x}",
}
OURS = ("b", "i", "u", "img", "svg", "script")


class _Tags(HTMLParser):
    """Collects start tags with their attributes, and the text of table cells."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.cells: list[str] = []
        self._in_cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag in ("td", "th"):
            self._in_cell = True
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_cell = self._in_cell and tag not in ("td", "th")

    def handle_data(self, data: str) -> None:
        if self._in_cell:
            self.cells[-1] += data


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """The site in miniature with hostile texts in its data and descriptor, built once."""
    tiny = lay_over(ROOT / "tests/sites/base", (), tmp_path_factory.mktemp("hostile") / "tiny")
    # Not in the key, whose texts must be such as a reader can tell apart.
    header, *before = csv.reader(io.StringIO(tiny.read("data/ladder.csv")))
    rows = [[*header, "note"], *([*row, "box"] for row in before)]
    rows += [["box", "2026-08-27", "base", str(5000 + number), "1.00", text] for number, text in enumerate(HOSTILE.values())]
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator="\n").writerows(rows)
    tiny.write("data/ladder.csv", out.getvalue())
    package = json.loads(tiny.read("data/datapackage.json"))
    package["resources"][0]["rows"] += len(HOSTILE)
    package["resources"][1]["evidence_note"] = "".join(HOSTILE.values())
    package["resources"][0]["schema"]["fields"][4]["description"] = HOSTILE["script"]
    package["resources"][0]["schema"]["fields"].append({"name": "note", "type": "string"})
    tiny.write("data/datapackage.json", json.dumps(package))
    chinese = "site_src/locale/zh/LC_MESSAGES/data.po"
    catalogue = read_po(io.StringIO(tiny.read(chinese)), locale="zh")
    for text in (HOSTILE["script"], "".join(HOSTILE.values())):
        catalogue.add(text, text)
    translated = io.BytesIO()
    write_po(translated, catalogue, width=0)
    tiny.write(chinese, translated.getvalue())
    tiny.edit("site_src/metrics.py", 'count(ledger.rows("ladder"), "row")', 'count(ledger.rows("ladder", note="box"), "row")')
    figures = tiny.read("site_src/figures.py")
    figures = figures.replace('rows += [[arm, row["context"]', 'rows += [[row.text("note"), row["context"]')
    figures = figures.replace('words("{rate} at {context}", rate', 'row.text("note") + words("{rate} at {context}", rate')
    figures = figures.replace("name=arm,", 'name=found[-1].text("note"), text=[row.text("note") for row in found],')
    tiny.write("site_src/figures.py", figures)
    for language in ("en", "zh"):
        claims = "\n\n".join(f"[1.00 tok/s](claim:ladder.tok_s?context={5000 + number})" for number in range(len(HOSTILE)))
        tiny.write(f"{language}/report.md", tiny.read(f"{language}/report.md") + f"\n{claims}\n")
    status, lines = tiny.check()
    assert status == 0, lines
    done = tiny.build()
    assert done.returncode == 0, done.stderr
    return tiny


@pytest.mark.parametrize("language", ["en", "zh"])
def test_pages(language: str, hostile: Copy) -> None:
    plain = _Tags()
    plain.feed((hostile.site / language / "report/index.html").read_text("utf-8"))
    assert [(tag, attributes) for tag, attributes in plain.tags if tag in OURS or any(name.startswith("on") for name in attributes)] == []
    assert all(not (attributes.get("href") or "").startswith("javascript:") for _, attributes in plain.tags)
    assert sum("data-claim" in attributes and "1024" in (attributes["data-claim"] or "") for _, attributes in plain.tags) < 8
    assert sum("data-figure" in attributes for _, attributes in plain.tags) == 1
    for name in ("script", "end of a script", "quotes", "entities", "Markdown", "claim", "block", "formula", "template"):
        assert HOSTILE[name] in plain.cells, name
    assert not any(char in cell for cell in plain.cells for char in "\x1b\x07\x02\x03")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_json(language: str, hostile: Copy) -> None:
    for path in (f"{language}/report/evidence.json", f"assets/figures/rates.{language}.json"):
        text = (hostile.site / path).read_text("utf-8")
        assert "<" not in text, path
        json.loads(text)
    record = json.loads((hostile.site / f"{language}/report/evidence.json").read_text("utf-8"))
    notes = {entry["row"].get("note") for entry in record["rows"]}
    assert HOSTILE["script"] in notes
    figure = json.loads((hostile.site / f"assets/figures/rates.{language}.json").read_text("utf-8"))
    texts = json.dumps([[trace.get(key) for key in ("name", "text", "customdata")] for trace in figure["data"]], ensure_ascii=False)
    # Plotly reads a little HTML in texts.
    assert "<" not in texts
    assert "&lt;script" in texts
    # A mark of direction in a hover text would turn the number beside it round.
    assert not any(char in texts for char in "\u202e\u2066\u200f")


def test_feed_and_tables_to_download(hostile: Copy) -> None:
    for language in ("en", "zh"):
        ET.fromstring((hostile.site / language / "errata/feed.xml").read_bytes())  # noqa: S314  (our own)
        table = (hostile.site / f"assets/figures/rates.{language}.csv").read_text("utf-8")
        cells = [cell for row in csv.reader(io.StringIO(table)) for cell in row]
        assert not any(cell.startswith(("=", "@", "\t")) for cell in cells)
        assert HOSTILE["script"] in cells


@pytest.mark.parametrize("form", ["text", "json"])
def test_terminal(form: str, hostile: Copy) -> None:
    for number in range(len(HOSTILE)):
        status, lines = hostile.run("explain", f"ladder.tok_s?context={5000 + number}", "--format", form)
        assert status == 0
        assert not any(char in line for line in lines for char in "\x1b\x07\x02\u2028" + ("\u202e\u2066" if form == "text" else ""))
    status, lines = hostile.run("recompute", "rates", "--format", form)
    assert status == 0
    assert not any(char in line for line in lines for char in "\x1b\x07\x02\u2028" + ("\u202e\u2066" if form == "text" else ""))


@pytest.mark.parametrize("form", ["text", "github"])
def test_findings(form: str, hostile: Copy) -> None:
    copy = Copy(hostile.root, hostile.epoch)
    before = copy.read("data/datapackage.json")
    package = json.loads(before)
    package["resources"][0]["schema"]["fields"][-1]["constraints"] = {"enum": ["box"]}
    try:
        copy.write("data/datapackage.json", json.dumps(package))
        status, lines = copy.check("--format", form)
    finally:
        copy.write("data/datapackage.json", before)
    assert status == 1
    starts = "::error file=" if form == "github" else "data/ladder.csv:"
    assert len([line for line in lines if line.startswith(starts)]) >= len(HOSTILE) - 1
    assert [line for line in lines if not line.startswith((starts, "ledgermark: "))] == []
