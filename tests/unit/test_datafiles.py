"""The files that readers take away: the data as it is, and as Parquet with every digit, the same at each writing."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ledgermark.datafiles import data_files, forms_of
from ledgermark.descriptor import Column, Dataset
from ledgermark.parquet_write import parquet_bytes
from ledgermark.table import Table, read_table
from ledgermark.units import parse_unit

if TYPE_CHECKING:
    from ledgermark.check import Project
    from tests.copies import Copy

parquet = pytest.importorskip("pyarrow.parquet")
BASE = Path(__file__).resolve().parents[1] / "sites/base"


def written(kind: str, *cells: str, unit: str = "1") -> Any:
    """Return a column of some cells as it comes out of Parquet, as a pyarrow field and Python values."""
    column = Column("x", kind, parse_unit(unit) if kind in ("integer", "number") else None, "What \ud800 it is.")
    data = "at,x\n" + "".join(f'{at},"{cell}"\n' for at, cell in enumerate(cells))
    dataset = Dataset("d", "data/d.csv", (Column("at", "integer", parse_unit("1")), column), ("at",), "raw", title="T")
    table, findings = read_table(dataset, "data/d.csv", data.encode())
    assert isinstance(table, Table), findings
    content = parquet_bytes(table, "abc")
    assert parquet_bytes(table, "abc") == content
    read = parquet.read_table(io.BytesIO(content))
    return read.schema.field("x"), read.column("x").to_pylist(), read.schema.metadata


@pytest.mark.parametrize(
    ("kind", "cells", "stored", "values"),
    [
        ("integer", ["1", "-2", ""], "int64", [1, -2, None]),
        ("integer", ["9223372036854775808"], "string", ["9223372036854775808"]),
        ("number", ["40.00", "5.3e8", "", "-0.1"], "double", [40.0, 5.3e8, None, -0.1]),
        ("number", ["0.12345678901234567890123"], "decimal128(23, 23)", [Decimal("0.12345678901234567890123")]),
        ("number", ["1e90", "1.23456789012345678901"], "string", ["1" + "0" * 90, "1.23456789012345678901"]),
        ("boolean", ["true", "0", "False", ""], "bool", [True, False, False, None]),
        ("date", ["2026-08-01", ""], "date32[day]", [date(2026, 8, 1), None]),
        ("string", ["=1+1", "\u202ea<b>", ""], "string", ["=1+1", "\u202ea<b>", None]),
    ],
)
def test_every_digit_comes_back(kind: str, cells: list[str], stored: str, values: list[object]) -> None:
    field, found, _ = written(kind, *cells)
    assert (str(field.type), found) == (stored, values)


def test_columns_say_what_they_are() -> None:
    field, _, about = written("number", "1.5", unit="tok/s")
    assert field.metadata == {b"unit": b"tok/s", b"description": b"What \\ud800 it is."}
    assert about[b"source"] == b"data/d.csv sha256:abc"


def test_the_files_of_a_project(project: Project, tmp_path: Path) -> None:
    files, line = data_files(project, BASE, tmp_path)
    assert line == ""
    assert sorted(files) == [f"assets/data/{name}.{form}" for name in ("ladder", "trace") for form in ("csv", "parquet")]
    assert files["assets/data/trace.csv"] == BASE / "data/trace.csv"
    assert forms_of("trace", frozenset(files)) == ("csv", "parquet")
    made = files["assets/data/trace.parquet"]
    assert isinstance(made, Path)
    assert parquet.read_table(made).column("median_us").to_pylist() == [10.5, 158.0]
    before = made.stat().st_mtime_ns
    assert data_files(project, BASE, tmp_path)[0] == files
    assert made.stat().st_mtime_ns == before
    assert len(list(tmp_path.iterdir())) == 2


def test_a_cache_that_takes_no_files_is_no_fault(project: Project, tmp_path: Path) -> None:
    place = tmp_path / "file"
    place.write_text("", "utf-8")
    files, line = data_files(project, BASE, place)
    assert (line, isinstance(files["assets/data/trace.parquet"], bytes)) == ("", True)


def test_without_pyarrow_it_is_said_once(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    files, line = data_files(project, BASE, tmp_path)
    assert sorted(files) == ["assets/data/ladder.csv", "assets/data/trace.csv"]
    assert line.startswith("pyarrow is not installed")
    assert forms_of("trace", frozenset(files)) == ("csv",)


def test_no_pages_no_files(project: Project, tmp_path: Path) -> None:
    assert data_files(replace(project, settings=replace(project.settings, data_pages=False)), BASE, tmp_path) == ({}, "")


def test_the_build_says_it_too(tiny: Copy) -> None:
    blocker = tiny.root / "sitecustomize.py"
    blocker.write_text("import sys\nsys.modules['pyarrow'] = None\n", "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", f"{tiny.root}:{':'.join(filter(None, sys.path))}")
        done = tiny.build("mkdocs", "--strict")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("pyarrow is not installed") == 1
    page = (tiny.site / "en/data/trace/index.html").read_text("utf-8")
    assert "Download CSV" in page
    assert "Parquet" not in page
