"""The ledger hands out exactly the rows asked for, and each value knows its cell."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ledgermark import Ledger, LedgerError, UnitError, count
from ledgermark.descriptor import Column, Dataset
from ledgermark.ledger import load_ledger
from ledgermark.quantity import Cell
from ledgermark.units import parse_unit

COLUMNS = (
    Column("arm", "string"),
    Column("context", "integer", parse_unit("tok")),
    Column("share", "number", parse_unit("1")),
    Column("rate", "number", parse_unit("tok/s")),
    Column("date", "date"),
    Column("ok", "boolean"),
    Column("dataset", "string"),
)
RUNS = Dataset("runs", "data/runs.csv", COLUMNS, ("arm", "context"), "raw")
OTHER = Dataset("other", "data/other.csv", (Column("a", "string"),), ("a",), "raw")
TEXT = """arm,context,share,rate,date,ok,dataset
base,1024,0.50,40.0,2026-08-01,true,x
base,32768,0.5,20,2026-08-01,False,y

fast,1024,1e-1,50.5,2026-08-26,1,x
fast,32768,0.25,,,,
"""


@pytest.fixture(name="ledger")
def made_ledger() -> Ledger:
    ledger, findings = load_ledger([RUNS, OTHER], {"data/runs.csv": TEXT.encode(), "data/other.csv": "the file does not exist"})
    assert [(finding.path, finding.code) for finding in findings] == [("data/other.csv", "LM501")]
    return ledger


@pytest.mark.parametrize(
    ("keys", "lines"),
    [
        ({}, [2, 3, 5, 6]),
        ({"arm": "base"}, [2, 3]),
        ({"context": 1024}, [2, 5]),
        ({"context": "1024"}, [2, 5]),
        ({"context": "01024"}, [2, 5]),
        ({"context": Decimal(1024)}, [2, 5]),
        ({"context": (32768, 1024), "arm": ("fast",)}, [5, 6]),
        ({"share": "0.5"}, [2, 3]),
        ({"share": Decimal("0.50")}, [2, 3]),
        ({"share": "0.1"}, [5]),
        ({"ok": True}, [2, 5]),
        ({"ok": "true"}, [2, 5]),
        ({"ok": False}, [3]),
        ({"date": "2026-08-26"}, [5]),
        ({"date": ""}, [6]),
        ({"arm": ()}, []),
        ({"arm": "slow"}, []),
        ({"context": "many"}, []),
        ({"context": "1e99999999999999999999"}, []),
        ({"share": "1e99999999999999999999"}, []),
        ({"arm": "base", "context": 1024, "date": "2026-08-01"}, [2]),
    ],
)
def test_rows(ledger: Ledger, keys: dict[str, str], lines: list[int]) -> None:
    assert [row.line for row in ledger.rows("runs", **keys)] == lines


def test_one(ledger: Ledger) -> None:
    row = ledger.one("runs", arm="fast", context=1024)
    rate = row["rate"]
    assert (rate.value, rate.unit.symbol) == (Decimal("50.5"), "tok/s")
    assert rate.evidence == {Cell("runs", 5, "rate")}
    assert row.text("share") == "1e-1"
    assert row["share"].value == Decimal("0.1")
    assert row["ok"].value == 1
    assert row.cell == Cell("runs", 5, "")


def test_dates_differ_in_days(ledger: Ledger) -> None:
    later, earlier = ledger.one("runs", arm="fast", context=1024)["date"], ledger.one("runs", arm="base", context=1024)["date"]
    assert (later - earlier).value == 25
    assert (later - earlier).unit.symbol == "day"


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"arm": "base"}, r"2 rows of runs match arm=base, expected 1 \(lines 2, 3\)"),
        ({}, r"4 rows of runs match no keys, expected 1 \(lines 2, 3, 5, 6\)"),
        (
            {"arm": "bse", "context": 1024},
            "0 rows of runs match arm=bse, context=1024, expected 1; arm is one of base, fast; did you mean 'base'?",
        ),
        ({"arm": "base", "context": 8}, "0 rows of runs match arm=base, context=8, expected 1; context is one of 1024, 32768"),
        ({"arm": "base", "date": "2026-08-26"}, "0 rows of runs match arm=base, date=2026-08-26, expected 1$"),
    ],
)
def test_not_one(ledger: Ledger, keys: dict[str, str], message: str) -> None:
    with pytest.raises(LedgerError, match=message.replace("?", r"\?")) as caught:
        ledger.one("runs", **keys)
    assert not caught.value.missing
    assert not caught.value.unusable


@pytest.mark.parametrize(
    ("select", "message"),
    [
        (lambda ledger: ledger.rows("rusn"), "no dataset 'rusn'; did you mean 'runs'?"),
        (lambda ledger: ledger.one("runs", amr="base"), "no column 'amr' in runs; did you mean 'arm'?"),
        (lambda ledger: ledger.rows("runs")[0]["rat"], "no column 'rat' in runs; did you mean 'rate'?"),
        (lambda ledger: ledger.rows("runs")[0].text("rat"), "no column 'rat' in runs; did you mean 'rate'?"),
    ],
)
def test_names_that_do_not_exist(ledger: Ledger, select, message: str) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001  (a lambda)
    with pytest.raises(LedgerError) as caught:
        select(ledger)
    assert str(caught.value) == message
    assert caught.value.missing


def test_a_file_that_could_not_be_read_is_not_asked_twice(ledger: Ledger) -> None:
    with pytest.raises(LedgerError) as caught:
        ledger.rows("other")
    assert caught.value.unusable


def test_cells_that_are_no_numbers(ledger: Ledger) -> None:
    with pytest.raises(LedgerError, match=r"data/runs.csv:6 has no rate"):
        _ = ledger.rows("runs")[3]["rate"]
    with pytest.raises(LedgerError, match=r"runs.arm is text: use row.text\('arm'\)"):
        _ = ledger.rows("runs")[0]["arm"]


def test_columns_named_like_a_parameter_of_python(ledger: Ledger) -> None:
    keys = {"dataset": "x"}
    assert [row.line for row in ledger.rows("runs", **keys)] == [2, 5]


@pytest.mark.parametrize(("cell", "column"), [("fast", "rate"), ("1K", "context"), ("2026-02-30", "date"), ("maybe", "ok")])
def test_a_cell_of_the_wrong_type_is_a_finding_already(cell: str, column: str) -> None:
    cells = {"arm": "a", "context": "1", "share": "1", "rate": "1", "date": "2026-08-01", "ok": "1", "dataset": ""} | {column: cell}
    text = f"{','.join(cells)}\n{','.join(cells.values())}\n"
    ledger, findings = load_ledger([RUNS], {"data/runs.csv": text.encode()})
    assert [finding.code for finding in findings] == ["LM504"]
    with pytest.raises(LedgerError) as caught:
        _ = ledger.rows("runs")[0][column]
    assert caught.value.unusable


def test_counting(ledger: Ledger) -> None:
    counted = count(ledger.rows("runs", arm="base"), "row")
    assert (counted.value, counted.unit.symbol) == (Decimal(2), "row")
    assert counted.evidence == {Cell("runs", 2, ""), Cell("runs", 3, "")}
    assert count([]).value == 0
    with pytest.raises(UnitError):
        counted + ledger.rows("runs")[0]["context"]


def test_recording_notes_what_was_read(ledger: Ledger) -> None:
    recording = ledger.recording()
    row = recording.one("runs", arm="fast", context=1024)
    assert recording.seen == set()
    row.text("arm")
    _ = row["rate"]
    assert recording.seen == {Cell("runs", 5, "arm"), Cell("runs", 5, "rate")}
    assert ledger.seen is None
