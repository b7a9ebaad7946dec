"""One file of the ledger: its rows, read strictly, each with the line it stands on."""

from __future__ import annotations

import bisect
import csv
import io
import re
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import TYPE_CHECKING, Final

from ledgermark.findings import Finding, nearest

if TYPE_CHECKING:
    import pandas as pd

    from ledgermark.descriptor import Column, Dataset

_NUMBER: Final = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_BOOLEANS: Final = {"true": "true", "false": "false", "True": "true", "False": "false", "1": "true", "0": "false"}
_MAGNITUDE: Final = 100  # powers of ten; a cell beyond is no measurement and would fill the memory when written out
_MANY: Final = 20  # findings of a kind in one file after which the rest is counted, not listed


@dataclass(frozen=True)
class Table:
    """The rows of a dataset: texts as written, in file order, and the line of each (1-based; the header is line 1).

    Selectors ask for single cells, so columns are lists; `frame` is the same as pandas holds it, made when first asked for.
    """

    dataset: Dataset
    columns: dict[str, list[str]]
    lines: tuple[int, ...]

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The table as a pandas data frame of texts."""
        import pandas as pd  # noqa: PLC0415  (half a second that a check should not pay)

        return pd.DataFrame(self.columns, dtype=object)

    def row(self, position: int) -> dict[str, str]:
        """Return a row as column name to text."""
        return {name: cells[position] for name, cells in self.columns.items()}

    def position(self, line: int) -> int:
        """Return which row begins on a line of the file."""
        return bisect.bisect_left(self.lines, line)


def canonical(column: Column, text: str) -> str:
    """Return the one spelling of a cell by which keys are compared: `1.50` and `1.5` are one number. Raises ValueError for a wrong type."""
    match column.type:
        case "integer" if _INTEGER.fullmatch(text):
            return str(int(text))
        case "number" if _NUMBER.fullmatch(text) and abs(_adjusted(text)) <= _MAGNITUDE:
            return plain(Decimal(text))
        case "boolean" if text in _BOOLEANS:
            return _BOOLEANS[text]
        case "date" if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
            return date.fromisoformat(text).isoformat()
        case "string":
            return text
    msg = f"'{text}' is no {column.type}"
    raise ValueError(msg)


def _adjusted(text: str) -> int:
    """Return the power of ten of a number's first digit; a huge one for a number Decimal cannot hold."""
    try:
        return Decimal(text).adjusted()
    except InvalidOperation:
        return _MAGNITUDE + 1


def plain(number: Decimal) -> str:
    """Return a number without exponent and without trailing zeros."""
    text = format(number or abs(number), "f")
    return (text.rstrip("0").rstrip(".") if "." in text else text) or "0"


def read_table(dataset: Dataset, path: str, data: bytes) -> tuple[Table | None, list[Finding]]:
    """Return the table in a CSV file, or None when it cannot be used, and what is wrong with it.

    Args:
        dataset: what the descriptor says of it.
        path: the file's path, for findings.
        data: its bytes.
    """
    if not data.removeprefix(b"\xef\xbb\xbf").strip():
        return None, [Finding(path, 1, 1, "LM501", "the file is empty; expected a header and rows")]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return None, [Finding(path, line, 1, "LM501", f"not UTF-8 (byte 0x{data[error.start]:02x}); save the file as UTF-8")]
    if "\0" in text:
        return None, [Finding(path, text.count("\n", 0, text.index("\0")) + 1, 1, "LM501", "holds a NUL byte; expected text")]
    findings: list[Finding] = []
    rows, lines = _split(path, text, findings)
    if findings and not rows:
        return None, findings
    header, rows, lines = rows[0], rows[1:], lines[1:]
    _check_header(dataset, path, header, findings)
    ragged = [(row, line) for row, line in zip(rows, lines, strict=True) if len(row) != len(header)]
    findings += [Finding(path, line, 1, "LM502", f"{len(row)} cells, expected {len(header)} as in the header") for row, line in ragged[:_MANY]]
    if dataset.rows is not None and len(rows) != dataset.rows:
        findings.append(Finding(path, 1, 1, "LM507", f"{len(rows)} rows, the descriptor says {dataset.rows}"))
    if any(finding.code in ("LM502", "LM506") for finding in findings):
        return None, findings
    for column in dataset.columns:
        findings += _check_column(dataset, column, path, [row[header.index(column.name)] for row in rows], lines)[:_MANY]
    findings += _check_key(dataset, path, header, rows, lines)[:_MANY]
    columns = {name: [row[place] for row in rows] for place, name in enumerate(header)}
    return Table(dataset, columns, tuple(lines)), findings


