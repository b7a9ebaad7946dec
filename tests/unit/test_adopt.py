"""`add-dataset`: a result file joins the ledger whole, or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ledgermark import adopt_door
from ledgermark import files as disk
from ledgermark.adopt import add_resource
from ledgermark.findings import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.copies import Copy

ROOT = Path(__file__).resolve().parents[2]
DESCRIPTOR = "data/datapackage.json"
ROWS = "machine,date,round,tok_s\nbox,2026-11-30,1,40.5\nbox,2026-11-30,2,41\n"
RESOURCE: dict[str, Any] = {
    "name": "mine",
    "path": "mine.csv",
    "title": "Decode",
    "description": "One row is one round.",
    "evidence": "raw",
    "format": "csv",
    "mediatype": "text/csv",
    "encoding": "utf-8",
    "sources": [{"title": "Measured here", "path": "scripts/measure/ladder.py"}],
    "schema": {
        "fields": [
            {"name": "machine", "type": "string", "description": "Hardware.", "constraints": {"required": True}},
            {"name": "date", "type": "date", "description": "Day."},
            {"name": "round", "type": "integer", "description": "Round.", "unit": "1"},
            {"name": "tok_s", "type": "number", "description": "Rate.", "unit": "tok/s", "constraints": {"minimum": 0}},
        ],
        "primaryKey": ["machine", "date", "round"],
        "missingValues": [""],
    },
}


PO = "site_src/locale/zh/LC_MESSAGES/data.po"
HEAD = 'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n'
CHINESE = {
    "Decode": "解码",
    "One row is one round.": "一行是一轮。",
    "Hardware.": "硬件。",
    "Day.": "日期。",
    "Round.": "轮次。",
    "Rate.": "速率，写作“tok/s”。",
}
WORDS = "\n".join(f'msgid "{text}"\nmsgstr "{words}"\n' for text, words in CHINESE.items())


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A result file as an instrument leaves it."""
    folder = tmp_path / "results"
    folder.mkdir()
    (folder / "mine.csv").write_text(ROWS)
    (folder / "mine.resource.json").write_text(json.dumps(RESOURCE, indent=2))
    (folder / "mine.provenance.json").write_text('{"runs": []}')
    (folder / "mine.zh.po").write_text(f"{HEAD}\n{WORDS}")
    return folder / "mine.csv"


def files(project: Copy) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(project.root.rglob("*")) if path.is_file() and ".cache" not in path.parts}


def describe(file: Path, **changes: Any) -> None:
    file.with_suffix(".resource.json").write_text(json.dumps({**RESOURCE, **changes}, indent=2))


def test_a_result_joins_the_ledger(tiny: Copy, results: Path) -> None:
    before, said = tiny.read(DESCRIPTOR), tiny.read(PO)
    status, lines = tiny.run("add-dataset", str(results))
    assert (status, lines) == (0, ["mine: 2 rows in data/mine.csv, described in data/datapackage.json"])
    assert tiny.read("data/mine.csv") == ROWS
    assert tiny.read("data/mine.provenance.json") == '{"runs": []}'
    resources = json.loads(tiny.read(DESCRIPTOR))["resources"]
    assert resources[:-1] == json.loads(before)["resources"]
    assert resources[-1] == {**RESOURCE, "rows": 2}
    assert list(resources[-1])[:6] == ["name", "path", "title", "description", "evidence", "rows"]
    assert tiny.read(PO) == f"{said.rstrip()}\n\n# mine\n\n{WORDS}"
    assert tiny.check()[0] == 0


def test_words_that_are_there_stay(tiny: Copy, results: Path) -> None:
    tiny.write(PO, tiny.read(PO) + '\nmsgid "Decode"\nmsgstr "译码"\n')
    assert tiny.run("add-dataset", str(results))[0] == 0
    assert tiny.read(PO).count('msgid "Decode"') == 1
    assert 'msgstr "译码"' in tiny.read(PO)


