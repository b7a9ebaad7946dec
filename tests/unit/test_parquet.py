"""A ledger in Parquet: the same answers and findings as in CSV, without reading the file whole."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet as pq

from ledgermark.descriptor import read_descriptor
from ledgermark.ledger import Ledger, LedgerError, load_ledger
from ledgermark.parquet import StoredFile, text_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ledgermark.findings import Finding
    from tests.copies import Copy

FIELDS: list[dict[str, Any]] = [
    {"name": "arm", "type": "string", "constraints": {"enum": ["base", "fast", "=slow"]}},
    {"name": "date", "type": "date", "constraints": {"minimum": "2026-01-01"}},
    {"name": "run", "type": "integer", "unit": "1", "constraints": {"minimum": 0, "maximum": 99}},
    {"name": "rate", "type": "number", "unit": "tok/s", "constraints": {"minimum": 0}},
    {"name": "good", "type": "boolean"},
    {"name": "note", "type": "string", "constraints": {"pattern": "[a-z]*", "unique": True}},
]
SCHEMA = pa.schema(
    [("arm", pa.string()), ("date", pa.date32()), ("run", pa.int32()), ("rate", pa.float64()), ("good", pa.bool_()), ("note", pa.string())]
)
DAY = date(2026, 8, 1)
ROWS: list[dict[str, Any]] = [
    {"arm": "base", "date": DAY, "run": 1, "rate": 43.42, "good": True, "note": "a"},
    {"arm": "base", "date": DAY, "run": 2, "rate": 40.0, "good": False, "note": None},
    {"arm": "fast", "date": DAY, "run": 1, "rate": 0.1, "good": None, "note": "b"},
    {"arm": "=slow", "date": date(2026, 9, 1), "run": 1, "rate": None, "good": True, "note": None},
    {"arm": "fast", "date": DAY, "run": 12, "rate": 1e-7, "good": True, "note": "c"},
]


def load(folder: Path, content: list[dict[str, Any]], schema: pa.Schema = SCHEMA, **changes: Any) -> tuple[Ledger, list[str]]:
    """Return the ledger and the findings of rows written to a Parquet file, two to a row group."""
    path = folder / "runs.parquet"
    pq.write_table(pa.Table.from_pylist(content, schema=schema), path, row_group_size=2)
    return read(StoredFile(path), "runs.parquet", **changes)


def read(data: Any, path: str, **changes: Any) -> tuple[Ledger, list[str]]:
    described = {"name": "runs", "path": path, "evidence": "raw", "schema": {"primaryKey": ["arm", "date", "run"], "fields": FIELDS}, **changes}
    datasets, problems = read_descriptor("datapackage.json", json.dumps({"resources": [described]}).encode())
    ledger, findings = load_ledger(datasets, {path: data})
    return ledger, [told(finding) for finding in [*problems, *findings]]


def told(finding: Finding) -> str:
    return f"{finding.line} {finding.code} {finding.message}"


def test_cells(tmp_path: Path) -> None:
    ledger, findings = load(tmp_path, ROWS, rows=5)
    assert findings == []
    first = ledger.one("runs", arm="base", run=1)
    assert (first.text("rate"), first["rate"].value, first["rate"].unit.symbol, first.line) == ("43.42", Decimal("43.42"), "tok/s", 1)
    assert ledger.one("runs", rate="0.10").line == 3
    assert ledger.one("runs", rate=Decimal("1e-7")).line == 5
    assert ledger.one("runs", arm="=slow")["date"].value - first["date"].value == 31
    assert [row.line for row in ledger.rows("runs", good=True)] == [1, 4, 5]
    assert [row.line for row in ledger.rows("runs", arm=("fast", "=slow"), run=1)] == [3, 4]
    assert [row.line for row in ledger.rows("runs", note="")] == [2, 4]
    assert [row.line for row in ledger.rows("runs", good="")] == [3]
    assert [row.line for row in ledger.rows("runs")] == [1, 2, 3, 4, 5]
    assert ledger.rows("runs", run="one") == ledger.rows("runs", run=10**30) == ()
    table = ledger.table("runs")
    assert table.row(2) == {"arm": "fast", "date": "2026-08-01", "run": "1", "rate": "0.1", "good": "", "note": "b"}
    assert (table.position(3), list(table.columns["run"]), table.columns["run"][1:3]) == (2, ["1", "2", "1", "1", "12"], ["2", "1"])
    assert table.frame["arm"].tolist() == ["base", "base", "fast", "=slow", "fast"]
    with pytest.raises(IndexError):
        table.row(5)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"arm": "base"}, "2 rows of runs match arm=base, expected 1 (rows 1, 2)"),
        ({"arm": "fats"}, "0 rows of runs match arm=fats, expected 1; arm is one of base, fast, =slow; did you mean 'fast'?"),
        ({"arms": "base"}, "no column 'arms' in runs; did you mean 'arm'?"),
    ],
)
def test_a_selection_that_has_no_one_row(tmp_path: Path, keys: dict[str, str], message: str) -> None:
    ledger, _ = load(tmp_path, ROWS)
    with pytest.raises(LedgerError) as caught:
        ledger.one("runs", **keys)
    assert str(caught.value) == message


def changed(at: int, **cells: Any) -> list[dict[str, Any]]:
    return [{**row, **cells} if place == at else row for place, row in enumerate(ROWS)]


@pytest.mark.parametrize(
    ("rows", "finding"),
    [
        (changed(2, arm=None), "3 LM505 arm is empty and is required"),
        (changed(2, arm="slow"), "3 LM505 arm is 'slow', expected one of base, fast, =slow"),
        (changed(4, date=date(2025, 12, 31)), "5 LM505 date is '2025-12-31', expected at least 2026-01-01"),
        (changed(1, run=None), "2 LM505 run is empty and is required"),
        (changed(1, run=-1), "2 LM505 run is '-1', expected at least 0"),
        (changed(1, run=100), "2 LM505 run is '100', expected at most 99"),
        (changed(3, rate=-0.5), "4 LM505 rate is '-0.5', expected at least 0"),
        (changed(3, rate=float("nan")), "4 LM504 rate is 'nan', expected a number"),
        (changed(3, rate=float("inf")), "4 LM504 rate is 'inf', expected a number"),
        (changed(3, note="A"), "4 LM505 note is 'A', expected the pattern [a-z]*"),
        (changed(3, note="a"), "4 LM505 note is 'a', as in row 1; expected each value once"),
        (changed(4, run=1), "5 LM503 same key as row 3: arm=fast, date=2026-08-01, run=1"),
    ],
)
def test_findings(tmp_path: Path, rows: list[dict[str, Any]], finding: str) -> None:
    assert load(tmp_path, rows)[1] == [finding]


def test_findings_of_the_whole_file(tmp_path: Path) -> None:
    assert load(tmp_path, ROWS, rows=6)[1] == ["1 LM507 5 rows, the descriptor says 6"]
    more = SCHEMA.append(pa.field("more", pa.string()))
    assert load(tmp_path, ROWS, more)[1] == ["1 LM506 column 'more' is not in the descriptor; did you mean 'rate'?"]
    fewer = [{name: cell for name, cell in row.items() if name != "good"} for row in ROWS]
    assert load(tmp_path, fewer, SCHEMA.remove(4))[1] == ["1 LM506 column 'good' of the descriptor is missing"]
    texts = SCHEMA.set(3, pa.field("rate", pa.string()))
    stored = [{**row, "rate": str(row["rate"])} for row in ROWS]
    assert load(tmp_path, stored, texts)[1] == ["1 LM504 rate is stored as string, the descriptor says number"]
    lists = SCHEMA.set(5, pa.field("note", pa.list_(pa.string())))
    assert load(tmp_path, changed(0, note=["a"])[:1], lists)[1][0].startswith("1 LM504 note is stored as list<")
    path = tmp_path / "runs.parquet"
    path.write_bytes(b"PAR1 and no more")
    ledger, (finding,) = read(StoredFile(path), "runs.parquet")
    assert finding.startswith("1 LM501 not Parquet: ")
    with pytest.raises(LedgerError, match="cannot be used"):
        ledger.one("runs", run=1)


def test_an_empty_file_has_no_rows(tmp_path: Path) -> None:
    ledger, findings = load(tmp_path, [])
    assert findings == []
    assert ledger.rows("runs", run=1) == ledger.rows("runs") == ()


def test_many_findings_are_cut_off(tmp_path: Path) -> None:
    rows = [{**ROWS[0], "run": 1, "note": None, "rate": -1.0} for _ in range(100)]
    _, findings = load(tmp_path, rows)
    assert sum("LM505" in finding for finding in findings) == 20
    assert sum("LM503" in finding for finding in findings) == 20


@pytest.mark.parametrize(
    "schema",
    [
        SCHEMA.set(3, pa.field("rate", pa.decimal128(12, 4))).set(2, pa.field("run", pa.uint64())),
        SCHEMA.set(0, pa.field("arm", pa.dictionary(pa.int8(), pa.string()))).set(5, pa.field("note", pa.large_string())),
    ],
)
def test_other_ways_to_store(tmp_path: Path, schema: pa.Schema) -> None:
    rows = [{**row, "rate": None if row["rate"] is None else Decimal(str(row["rate"])).quantize(Decimal("0.0001"))} for row in ROWS]
    rows = rows if "decimal" in str(schema) else ROWS
    ledger, findings = load(tmp_path, rows, schema)
    assert findings == []
    assert ledger.one("runs", rate="43.42").line == 1
    assert [row.line for row in ledger.rows("runs", arm="fast")] == [3, 5]


ROW = st.fixed_dictionaries(
    {
        "arm": st.sampled_from(["base", "fast", "=slow", "other", None]),
        "date": st.sampled_from([DAY, date(2025, 1, 1), None]),
        "run": st.sampled_from([None, -1, 0, 1, 2, 100]),
        "rate": st.sampled_from([None, 0.0, -0.0, 0.1, 43.42, 1e22, -1.5, float("nan")]),
        "good": st.sampled_from([None, True, False]),
        "note": st.sampled_from([None, "a", "b", "A"]),
    }
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(st.lists(ROW, min_size=1, max_size=7))
def test_a_csv_of_the_same_says_the_same(tmp_path: Path, rows: list[dict[str, Any]]) -> None:
    stored, findings = load(tmp_path, rows)
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(SCHEMA.names)
    writer.writerows([text_of(row[name]) for name in SCHEMA.names] for row in rows)
    written, expected = read(out.getvalue().encode(), "runs.csv")

    def by_row(finding: str) -> str:
        line, _, rest = finding.partition(" ")
        head, as_in, number = rest.partition(" line ")
        number, mark, tail = number.partition(":" if ":" in number else ";")
        return f"{int(line) - 1} {head} row {int(number) - 1}{mark}{tail}" if as_in else f"{int(line) - 1} {rest}"

    assert sorted(findings) == sorted(map(by_row, expected))
    for name in SCHEMA.names:
        for value in ({text_of(row[name]) for row in rows} | {"x", ""}) - {"nan"}:
            assert [row.line + 1 for row in stored.rows("runs", **{name: value})] == [row.line for row in written.rows("runs", **{name: value})]


MEASURED = """
import json, resource, sys
from pathlib import Path
import pyarrow, pyarrow.parquet, pandas
from ledgermark.descriptor import read_descriptor
from ledgermark.ledger import load_ledger
from ledgermark.parquet import StoredFile

