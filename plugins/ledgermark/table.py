"""One file of the ledger: its rows, read strictly, each with the line it stands on."""

from __future__ import annotations

import bisect
import csv
import io
import re
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, Protocol

from ledgermark.blanks import unclean
from ledgermark.canonical import CANONICAL, canonical
from ledgermark.findings import Finding, nearest
from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pandas as pd

    from ledgermark.descriptor import Column, Dataset

# Texts of a type that need no closer look where their spelling does not matter.
_SHORT: Final = {"integer": re.compile(r"-?[0-9]{1,99}"), "number": re.compile(r"-?[0-9]{1,50}(?:\.[0-9]{1,50})?")}
_BLOCK: Final = 4096  # cells of a column that are judged together, each different one once: most columns repeat a few
MANY: Final = 20  # findings of a kind in one file after which the rest is counted, not listed
LONGEST_CELL: Final = 131_072  # characters, as the csv module of Python has it


class Stored(Protocol):
    """Rows that stay in their file."""

    def find(self, wanted: Mapping[str, tuple[str, ...]]) -> list[int]:
        """Return the positions of the rows that have, in each of some columns, one of some canonical values; in order."""

    def values(self, name: str, most: int) -> set[str]:
        """Return the different values of a column in canonical spelling, or none when there are more than that many."""


@dataclass(frozen=True)
class Table:
    """The rows of a dataset: texts as written, in file order, and the line of each (1-based; the header is line 1).

    Selectors ask for single cells, so columns are sequences; `frame` is the same as pandas holds it, made when first asked for. Of a Parquet
    file, which `stored` is, cells are read when they are asked for, and its rows' numbers stand for lines.
    """

    dataset: Dataset
    columns: Mapping[str, Sequence[str]]
    lines: Sequence[int]
    stored: Stored | None = field(default=None, repr=False, compare=False)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The table as a pandas data frame of texts."""
        import pandas as pd  # noqa: PLC0415  (half a second that a check should not pay)

        return pd.DataFrame({name: list(cells) for name, cells in self.columns.items()}, dtype=object)

    def row(self, position: int) -> dict[str, str]:
        """Return a row as column name to text."""
        return {name: cells[position] for name, cells in self.columns.items()}

    def position(self, line: int) -> int:
        """Return which row begins on a line of the file."""
        return bisect.bisect_left(self.lines, line)


def read_table(dataset: Dataset, path: str, data: bytes) -> tuple[Table | None, list[Finding]]:
    """Return the table in a CSV file, or None when it cannot be used, and what is wrong with it.

    Args:
        dataset: what the descriptor says of it.
        path: the file's path, for findings.
        data: its bytes.
    """
    if not data.removeprefix(b"\xef\xbb\xbf").strip():
        return None, [Finding(path, 1, 1, "LM501", Message("the file is empty; expected a header and rows"))]
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return None, [
            Finding(path, line, 1, "LM501", Message("not UTF-8 (byte 0x{byte}); save the file as UTF-8", byte=f"{data[error.start]:02x}"))
        ]
    if "\0" in text:
        return None, [Finding(path, text.count("\n", 0, text.index("\0")) + 1, 1, "LM501", Message("holds a NUL byte; expected text"))]
    findings: list[Finding] = []
    rows, lines = _split(path, text, findings)
    if findings and not rows:
        return None, findings
    header, rows, lines = rows[0], rows[1:], lines[1:]
    check_header(dataset, path, header, findings)
    ragged = [(row, line) for row, line in zip(rows, lines, strict=True) if len(row) != len(header)]
    findings += [
        Finding(path, line, 1, "LM502", Message("{count} cells, expected {expected} as in the header", count=len(row), expected=len(header)))
        for row, line in ragged[:MANY]
    ]
    if dataset.rows is not None and len(rows) != dataset.rows:
        findings.append(Finding(path, 1, 1, "LM507", Message("{count} rows, the descriptor says {rows}", count=len(rows), rows=dataset.rows)))
    if any(finding.code in ("LM502", "LM506") for finding in findings):
        return None, findings
    columns = {name: list(map(itemgetter(place), rows)) for place, name in enumerate(header)}
    keys: dict[str, list[str]] = {}
    for column in dataset.columns:
        problems, spelled = _check_column(dataset, column, path, columns[column.name], lines)
        findings += problems[:MANY]
        if column.name in dataset.key:
            keys[column.name] = spelled
    findings += _check_key(dataset, path, keys, lines)[:MANY]
    return Table(dataset, columns, tuple(lines)), findings


def _split(path: str, text: str, findings: list[Finding]) -> tuple[list[list[str]], list[int]]:
    """Return the records and the line each begins on."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[list[str]] = []
    lines: list[int] = []
    line = 1
    # The limit of Python's csv belongs to the process, and other libraries lift it: what is right must not hang on who was imported.
    lifted = csv.field_size_limit() > LONGEST_CELL
    try:
        for row in reader:
            if lifted and max(map(len, row), default=0) > LONGEST_CELL:
                raise csv.Error(f"field larger than field limit ({LONGEST_CELL})")  # noqa: TRY301 - what csv itself would have said
            if row:
                rows.append(row)
                lines.append(line)
            line = reader.line_num + 1
    except csv.Error as error:
        findings.append(Finding(path, line, 1, "LM501", Message("not CSV: {error}", error=error)))
        return [], []
    return rows, lines