def test_a_project_without_pages_of_its_data_needs_no_words(tiny: Copy, results: Path) -> None:
    results.with_suffix(".zh.po").unlink()
    tiny.edit("mkdocs.yml", "- ledgermark:\n", "- ledgermark:\n      data_pages: false\n")
    assert tiny.run("add-dataset", str(results))[0] == 0


def test_a_dry_run_writes_nothing(tiny: Copy, results: Path) -> None:
    before = files(tiny)
    status, lines = tiny.run("add-dataset", str(results), "--dry-run")
    assert (status, lines) == (0, ["mine: 2 rows would go into data/mine.csv, described in data/datapackage.json"])
    assert files(tiny) == before


def test_it_may_lie_in_the_data_folder_already(tiny: Copy, results: Path) -> None:
    for path in results.parent.iterdir():
        tiny.write(f"data/{path.name}", path.read_bytes())
    assert tiny.check()[0] == 1
    assert tiny.run("add-dataset", str(tiny.root / "data/mine.csv"))[0] == 0
    assert tiny.check()[0] == 0


def no_resource(_: Copy, file: Path) -> None:
    file.with_suffix(".resource.json").unlink()


def no_file(_: Copy, file: Path) -> None:
    file.unlink()


def name_taken(_: Copy, file: Path) -> None:
    describe(file, name="trace")


def path_taken(project: Copy, _: Path) -> None:
    project.edit(DESCRIPTOR, '"trace.csv"', '"mine.csv"')


def file_taken(project: Copy, _: Path) -> None:
    project.write("data/mine.csv", "something\n")


def descriptor_broken(project: Copy, _: Path) -> None:
    project.edit(DESCRIPTOR, '"evidence": "raw"', '"evidence": "row"')


def key_twice(_: Copy, file: Path) -> None:
    file.write_text(ROWS + "box,2026-11-30,2,43\n")


def unit_missing(_: Copy, file: Path) -> None:
    schema = json.loads(json.dumps(RESOURCE["schema"]))
    del schema["fields"][3]["unit"]
    describe(file, schema=schema)


def cell_wrong(_: Copy, file: Path) -> None:
    file.write_text(ROWS.replace("40.5", "fast"))


def rows_wrong(_: Copy, file: Path) -> None:
    describe(file, rows=3)


def other_path(_: Copy, file: Path) -> None:
    describe(file, path="other.csv")


def no_instrument(_: Copy, file: Path) -> None:
    describe(file, instrument="scripts/nothing.py")


def no_words(_: Copy, file: Path) -> None:
    file.with_suffix(".zh.po").unlink()


def words_broken(_: Copy, file: Path) -> None:
    file.with_suffix(".zh.po").write_text(HEAD + '\nmsgid "Decode\n')


def two_resources(_: Copy, file: Path) -> None:
    path = file.with_suffix(".resource.json")
    path.write_text(path.read_text() + "," + json.dumps({**RESOURCE, "name": "more"}))


def not_json(_: Copy, file: Path) -> None:
    file.with_suffix(".resource.json").write_text('{"name": \n oops}')


REFUSED: dict[Callable[[Copy, Path], None], tuple[int, str]] = {
    no_resource: (2, "mine.resource.json: the file does not exist"),
    no_file: (2, "mine.csv: the file does not exist"),
    name_taken: (2, "has a dataset 'trace' already, in trace.csv; give the file another name"),
    path_taken: (2, "describes mine.csv already, as 'trace'; give the file another name"),
    file_taken: (2, "mine.csv is there already, and no dataset of the descriptor"),
    descriptor_broken: (2, 'evidence is "row", expected one of raw, summary, published; mend the descriptor first'),
    key_twice: (1, "mine.csv:4:1: LM503 same key as line 3: machine=box, date=2026-11-30, round=2"),
    unit_missing: (1, "LM508 'mine.tok_s' is numeric and has no unit"),
    cell_wrong: (1, "mine.csv:2:1: LM504 tok_s is 'fast', expected"),
    rows_wrong: (1, "LM507 2 rows, the descriptor says 3"),
    other_path: (1, "LM509 'mine': the path is 'other.csv', expected 'mine.csv', the file beside it"),
    no_instrument: (1, "LM509 'mine': the instrument 'scripts/nothing.py' is no file here"),
    no_words: (1, "mine.zh.po:1:1: LM306 no translation of 'Day.'"),
    words_broken: (1, "LM901 no gettext catalogue"),
    two_resources: (1, "LM509 expected one resource, an object"),
    not_json: (1, "mine.resource.json:2:2: LM509 not JSON"),
}


