"""The data descriptor: what is wrong with it is a finding with a place, whatever it holds."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledgermark.descriptor import read_descriptor
from ledgermark.ledger import load_ledger

DATA = Path(__file__).resolve().parents[1] / "sites/base/data"
GOOD: dict[str, Any] = json.loads((DATA / "datapackage.json").read_text("utf-8"))
FILES = {name: (DATA / name).read_bytes() for name in ("ladder.csv", "trace.csv")}

LADDER, TRACE = ("resources", 0), ("resources", 1)
CONTEXT = (*LADDER, "schema", "fields", 3)
RATE = (*LADDER, "schema", "fields", 4)


def changed(path: tuple[str | int, ...], value: Any) -> bytes:
    """Return the descriptor with one place changed; `...` takes the key away."""
    package = copy.deepcopy(GOOD)
    place: Any = package
    for step in path[:-1]:
        place = place[step]
    if value is ...:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    return json.dumps(package, indent=2, ensure_ascii=False).encode()


def found(data: bytes) -> list[tuple[str, str]]:
    _, findings = read_descriptor("data/datapackage.json", data)
    return [(finding.code, finding.message) for finding in findings]


def test_a_good_one() -> None:
    datasets, findings = read_descriptor("d.json", (DATA / "datapackage.json").read_bytes())
    assert findings == []
    ladder, trace = datasets
    assert (ladder.name, ladder.path, ladder.evidence, ladder.rows) == ("ladder", "ladder.csv", "raw", 4)
    assert ladder.key == ("machine", "date", "arm", "context")
    assert [(column.name, column.type, column.unit.symbol if column.unit else None) for column in ladder.columns] == [
        ("machine", "string", None),
        ("date", "date", None),
        ("arm", "string", None),
        ("context", "integer", "tok"),
        ("tok_s", "number", "tok/s"),
    ]
    assert trace.key == ("arm",)
    assert trace.note == "The traces are on the machine."
    assert ladder.sources == ({"title": "made up", "path": "https://tiny.example/source"},)


WRONG: list[tuple[tuple[str | int, ...], Any, str, str]] = [
    (("resources",), ..., "LM509", "expected an object with a non-empty list 'resources'"),
    (("resources",), [], "LM509", "expected an object with a non-empty list 'resources'"),
    (("resources",), {}, "LM509", "expected an object with a non-empty list 'resources'"),
    (LADDER, 5, "LM509", "resource 1: expected an object"),
    ((*LADDER, "name"), ..., "LM509", "resource 1: expected an object"),
    ((*LADDER, "name"), 5, "LM509", "resource 1: expected an object"),
    ((*TRACE, "path"), ..., "LM509", "resource 2: expected an object"),
    ((*TRACE, "path"), ["a.csv"], "LM509", "resource 2: expected an object"),
    ((*TRACE, "path"), "../secret.csv", "LM509", "must lie below the descriptor's folder"),
    ((*TRACE, "path"), "/etc/passwd", "LM509", "must lie below the descriptor's folder"),
    ((*TRACE, "path"), "..\\secret.csv", "LM509", "must lie below the descriptor's folder"),
    ((*TRACE, "path"), "https://tiny.example/a.csv", "LM509", "must lie below the descriptor's folder"),
    ((*TRACE, "name"), "ladder", "LM509", "two resources are named 'ladder'"),
    ((*LADDER, "evidence"), ..., "LM509", "'ladder': evidence is null, expected one of raw, summary, published"),
    ((*LADDER, "evidence"), "Raw", "LM509", "'ladder': evidence is \"Raw\""),
    ((*LADDER, "evidence"), ["raw"], "LM509", "'ladder': evidence is"),
    ((*TRACE, "evidence_note"), ..., "LM509", "needs an 'evidence_note'"),
    ((*TRACE, "evidence"), "published", "LM509", "evidence 'published' needs in each of its sources a 'passage'"),
    ((*TRACE, "sources"), [{"title": "a report", "passage": "table 2"}], "LM509", "evidence 'summary' has a source with a 'passage'"),
    ((*LADDER, "evidence_note"), "on a disk", "LM509", "evidence 'raw' has an 'evidence_note'"),
    ((*LADDER, "rows"), "4", "LM509", 'rows is "4", expected a whole number'),
    ((*LADDER, "rows"), True, "LM509", "rows is true, expected a whole number"),
    ((*LADDER, "rows"), -1, "LM509", "rows is -1, expected a whole number"),
    ((*LADDER, "rows"), 4.5, "LM509", "rows is 4.5, expected a whole number"),
    ((*LADDER, "rows"), ..., "", ""),
    ((*LADDER, "schema"), ..., "LM509", "expected a schema with a non-empty list 'fields'"),
    ((*LADDER, "schema"), [], "LM509", "expected a schema with a non-empty list 'fields'"),
    ((*LADDER, "schema", "fields"), [], "LM509", "expected a schema with a non-empty list 'fields'"),
    ((*CONTEXT, "name"), ..., "LM509", "each field is an object with a 'name'"),
    (CONTEXT, "context", "LM509", "each field is an object with a 'name'"),
    ((*CONTEXT, "name"), "tok_s", "LM509", "two fields are named 'tok_s'"),
    ((*CONTEXT, "type"), "int", "LM509", "type is \"int\", expected one of string, integer, number, boolean, date; did you mean 'integer'?"),
    ((*CONTEXT, "type"), ["integer"], "LM509", "type is"),
    ((*CONTEXT, "constraints"), {"minimun": 1}, "LM509", "constraint 'minimun' is not known; did you mean 'minimum'?"),
    ((*CONTEXT, "constraints"), 5, "LM509", "constraint"),
    ((*CONTEXT, "constraints"), ["required"], "LM509", "constraint"),
    ((*CONTEXT, "unit"), ..., "LM508", '\'ladder.context\' is numeric and has no unit; write "unit": "1" for a plain number'),
    ((*CONTEXT, "unit"), "", "LM508", "has no unit"),
    ((*CONTEXT, "unit"), 5, "LM508", "has no unit"),
    ((*CONTEXT, "unit"), "tokk", "LM508", "'ladder.context': unknown unit 'tokk'"),
    ((*LADDER, "schema", "primaryKey"), ..., "LM509", "expected a primaryKey"),
    ((*LADDER, "schema", "primaryKey"), [], "LM509", "expected a primaryKey"),
    ((*LADDER, "schema", "primaryKey"), ["arm", "contxt"], "LM509", "primaryKey names 'contxt', which is no field; did you mean 'context'?"),
    ((*LADDER, "schema", "primaryKey"), [["arm"]], "LM509", "primaryKey names"),
    ((*LADDER, "schema", "primaryKey"), None, "LM509", "primaryKey"),
    ((*LADDER, "schema", "primaryKey"), 5, "LM509", "primaryKey"),
    ((*LADDER, "schema", "missingValues"), 5, "LM509", "missingValues"),
    ((*CONTEXT, "constraints"), {"minimum": "few"}, "LM509", "minimum"),
    ((*CONTEXT, "constraints"), {"maximum": [1]}, "LM509", "maximum"),
    ((*CONTEXT, "constraints"), {"minimum": float("nan")}, "LM509", "minimum"),
    ((*CONTEXT, "constraints"), {"enum": 5}, "LM509", "enum"),
    ((*CONTEXT, "constraints"), {"pattern": "("}, "LM509", "pattern"),
    ((*CONTEXT, "constraints"), {"pattern": 5}, "LM509", "pattern"),
    ((*LADDER, "path"), "a\0b.csv", "LM509", "path"),
]


@pytest.mark.parametrize(("path", "value", "code", "message"), WRONG)
def test_a_place_that_is_wrong(path: tuple[str | int, ...], value: Any, code: str, message: str) -> None:
    findings = found(changed(path, value))
    assert [item for item, _ in findings] == ([code] if code else [])
    assert all(message in text for _, text in findings)


@pytest.mark.parametrize(
    ("data", "code", "message"),
    [
        (b"", "LM509", "not JSON"),
        (b"\xff\xfe", "LM501", "not UTF-8 (byte 1)"),
        (b"[]", "LM509", "non-empty list 'resources'"),
        (b"5", "LM509", "non-empty list 'resources'"),
        (b"null", "LM509", "non-empty list 'resources'"),
        (b"{", "LM509", "not JSON"),
        (b'{"resources": [', "LM509", "not JSON"),
        (b'{"resources": ' + b"[" * 100_000, "LM509", ""),
    ],
)
def test_a_file_that_is_none(data: bytes, code: str, message: str) -> None:
    ((found_code, text),) = found(data)
    assert found_code == code
    assert message in text


def test_a_finding_points_at_what_it_names() -> None:
    data = changed((*CONTEXT, "unit"), "tokk")
    _, (finding,) = read_descriptor("d.json", data)
    line = data.decode().splitlines()[finding.line - 1]
    assert line[finding.column - 1 :].startswith('"context"')


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats() | st.text(max_size=6) | st.sampled_from(["raw", "number", "arm", "tok", "("]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["name", "minimum", "enum", "pattern", "type", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Return the way to each value in a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    below = [place for key, item in items for place in places(item, (*path, key))]
    return ([path] if path else []) + below


@given(st.sampled_from(places(GOOD)), JSON)
def test_anything_anywhere_gives_findings_and_no_error(path: tuple[str | int, ...], value: Any) -> None:
    datasets, findings = read_descriptor("d.json", changed(path, value))
    assert all(finding.code in ("LM501", "LM508", "LM509") for finding in findings)
    files: dict[str, bytes | str] = {dataset.path: FILES.get(dataset.path, "the file does not exist") for dataset in datasets}
    load_ledger(datasets, files)
