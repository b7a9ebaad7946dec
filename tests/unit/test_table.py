"""A data file is read strictly: what is wrong with it is a finding with its line, never an error."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledgermark.canonical import canonical, plain
from ledgermark.descriptor import Column, Dataset
from ledgermark.table import read_table
from ledgermark.units import parse_unit

TOK = parse_unit("tok")
COLUMNS = (
    Column("arm", "string", constraints={"enum": ["base", "fast", 'say, "hi"']}),
    Column("context", "integer", TOK, constraints={"minimum": 1, "maximum": 65536}),
    Column("rate", "number", parse_unit("tok/s"), constraints={"required": True}),
    Column("date", "date", constraints={"minimum": "2026-01-01", "maximum": "2026-12-31"}),
    Column("ok", "boolean", constraints={"enum": [True]}),
    Column("note", "string", constraints={"unique": True, "pattern": "[a-z]+"}),
)
DATASET = Dataset("runs", "runs.csv", COLUMNS, ("arm", "context"), "raw", rows=None)
HEADER = "arm,context,rate,date,ok,note"
ROW = "base,1024,40.0,2026-08-01,true,a"


def read(text: str | bytes) -> list[tuple[int, str, str]]:
    data = text if isinstance(text, bytes) else text.encode()
    _, findings = read_table(DATASET, "runs.csv", data)
    return [(finding.line, finding.code, finding.message) for finding in findings]


FILES: list[tuple[str | bytes, list[tuple[int, str, str]]]] = [
    # whole files
    (b"", [(1, "LM501", "the file is empty; expected a header and rows")]),
    (b" \n\r\n", [(1, "LM501", "the file is empty; expected a header and rows")]),
    (b"\xef\xbb\xbf", [(1, "LM501", "the file is empty; expected a header and rows")]),
    (b"\xef\xbb\xbf\n\n", [(1, "LM501", "the file is empty; expected a header and rows")]),
    (f"{HEADER}\n{ROW}\n".encode("utf-16"), [(1, "LM501", "not UTF-8 (byte 0xff); save the file as UTF-8")]),
    (f"{HEADER}\n{ROW}\n".encode() + b"base,8,1,2026-08-01,true,\xe9\n", [(3, "LM501", "not UTF-8 (byte 0xe9); save the file as UTF-8")]),
    (f"{HEADER}\n{ROW}\nbase,\0,", [(3, "LM501", "holds a NUL byte; expected text")]),
    (f'{HEADER}\n{ROW}\nbase,"8', [(3, "LM501", "not CSV: unexpected end of data")]),
    (f'{HEADER}\n{ROW}\n"base"x,8,1,2026-08-01,true,b\n', [(3, "LM501", "not CSV: ',' expected after '\"'")]),
    # columns
    ("arm,contxt,rate,date,ok,note\n", [
        (1, "LM506", "column 'contxt' is not in the descriptor; did you mean 'context'?"),
        (1, "LM506", "column 'context' of the descriptor is missing; did you mean 'contxt'?"),
    ]),
    (f"{HEADER},arm\n", [(1, "LM506", "column 'arm' stands 2 times")]),
    # rows
    (f"{HEADER}\n", []),
    (f"{HEADER}\n{ROW}\n", []),
    (f"{HEADER}\n{ROW}", []),
    (f"\ufeff{HEADER}\r\n{ROW}\r\n", []),
    (f"{HEADER}\n\n{ROW}\n\n", []),
    ("note,ok,date,rate,context,arm\na,True,2026-08-01,4e1,+1024,base\n", []),
    (f"{HEADER}\nbase,1024\n{ROW},x\n", [(line, "LM502", f"{count} cells, expected 6 as in the header") for line, count in ((2, 2), (3, 7))]),
    (f'{HEADER}\n"say, ""hi""",1024,40.0,2026-08-01,true,a\nfast,\n', [(3, "LM502", "2 cells, expected 6 as in the header")]),
    # types
    (f"{HEADER}\nbase,1024.0,40.0,2026-08-01,true,a\n", [(2, "LM504", "context is '1024.0', expected a whole number")]),
    (f"{HEADER}\nbase,１０２４,40.0,2026-08-01,true,a\n", [(2, "LM504", "context is '１０２４', expected a whole number")]),
    (f"{HEADER}\nbase,1_024,40.0,2026-08-01,true,a\n", [(2, "LM504", "context is '1_024', expected a whole number")]),
    (f"{HEADER}\nbase, 1024,40.0,2026-08-01,true,a\n", [(2, "LM504", "context is ' 1024', expected a whole number")]),
    (f"{HEADER}\nbase,1024,NaN,2026-08-01,true,a\n", [(2, "LM504", "rate is 'NaN', expected a number")]),
    (f"{HEADER}\nbase,1024,inf,2026-08-01,true,a\n", [(2, "LM504", "rate is 'inf', expected a number")]),
    (f'{HEADER}\nbase,1024,"1,000",2026-08-01,true,a\n', [(2, "LM504", "rate is '1,000', expected a number")]),
    (f"{HEADER}\nbase,1024,.5,2026-08-01,true,a\n", [(2, "LM504", "rate is '.5', expected a number")]),
    (f"{HEADER}\nbase,1024,−5,2026-08-01,true,a\n", [(2, "LM504", "rate is '−5', expected a number")]),
    (f"{HEADER}\nbase,1024,40.0,1.8.2026,true,a\n", [(2, "LM504", "date is '1.8.2026', expected a date such as 2026-08-29")]),
    (f"{HEADER}\nbase,1024,40.0,2026-02-30,true,a\n", [(2, "LM504", "date is '2026-02-30', expected a date such as 2026-08-29")]),
    (f"{HEADER}\nbase,1024,40.0,2026-08-01,yes,a\n", [(2, "LM504", "ok is 'yes', expected true or false")]),
    # constraints
    (f"{HEADER}\nslow,1024,40.0,2026-08-01,true,a\n", [(2, "LM505", 'arm is \'slow\', expected one of base, fast, say, "hi"')]),
    (f"{HEADER}\nbase,0,40.0,2026-08-01,true,a\n", [(2, "LM505", "context is '0', expected at least 1")]),
    (f"{HEADER}\nbase,65537,40.0,2026-08-01,true,a\n", [(2, "LM505", "context is '65537', expected at most 65536")]),
    (f"{HEADER}\nbase,1024,,2026-08-01,true,a\n", [(2, "LM505", "rate is empty and is required")]),
    (f"{HEADER}\n,1024,40.0,2026-08-01,true,a\n", [(2, "LM505", "arm is empty and is required")]),
    (f"{HEADER}\nbase,1024,40.0,2025-12-31,true,a\n", [(2, "LM505", "date is '2025-12-31', expected at least 2026-01-01")]),
    (f"{HEADER}\nbase,1024,40.0,2027-01-01,true,a\n", [(2, "LM505", "date is '2027-01-01', expected at most 2026-12-31")]),
    (f"{HEADER}\nbase,1024,40.0,2026-12-31,false,a\n", [(2, "LM505", "ok is 'false', expected one of True")]),
    (f"{HEADER}\nbase,1024,40.0,,,\n", []),
    (f"{HEADER}\n{ROW}\nbase,2048,40.0,2026-08-01,true,a\n", [(3, "LM505", "note is 'a', as in line 2; expected each value once")]),
    (f"{HEADER}\nbase,1024,40.0,2026-08-01,true,A1\n", [(2, "LM505", "note is 'A1', expected the pattern [a-z]+")]),
    # keys
    (f"{HEADER}\n{ROW}\nbase,01024,41,2026-08-02,true,b\n", [(3, "LM503", "same key as line 2: arm=base, context=1024")]),
    (f'{HEADER}\n"base",1024,1,,,\nfast,1024,1,,,\nbase,1024,1,,,\n', [(4, "LM503", "same key as line 2: arm=base, context=1024")]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FILES)
