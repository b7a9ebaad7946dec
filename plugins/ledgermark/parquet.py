"""A file of the ledger in Parquet: read by column and row group, never whole, behind the same selectors as a CSV.

A row is known by its number, the first being 1, where a CSV has lines. Cells come out as texts, like those of a CSV, in their canonical
spelling; a null is an empty text.
"""

from __future__ import annotations

import bisect
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, overload

from ledgermark.canonical import canonical
from ledgermark.findings import ConfigError
from ledgermark.messages import Message
from ledgermark.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from ledgermark.descriptor import Column, Dataset

_KEPT: Final = 8  # columns of one row group each that stay in memory: claims often ask for neighbours
_PIECE: Final = 1 << 20


@dataclass(frozen=True)
class StoredFile:
    """A Parquet file on disk: what a CSV's bytes are for a CSV."""

    path: Path

    def pieces(self) -> Iterator[bytes]:
        """Yield its bytes, piece by piece."""
        with self.path.open("rb") as file:
            while piece := file.read(_PIECE):
                yield piece

    @property
    def size(self) -> int:
        """Its length in bytes."""
        return self.path.stat().st_size

    def open(self) -> Any:
        """Return the file, opened by pyarrow.

        Raises:
            ConfigError: pyarrow is not installed.
            OSError, ValueError: it is no Parquet file.
        """
        try:
            from pyarrow import parquet  # noqa: PLC0415  (an extra, and a fifth of a second)
        except ImportError as error:
            msg = Message("{name} is Parquet, which needs pyarrow; install it with: pip install 'ledgermark[parquet]'", name=self.path.name)
            raise ConfigError(msg) from error
        return parquet.ParquetFile(self.path, pre_buffer=False)