def check_header(dataset: Dataset, path: str, header: list[str], findings: list[Finding]) -> None:
    """Add what is wrong with the names of a file's columns."""
    known = [column.name for column in dataset.columns]
    for name in header:
        if name not in known:
            findings.append(
                Finding(path, 1, 1, "LM506", Message("column '{name}' is not in the descriptor{hint}", name=name, hint=nearest(name, known)))
            )
        elif header.count(name) > 1:
            findings.append(Finding(path, 1, 1, "LM506", Message("column '{name}' stands {count} times", name=name, count=header.count(name))))
            break
    findings += [
        Finding(path, 1, 1, "LM506", Message("column '{name}' of the descriptor is missing{hint}", name=name, hint=nearest(name, header)))
        for name in known
        if name not in header
    ]


def _check_column(dataset: Dataset, column: Column, path: str, cells: list[str], lines: list[int]) -> tuple[list[Finding], list[str]]:
    """Return what is wrong with the cells of a column and, of one of the key, their canonical spellings (as written where they have none)."""
    findings: list[Finding] = []
    spelled: list[str] = []
    unique = bool(column.constraints.get("unique"))
    of_key = column.name in dataset.key
    required = bool(column.constraints.get("required")) or of_key
    breaks = rules_of(column)
    seen: dict[str, int] = {}
    for start in range(0, len(cells), _BLOCK):
        block = cells[start : start + _BLOCK]
        different = set(block)
        if (
            not unique
            and different.isdisjoint(dataset.missing)
            and _plainly_right(column, different, CANONICAL if of_key else _SHORT, of_key=of_key)
        ):
            spelled += block if of_key else ()
            continue
        answers = {cell: judge_cell(dataset, column, cell, breaks, required=required) for cell in different}
        spelled += [answers[cell][0] for cell in block] if of_key else ()
        if not unique and not any(problem for _, _, problem in answers.values()):
            continue
        for cell, line in zip(block, lines[start : start + _BLOCK], strict=True):
            value, code, problem = answers[cell]
            if problem:
                findings.append(Finding(path, line, 1, code, problem))
            if unique and code != "LM504" and cell not in dataset.missing:
                if value in seen:
                    message = Message(
                        "{name} is '{cell}', as in line {line}; expected each value once", name=column.name, cell=cell, line=seen[value]
                    )
                    findings.append(Finding(path, line, 1, "LM505", message))
                seen.setdefault(value, line)
    return findings, spelled


def _plainly_right(column: Column, cells: set[str], spellings_of: Mapping[str, re.Pattern[str]], *, of_key: bool) -> bool:
    """Return whether cells are texts without rules, or numbers in a plain spelling and within their limits: what is quickly seen of a block."""
    rules = {name: rule for name, rule in column.constraints.items() if name not in ("required", "unique")}
    if column.type not in spellings_of or not rules.keys() <= {"minimum", "maximum"}:
        return column.type == "string" and not rules and not (of_key and any(map(unclean, cells)))
    if not all(map(spellings_of[column.type].fullmatch, cells)):
        return False
    low, high = (Decimal(str(rules[rule])) if rule in rules else None for rule in ("minimum", "maximum"))
    return (low is None or low <= min(map(Decimal, cells))) and (high is None or max(map(Decimal, cells)) <= high)


def judge_cell(dataset: Dataset, column: Column, cell: str, breaks: Callable[[str], str], *, required: bool) -> tuple[str, str, str]:
    """Return a cell's canonical spelling, and code and message of what is wrong with it, if anything is."""
    if cell in dataset.missing:
        return cell, "LM505", Message("{name} is empty and is required", name=column.name) if required else ""
    try:
        value = canonical(column, cell)
    except (ValueError, InvalidOperation):
        message = Message("{name} is '{cell}', expected {kind}", name=column.name, cell=cell, kind=_TYPE_WORDS[column.type])
        return (cell, "LM504", message)
    broken = breaks(value) or (unclean(value) if column.type == "string" and column.name in dataset.key else "")
    return value, "LM505", Message("{name} is '{cell}', {broken}", name=column.name, cell=cell, broken=broken) if broken else ""


_TYPE_WORDS: Final = {
    "string": Message("a text"),
    "integer": Message("a whole number"),
    "number": Message("a number"),
    "boolean": Message("true or false"),
    "date": Message("a date such as 2026-08-29"),
}


def rules_of(column: Column) -> Callable[[str], str]:
    """Return a function that says in words which constraint a canonical cell breaks, or an empty text."""
    rules = column.constraints
    read: Callable[[str], Any] = Decimal if column.type in ("integer", "number") else str
    low, high = (read(str(rules[rule])) if rule in rules else None for rule in ("minimum", "maximum"))
    allowed = [str(item).lower() if isinstance(item, bool) else str(item) for item in rules["enum"]] if "enum" in rules else None
    pattern = re.compile(str(rules["pattern"])) if "pattern" in rules else None

    def breaks(value: str) -> str:
        if low is not None and read(value) < low:
            return Message("expected at least {limit}", limit=rules["minimum"])
        if high is not None and read(value) > high:
            return Message("expected at most {limit}", limit=rules["maximum"])
        if allowed is not None and value not in allowed:
            return Message("expected one of {names}", names=", ".join(str(item) for item in rules["enum"]))
        return (
            Message("expected the pattern {pattern}", pattern=rules["pattern"]) if pattern is not None and not pattern.fullmatch(value) else ""
        )

    return breaks


def _check_key(dataset: Dataset, path: str, keys: dict[str, list[str]], lines: list[int]) -> list[Finding]:
    seen: dict[tuple[str, ...], int] = {}
    findings: list[Finding] = []
    for key, line in zip(zip(*(keys[name] for name in dataset.key), strict=True), lines, strict=True) if dataset.key else ():
        first = seen.setdefault(key, line)
        if first != line:
            names = ", ".join(f"{name}={value}" for name, value in zip(dataset.key, key, strict=True))
            findings.append(Finding(path, line, 1, "LM503", Message("same key as line {line}: {names}", line=first, names=names)))
    return findings