def test_files(text: str | bytes, expected: list[tuple[int, str, str]]) -> None:
    assert read(text) == expected


def test_the_line_is_that_of_the_record_when_cells_hold_line_ends() -> None:
    text = f'{HEADER}\nbase,1024,1,,,\n"fast\n\nx",1024,1,,,\nbase,8,x,,,\n'
    assert [(line, code) for line, code, _ in read(text)] == [(3, "LM505"), (6, "LM504")]


def test_a_flood_of_findings_is_cut() -> None:
    text = HEADER + "\n" + "".join(f"base,{number},x,,,\n" for number in range(1, 101))
    assert len(read(text)) == 20
    assert len(read(HEADER + "\n" + "x\n" * 100)) == 20


def test_the_number_of_rows() -> None:
    counted = Dataset("runs", "runs.csv", COLUMNS, ("arm", "context"), "raw", rows=2)
    _, (finding,) = read_table(counted, "runs.csv", f"{HEADER}\n{ROW}\n".encode())
    assert (finding.code, finding.message) == ("LM507", "1 rows, the descriptor says 2")


@pytest.mark.parametrize(
    ("kind", "text", "spelled"),
    [
        ("number", "1.50", "1.5"),
        ("number", "1e3", "1000"),
        ("number", "-0.0", "0"),
        ("number", "100", "100"),
        ("integer", "0010", "10"),
        ("integer", "+7", "7"),
        ("boolean", "True", "true"),
        ("boolean", "0", "false"),
        ("date", "2026-08-01", "2026-08-01"),
        ("string", " x ", " x "),
    ],
)
def test_one_spelling_for_one_value(kind: str, text: str, spelled: str) -> None:
    assert canonical(Column("c", kind), text) == spelled


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**12), max_value=10**12, places=6))
def test_a_plain_number_is_the_same_number(number: Decimal) -> None:
    text = plain(number)
    assert Decimal(text) == number
    assert "e" not in text.lower()


