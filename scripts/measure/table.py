"""The columns of a result file, and the resource of a Data Package that describes them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

NUMERIC = ("integer", "number")
SIGNIFICANT = 6
"""Digits of a measured number in a row; more than any clock here resolves."""


@dataclass(frozen=True)
class Column:
    """One column.

    Attributes:
        name: Its head; a number carries its unit in it.
        description: One sentence for a reader.
        unit: Of a number, as the ledger writes units; empty for texts.
        type: ``string``, ``integer``, ``number``, ``boolean`` or ``date``.
        required: Whether each row has it.
        minimum: Smallest value, or None.
        enum: All values that it may have; empty for any.
    """

    name: str
    description: str
    unit: str = ""
    type: str = "string"
    required: bool = False
    minimum: float | None = None
    enum: tuple[str, ...] = ()

    def describe(self) -> dict[str, Any]:
        """Return the field as a Table Schema has it."""
        constraints: dict[str, Any] = {"required": True} if self.required else {}
        if self.minimum is not None:
            constraints["minimum"] = self.minimum
        if self.enum:
            constraints["enum"] = list(self.enum)
        described: dict[str, Any] = {"name": self.name, "type": self.type, "description": self.description}
        if self.type in NUMERIC:
            described["unit"] = self.unit
        return {**described, "constraints": constraints} if constraints else described


@dataclass(frozen=True)
class Table:
    """One kind of result file.

    Attributes:
        title: What the file holds, in a few words.
        row: What a row is; goes on "A row is".
        description: How it was measured, for a reader.
        columns: In the order of the file.
        key: Names of the columns that tell one row from another.
        instrument: Path of the script inside the repository.
        evidence: ``raw`` (each measurement is a row) or ``summary``.
        note: Of a summary: where its raw rows are.
    """

    title: str
    row: str
    description: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    instrument: str
    evidence: str = "raw"
    note: str = ""
    names: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", tuple(column.name for column in self.columns))
        if unknown := set(self.key) - set(self.names):
            raise ValueError(f"the key names columns that are not there: {', '.join(sorted(unknown))}")

    @property
    def texts(self) -> tuple[str, ...]:
        """What of it a reader sees, each once: the messages that a page in another language needs."""
        found = (self.title, self.row, self.description, self.note, *(column.description for column in self.columns))
        return tuple(dict.fromkeys(text for text in found if text))

    def key_of(self, row: Mapping[str, str]) -> tuple[str, ...]:
        """Return what tells a row from the others."""
        return tuple(row[name] for name in self.key)

    def spell(self, cells: Mapping[str, object]) -> dict[str, str]:
        """Return a whole row as texts; cells that are not given are empty.

        Raises:
            ValueError: A cell belongs to no column, or a required one is empty.
        """
        if unknown := set(cells) - set(self.names):
            raise ValueError(f"no such column: {', '.join(sorted(unknown))}")
        row = {column.name: write_cell(cells.get(column.name), column) for column in self.columns}
        required = {column.name for column in self.columns if column.required} | set(self.key)
        if missing := [name for name in self.names if name in required and not row[name]]:
            raise ValueError(f"a row needs {', '.join(missing)}")
        return row

    def resource(self, path: str, rows: int | None, *, instrument: bool) -> dict[str, Any]:
        """Return the resource that describes a file of this kind.

        Args:
            path: Name of the file, beside the descriptor.
            rows: Number of rows; None while they are still being measured.
            instrument: Whether the project that holds the file holds the script as well; the ledger checks that it does.
        """
        described: dict[str, Any] = {
            "name": resource_name(path),
            "path": path,
            "title": self.title,
            "row": self.row,
            "description": self.description,
            "evidence": self.evidence,
        }
        if self.note:
            described["evidence_note"] = self.note
        if instrument and self.evidence == "raw":
            described["instrument"] = self.instrument
        if rows is not None:
            described["rows"] = rows
        source = {"title": f"Measured with {self.instrument}", "path": self.instrument}
        return {
            **described,
            "format": "csv",
            "mediatype": "text/csv",
            "encoding": "utf-8",
            "sources": [{**source, "file": self.instrument} if instrument else source],
            "schema": {
                "fields": [column.describe() for column in self.columns],
                "primaryKey": list(self.key),
                "missingValues": [""],
            },
        }


def resource_name(path: str) -> str:
    """Return the name of a dataset in a file: lower-case letters, digits and low lines, a letter first."""
    stem = path.rpartition("/")[2].rpartition(".")[0] or path
    name = re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")
    return name if name[:1].isalpha() else f"rows_{name}".strip("_")


def write_cell(value: object, column: Column) -> str:
    """Return a value as the file has it: empty for None, one line for a text, `SIGNIFICANT` digits for a measured number."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return write_number(value) if column.type != "integer" else str(round(value))
    return " ".join("".join(character if character.isprintable() else " " for character in str(value)).split())


def write_number(value: float) -> str:
    """Return a number without exponent, in `SIGNIFICANT` digits, without zeros at the end.

    Raises:
        ValueError: It is not finite.
    """
    if value - value != 0:
        raise ValueError(f"not a finite number: {value}")
    if value == 0:
        return "0"
    exponent = int(f"{value:e}".partition("e")[2])
    text = f"{value:.{max(0, SIGNIFICANT - 1 - exponent)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