@dataclass(frozen=True)
class RowGroups:
    """The rows of a Parquet file, read when they are asked for.

    Attributes:
        dataset: what the descriptor says of them.
        file: as pyarrow opened it.
    """

    dataset: Dataset
    file: Any
    _kept: OrderedDict[tuple[int, str], Any] = field(default_factory=OrderedDict, repr=False, compare=False)

    @property
    def table(self) -> Table:
        """The same as any table of the ledger."""
        columns = {column.name: _Cells(self, column) for column in self.dataset.columns}
        return Table(self.dataset, columns, range(1, self.starts[-1] + 1), self)

    def cell(self, column: Column, position: int) -> str:
        """Return a cell's text."""
        group = self._group_of(position)
        return text_of(self.part(group, column.name)[position - self.starts[group]].as_py())

    def find(self, wanted: Mapping[str, tuple[str, ...]]) -> list[int]:
        """Return the positions of the rows that have, in each of some columns, one of some canonical values; in order.

        Only these columns are read, and only in the row groups whose statistics do not rule the values out.
        """
        names = list(wanted)
        columns = [column for column in self.dataset.columns if column.name in wanted]
        targets = {column.name: typed(column, wanted[column.name]) for column in columns}
        found: list[int] = []
        for group in range(self.file.metadata.num_row_groups):
            if all(self._may_hold(group, name, targets[name]) for name in names):
                start = self.starts[group]
                found += [start + at for at in self._matching(group, columns, targets) if self._is(columns, wanted, start + at)]
        return found

    def values(self, name: str, most: int) -> set[str]:
        """Return the different values of a column in canonical spelling, or none when there are more than that many."""
        from pyarrow import compute  # noqa: PLC0415

        column = next(column for column in self.dataset.columns if column.name == name)
        found: set[str] = set()
        for group in range(self.file.metadata.num_row_groups):
            different = compute.unique(self.read(group, name))
            found |= {spelled(column, text_of(value.as_py())) for value in different[: most + 1]}
            if len(found) > most:
                return set()
        return found

    def part(self, group: int, name: str) -> Any:
        """Return a column of a row group as a pyarrow array; the last few stay in memory."""
        place = group, name
        if place not in self._kept:
            self._kept[place] = self.read(group, name)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        self._kept.move_to_end(place)
        return self._kept[place]

    def read(self, group: int, name: str) -> Any:
        """Return a column of a row group as a pyarrow array, read from the file."""
        return self.file.read_row_group(group, columns=[name]).column(0).combine_chunks()

    @cached_property
    def starts(self) -> list[int]:
        """The position of the first row of each row group, and at the end how many rows there are."""
        starts = [0]
        for group in range(self.file.metadata.num_row_groups):
            starts.append(starts[-1] + self.file.metadata.row_group(group).num_rows)
        return starts

    def _group_of(self, position: int) -> int:
        if not 0 <= position < self.starts[-1]:
            raise IndexError(position)
        return bisect.bisect_right(self.starts, position) - 1

    def _may_hold(self, group: int, name: str, targets: list[Any]) -> bool:
        """Return whether the statistics of a row group leave room for any of some values; None among them stands for a null."""
        about = self.file.metadata.row_group(group)
        index = next((at for at in range(about.num_columns) if about.column(at).path_in_schema == name), None)
        statistics = about.column(index).statistics if index is not None else None
        if statistics is None or not statistics.has_min_max or None in targets:
            return True
        low, high = statistics.min, statistics.max
        try:
            return any(low <= (float(target) if isinstance(low, float) else target) <= high for target in targets)
        except (TypeError, ValueError, OverflowError):
            return True

    def _matching(self, group: int, columns: list[Column], targets: Mapping[str, list[Any]]) -> Iterator[int]:
        """Yield the places in a row group that may match."""
        from pyarrow import array, compute  # noqa: PLC0415

        mask: Any = None
        for column in columns:
            part = self.part(group, column.name)
            values = [target for target in targets[column.name] if target is not None]
            try:
                if str(part.type) in ("float", "double"):
                    values = [float(value) for value in values]
                    values += [-value for value in values if not value]  # to pyarrow, not to a reader, −0.0 is another number
                here = compute.is_in(part, value_set=array(values, part.type)) if values else compute.is_null(part)
            except (ValueError, TypeError, OverflowError):  # of another type than the column is stored in: judged one by one
                here = compute.is_valid(part)
            if values and None in targets[column.name]:
                here = compute.or_(here, compute.is_null(part))
            mask = here if mask is None else compute.and_(mask, here)
        yield from compute.indices_nonzero(mask).to_pylist()

    def _is(self, columns: list[Column], wanted: Mapping[str, tuple[str, ...]], position: int) -> bool:
        return all(spelled(column, self.cell(column, position)) in wanted[column.name] for column in columns)


class _Cells(Sequence[str]):
    """A column of a Parquet file, a cell at a time."""

    def __init__(self, rows: RowGroups, column: Column) -> None:
        self._rows = rows
        self._column = column

    def __len__(self) -> int:
        return self._rows.starts[-1]

    @overload
    def __getitem__(self, position: int) -> str: ...

    @overload
    def __getitem__(self, position: slice) -> list[str]: ...

    def __getitem__(self, position: int | slice) -> str | list[str]:
        if isinstance(position, slice):
            return [self[at] for at in range(*position.indices(len(self)))]
        return self._rows.cell(self._column, position)


def text_of(value: object) -> str:
    """Return a value as a CSV would have it: a null as an empty text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def spelled(column: Column, text: str) -> str:
    """Return the canonical spelling of a cell, or the text itself where it is none of its type."""
    try:
        return canonical(column, text)
    except (ValueError, InvalidOperation):
        return text


def typed(column: Column, texts: tuple[str, ...]) -> list[Any]:
    """Return wanted values as Python values of a column's type; None for an empty text, which a null may stand for."""
    readers: dict[str, Any] = {"integer": int, "number": _number, "boolean": lambda text: {"true": True, "false": False}[text]}
    read = readers.get(column.type, date.fromisoformat if column.type == "date" else str)
    values: list[Any] = [None] if "" in texts else []
    for text in texts:
        try:
            values.append(read(text))
        except (ValueError, LookupError, InvalidOperation):
            continue
    return values


def _number(text: str) -> int | Decimal:
    number = Decimal(text)
    return int(number) if number == number.to_integral_value() else number