def _split(path: str, text: str, findings: list[Finding]) -> tuple[list[list[str]], list[int]]:
    """Return the records and the line each begins on."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    line = 1
    try:
        for row in reader:
            if row:
                rows.append(row)
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        findings.append(Finding(path, line, 1, "LM501", f"not CSV: {error}"))
        return [], []
    return rows, lines


def _check_header(dataset: Dataset, path: str, header: list[str], findings: list[Finding]) -> None:
    known = [column.name for column in dataset.columns]
    for name in header:
        if name not in known:
            findings.append(Finding(path, 1, 1, "LM506", f"column '{name}' is not in the descriptor{nearest(name, known)}"))
        elif header.count(name) > 1:
            findings.append(Finding(path, 1, 1, "LM506", f"column '{name}' stands {header.count(name)} times"))
            break
    findings += [
        Finding(path, 1, 1, "LM506", f"column '{name}' of the descriptor is missing{nearest(name, header)}")
        for name in known
        if name not in header
    ]


def _check_column(dataset: Dataset, column: Column, path: str, cells: list[str], lines: list[int]) -> list[Finding]:
    findings: list[Finding] = []
    rules = column.constraints
    seen: dict[str, int] = {}
    for cell, line in zip(cells, lines, strict=True):
        if cell in dataset.missing:
            if rules.get("required") or column.name in dataset.key:
                findings.append(Finding(path, line, 1, "LM505", f"{column.name} is empty and is required"))
            continue
        try:
            value = canonical(column, cell)
        except (ValueError, InvalidOperation):
            findings.append(Finding(path, line, 1, "LM504", f"{column.name} is '{cell}', expected {_TYPE_WORDS[column.type]}"))
            continue
        broken = _broken(column, value)
        if broken:
            findings.append(Finding(path, line, 1, "LM505", f"{column.name} is '{cell}', {broken}"))
        if rules.get("unique") and value in seen:
            findings.append(Finding(path, line, 1, "LM505", f"{column.name} is '{cell}', as in line {seen[value]}; expected each value once"))
        seen.setdefault(value, line)
    return findings


_TYPE_WORDS: Final = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "date": "a date such as 2026-08-29",
}


def _broken(column: Column, value: str) -> str:
    """Return the constraint that a canonical cell breaks, in words, or an empty text."""
    rules = column.constraints
    numeric = column.type in ("integer", "number")
    for rule, sign, words in (("minimum", 1, "at least"), ("maximum", -1, "at most")):
        if rule in rules and (
            (Decimal(value) - Decimal(str(rules[rule]))) * sign < 0
            if numeric
            else (value < str(rules[rule])) == (sign > 0) and value != str(rules[rule])
        ):
            return f"expected {words} {rules[rule]}"
    if "enum" in rules and value not in [str(item).lower() if isinstance(item, bool) else str(item) for item in rules["enum"]]:
        return f"expected one of {', '.join(str(item) for item in rules['enum'])}"
    if "pattern" in rules and not re.fullmatch(str(rules["pattern"]), value):
        return f"expected the pattern {rules['pattern']}"
    return ""


def _check_key(dataset: Dataset, path: str, header: list[str], rows: list[list[str]], lines: list[int]) -> list[Finding]:
    places = [(header.index(name), dataset.column(name)) for name in dataset.key]
    seen: dict[tuple[str, ...], int] = {}
    findings: list[Finding] = []
    for row, line in zip(rows, lines, strict=True):
        key = tuple(_lenient(column, row[place]) for place, column in places if column)
        if key in seen:
            names = ", ".join(f"{name}={value}" for name, value in zip(dataset.key, key, strict=True))
            findings.append(Finding(path, line, 1, "LM503", f"same key as line {seen[key]}: {names}"))
        seen.setdefault(key, line)
    return findings


def _lenient(column: Column, text: str) -> str:
    try:
        return canonical(column, text)
    except (ValueError, InvalidOperation):
        return text