def peak_mib():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10

path, descriptor = Path(sys.argv[1]), sys.argv[2]
datasets, _ = read_descriptor("datapackage.json", descriptor.encode())
before = peak_mib()
ledger, findings = load_ledger(datasets, {"runs.parquet": StoredFile(path)})
rows = datasets[0].rows
lines = [ledger.one("runs", run=run).line for run in (0, rows // 2, rows - 1)]
print(json.dumps({"findings": len(findings), "lines": lines, "more_mib": peak_mib() - before}))
"""


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """A million rows; LEDGERMARK_ROWS=10000000 by hand: ten million take 80 MB of hashes and as much again while they are sorted."""
    rows = int(os.environ.get("LEDGERMARK_ROWS", "1000000"))
    schema = pa.schema([("arm", pa.string()), ("run", pa.int64()), *((f"rate{number}", pa.float64()) for number in range(6))])
    path = tmp_path / "runs.parquet"
    step = 100_000
    with pq.ParquetWriter(path, schema) as writer:
        for start in range(0, rows, step):
            runs = pa.array(range(start, min(start + step, rows)))
            rate = pa.compute.divide(runs.cast(pa.float64()), 7.0)
            columns = [pa.array(["base"]).take(pa.array([0] * len(runs))), runs, *(pa.compute.add(rate, float(number)) for number in range(6))]
            writer.write_table(pa.Table.from_arrays(columns, schema=schema), row_group_size=step)
    fields: list[dict[str, Any]] = [{"name": "arm", "type": "string"}, {"name": "run", "type": "integer", "unit": "1"}]
    fields += [{"name": f"rate{number}", "type": "number", "unit": "tok/s", "constraints": {"minimum": 0}} for number in range(6)]
    described = {
        "name": "runs",
        "path": "runs.parquet",
        "evidence": "raw",
        "rows": rows,
        "schema": {"primaryKey": ["arm", "run"], "fields": fields},
    }
    command = [sys.executable, "-c", MEASURED, str(path), json.dumps({"resources": [described]})]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert (answer["findings"], answer["lines"]) == (0, [1, rows // 2 + 1, rows])
    # Whole, the columns alone would be 56 bytes a row in memory, as texts ten times that.
    assert answer["more_mib"] < 120 + rows * 24 / 2**20


def test_a_project_with_parquet(tiny: Copy) -> None:
    rows = list(csv.DictReader(io.StringIO(tiny.read("data/ladder.csv"))))
    described = json.loads(tiny.read("data/datapackage.json"))
    dataset = next(item for item in described["resources"] if item["path"] == "ladder.csv")
    dataset["path"] = "ladder.parquet"
    kinds: dict[str, tuple[pa.DataType, Callable[[str], object]]] = {
        "integer": (pa.int64(), int),
        "number": (pa.float64(), float),
        "date": (pa.date32(), date.fromisoformat),
        "string": (pa.string(), str),
    }
    columns = {field["name"]: kinds[field.get("type", "string")] for field in dataset["schema"]["fields"]}
    schema = pa.schema([(name, kind) for name, (kind, _) in columns.items()])
    table = pa.Table.from_pylist([{name: convert(row[name]) for name, (_, convert) in columns.items()} for row in rows], schema=schema)
    pq.write_table(table, tiny.root / "data/ladder.parquet")
    tiny.remove("data/ladder.csv")
    tiny.write("data/datapackage.json", json.dumps(described))
    assert tiny.check() == (0, ["ledgermark: no findings (claims: 17 en, 17 zh)"])
    before = tiny.run("explain", "slowdown")
    assert before[0] == 0
    pq.write_table(table, tiny.root / "data/stray.parquet")
    status, lines = tiny.check()
    assert (status, lines[0]) == (1, "data/stray.parquet:1:1: LM506 the file is not in data/datapackage.json; describe it there")


def test_without_pyarrow_it_says_what_is_missing(tiny: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    tiny.edit("data/datapackage.json", '"ladder.csv"', '"ladder.parquet"')
    tiny.write("data/ladder.parquet", b"PAR1")
    status, lines = tiny.check()
    assert status == 2
    assert lines[-1] == "Error: ladder.parquet is Parquet, which needs pyarrow; install it with: pip install 'ledgermark[parquet]'"