@pytest.mark.parametrize("spoil", REFUSED, ids=lambda item: item.__name__)
def test_what_is_wrong_is_refused_and_nothing_written(tiny: Copy, results: Path, spoil: Callable[[Copy, Path], None]) -> None:
    spoil(tiny, results)
    before = files(tiny)
    status, lines = tiny.run("add-dataset", str(results))
    expected, said = REFUSED[spoil]
    assert status == expected
    assert said in "\n".join(lines)
    assert files(tiny) == before


@pytest.mark.parametrize("spoil", [name_taken, path_taken, file_taken, key_twice, other_path, no_instrument], ids=lambda item: item.__name__)
def test_it_says_so_in_chinese(tiny: Copy, results: Path, spoil: Callable[[Copy, Path], None]) -> None:
    spoil(tiny, results)
    english = tiny.run("add-dataset", str(results), "--lang", "en")
    chinese = tiny.run("add-dataset", str(results), "--lang", "zh")
    assert chinese[0] == english[0]
    assert chinese[1] != english[1]
    assert any("\u4e00" <= character <= "\u9fff" for character in "".join(chinese[1]))


def test_what_cannot_be_written_leaves_all_as_it_was(tiny: Copy, results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = disk.write_whole

    def refuse(path: Path, text: str) -> None:
        if path.name == "datapackage.json":
            message = "the disk is full"
            raise ConfigError(message)
        write(path, text)

    monkeypatch.setattr(adopt_door, "write_whole", refuse)
    before = files(tiny)
    assert tiny.run("add-dataset", str(results)) == (2, ["Error: the disk is full"])
    assert files(tiny) == before


def test_the_descriptor_of_this_repository_gets_its_own_layout() -> None:
    """Taken out and put back, the last resource stands there as before, byte by byte."""
    text = (ROOT / DESCRIPTOR).read_text("utf-8")
    package = json.loads(text)
    while len(package["resources"]) > 1:
        last = package["resources"].pop()
        start = text.index(f',\n    {{\n      "name": "{last["name"]}",')
        shorter = text[:start] + text[text.rindex("\n  ]\n}") :]
        assert json.loads(shorter) == package
        assert add_resource(DESCRIPTOR, shorter, last) == text
        text = shorter


@pytest.mark.parametrize("indent", [None, 1, 2, 4, "\t"])
@pytest.mark.parametrize("end", ["", "\n"])
def test_other_layouts_stay(indent: int | str | None, end: str) -> None:
    package = {"name": "p", "title": "Messung ü", "resources": [{**RESOURCE, "name": "first", "path": "first.csv"}], "more": {"resources": []}}
    text = json.dumps(package, indent=indent, ensure_ascii=False) + end
    whole = {**package, "resources": [*package["resources"], RESOURCE]}
    assert add_resource("p.json", text, RESOURCE) == json.dumps(whole, indent=indent, ensure_ascii=False) + end


def test_line_ends_stay() -> None:
    text = (ROOT / DESCRIPTOR).read_text("utf-8").replace("\n", "\r\n")
    added = add_resource(DESCRIPTOR, text, RESOURCE)
    assert added.count("\n") == added.count("\r\n")
    assert json.loads(added)["resources"][-1] == RESOURCE