def check_is_calm(data: bytes) -> None:
    """Assert that some bytes give a table or findings, each on a line that exists."""
    table, findings = read_table(DATASET, "runs.csv", data)
    lines = data.count(b"\n") + data.count(b"\r") + 1
    assert table is not None or findings
    assert all(1 <= finding.line <= lines for finding in findings)
    assert all(finding.code.startswith("LM50") for finding in findings)
    if table is not None:
        assert len(table.lines) == len(table.frame)


@given(st.binary(max_size=200))
@example(b"\xef\xbb\xbf")
def test_any_bytes(data: bytes) -> None:
    check_is_calm(data)


CELLS = st.sampled_from(
    [
        *("base", "fast", "1024", "1e999999", "1e99999999999999999999", "-0", "40.0", "9" * 5000, "2026-08-01", "2026-02-30", "true", ""),
        *('"', "'", "\n", "\r", "a,b", "=1+1", "&amp;", "<script>", "</script>", "\u202e", "\u2028", "\x1b[31m"),
    ]
)


@given(st.lists(st.lists(CELLS, min_size=5, max_size=7), max_size=6))
def test_any_cells(rows: list[list[str]]) -> None:
    out = io.StringIO()
    csv.writer(out).writerows([HEADER.split(","), *rows])
    check_is_calm(out.getvalue().encode())


@given(st.text(alphabet=f"{HEADER}\n\r\"', 0123456789.eE-+:;|\t\0\ufeff\u2028é", max_size=120))
def test_any_text_below_the_header(text: str) -> None:
    check_is_calm(f"{HEADER}\n{text}".encode())


@pytest.mark.parametrize("cell", ["1e999999", "1e-999999", "1e99999999", "1e99999999999999999999", "9" * 100_000])
@pytest.mark.parametrize("kind", ["number", "integer"])
def test_a_monstrous_number_takes_no_room(cell: str, kind: str) -> None:
    try:
        spelled = canonical(Column("c", kind), cell)
    except ValueError:
        return
    assert len(spelled) <= len(cell) + 1000
