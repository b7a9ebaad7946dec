"""The ledger: selectors over its tables that hand out rows and remember where each value stood."""

from __future__ import annotations

from datetime import date
from decimal import Decimal, InvalidOperation
from itertools import product
from typing import TYPE_CHECKING, Any, Final, TypeVar

from ledgermark.canonical import all_spelled, canonical, plain, spelled
from ledgermark.findings import Finding, nearest
from ledgermark.messages import Message
from ledgermark.parquet import StoredFile
from ledgermark.parquet_check import read_parquet
from ledgermark.quantity import Cell, Quantity
from ledgermark.table import Table, read_table
from ledgermark.units import parse_unit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ledgermark.descriptor import Column, Dataset

Derived = TypeVar("Derived")
Key = str | int | bool | Decimal
_LISTED: Final = 1000  # different values of a stored column up to which it is worth saying which there are


class LedgerError(Exception):
    """A selection that the ledger cannot answer.

    Attributes:
        missing: it is a name (dataset, column) that does not exist.
        unusable: it is a dataset whose file is itself a finding, so that nothing more needs saying.
    """

    def __init__(self, message: str, *, missing: bool = False, unusable: bool = False) -> None:
        super().__init__(message)
        self.missing = missing
        self.unusable = unusable


class Row:
    """One row. `row["column"]` is a `Quantity` that knows this cell; `row.text("column")` is the cell as written."""

    __slots__ = ("_ledger", "_position", "_table")

    def __init__(self, ledger: Ledger, table: Table, position: int) -> None:
        self._ledger, self._table, self._position = ledger, table, position

    @property
    def line(self) -> int:
        """The line of the file the row begins on."""
        return self._table.lines[self._position]

    @property
    def cell(self) -> Cell:
        """The row as evidence, where it counts as a whole."""
        return Cell(self._table.dataset.name, self.line, "")

    def text(self, column: str) -> str:
        """Return a cell as written. Raises `LedgerError` for an unknown column."""
        return self._written(column)[2]

    def _written(self, column: str) -> tuple[Column, Cell, str]:
        """Return a column and its cell, as evidence and as written."""
        table, position, seen = self._table, self._position, self._ledger.seen
        spec = _known(column, table.dataset)
        cell = Cell(table.dataset.name, table.lines[position], column)
        if seen is not None:
            seen.add(cell)
        return spec, cell, table.columns[column][position]

    def __getitem__(self, column: str) -> Quantity:
        """Return a number with its unit, a date as days (so that a difference is in days), or a truth value as 0 or 1.

        Raises:
            LedgerError: the column is unknown, a text, or the cell is empty.
        """
        ledger, table = self._ledger, self._table
        if table.stored is not None:
            return self._read(column)
        place = table.dataset.name, column, self._position
        known = ledger.quantities.get(place)
        if known is None:
            known = ledger.quantities[place] = self._read(column)
        elif ledger.seen is not None:
            ledger.seen.update(known.evidence)
        return known

    def _read(self, column: str) -> Quantity:
        dataset = self._table.dataset
        spec, cell, text = self._written(column)
        if text in dataset.missing:
            msg = Message("{path}:{line} has no {column}", path=dataset.path, line=self.line, column=column)
            raise LedgerError(msg)
        try:
            value = canonical(spec, text)
        except (ValueError, InvalidOperation) as error:
            msg = Message("{path}:{line}: {column} is no {type}", path=dataset.path, line=self.line, column=column, type=spec.type)
            raise LedgerError(msg, unusable=True) from error
        evidence = frozenset((cell,))
        match spec.type:
            case "integer" | "number" if spec.unit is None:
                msg = Message("{dataset}.{column} has no unit", dataset=dataset.name, column=column)
                raise LedgerError(msg, unusable=True)
            case "integer" | "number" if spec.unit:
                return Quantity(Decimal(text), spec.unit, evidence)
            case "date":
                return Quantity(Decimal(date.fromisoformat(text).toordinal()), parse_unit("day"), evidence)
            case "boolean":
                return Quantity(Decimal(value == "true"), parse_unit("1"), evidence)
        msg = Message("{dataset}.{column} is text: use row.text('{column}')", dataset=dataset.name, column=column)
        raise LedgerError(msg)


class Ledger:
    """All tables. Selectors: `one` (exactly one row) and `rows` (any number, in file order).

    Attributes:
        seen: where a recording ledger notes each cell that was read; None for one that does not record.
        asked: where it notes each dataset that was asked for, whether or not there was a row to read.
        quantities: the cells of files held in memory that were read as numbers, by dataset, column and position.
    """

    seen: set[Cell] | None = None
    asked: set[str] | None = None

    def __init__(self, tables: Iterable[Table], unusable: Iterable[str] = (), *, incomplete: bool = False) -> None:
        self._tables = {table.dataset.name: table for table in tables}
        self._unusable, self._incomplete = frozenset(unusable), incomplete
        self.quantities: dict[tuple[str, str, int], Quantity] = {}
        self._derived: dict[tuple[object, ...], tuple[Any, Ledger]] = {}
        self._indices: dict[tuple[str, tuple[str, ...]], dict[tuple[str, ...], list[int]]] = {}

    def recording(self, *, cells: bool = True) -> Ledger:
        """Return a ledger over the same tables that notes in `asked` each dataset and, if `cells`, in `seen` each cell it hands out."""
        copy = object.__new__(Ledger)
        vars(copy).update(vars(self), seen=set() if cells else None, asked=set())
        return copy

    def derived(self, key: tuple[object, ...], make: Callable[[Ledger], Derived]) -> Derived:
        """Return what is derived from the data under a key, worked out once; whoever asks again has read the same cells.

        Args:
            key: what it is and all it depends on besides the data.
            make: a pure function of the ledger it is given. It may return quantities, and no row: what is read of one later is not noted.
        """
        known = self._derived.get(key)
        apart = known[1] if known else self.recording()
        try:
            known = known or (make(apart), apart)
        finally:  # whoever goes on after a failure has read as much
            for mine, theirs in ((self.seen, apart.seen), (self.asked, apart.asked)):
                if mine is not None:
                    mine.update(theirs or ())  # type: ignore[arg-type]
        self._derived[key] = known
        return known[0]

    def shares(self, other: Ledger, names: Iterable[str]) -> bool:
        """Return whether another ledger has the very same tables for some names, or lacks them too."""
        return all(self._tables.get(name) is other._tables.get(name) for name in names)

    @property
    def datasets(self) -> dict[str, Dataset]:
        """The described datasets whose files could be read, by name."""
        if self.asked is not None:
            self.asked.update(self._tables)
        return {name: table.dataset for name, table in self._tables.items()}

    def table(self, dataset: str) -> Table:
        """Return a dataset's table. Raises `LedgerError` for an unknown name."""
        if self.asked is not None:
            self.asked.add(dataset)
        table = self._tables.get(dataset)
        if dataset in self._unusable or (self._incomplete and table is None):
            msg = Message("the file of dataset {dataset} cannot be used", dataset=dataset)
            raise LedgerError(msg, unusable=True)
        if table is None:
            msg = Message("no dataset '{dataset}'{hint}", dataset=dataset, hint=nearest(dataset, self._tables))
            raise LedgerError(msg, missing=True)
        return table

    def one(self, dataset: str, /, **keys: Key) -> Row:
        """Return the one row with these values. Raises `LedgerError` when there is none or there are several."""
        table = self.table(dataset)
        found = self._select(table, keys)
        if len(found) != 1:
            wanted = ", ".join(f"{name}={value}" for name, value in keys.items()) or Message("no keys")
            some = ", ".join(str(table.lines[position]) for position in found[:5])
            listed = Message(" (lines {lines})", lines=some) if table.stored is None else Message(" (rows {lines})", lines=some)
            places = listed if found else self._hint(table, dict(keys))
            msg = Message(
                "{count} rows of {dataset} match {wanted}, expected 1{places}", count=len(found), dataset=dataset, wanted=wanted, places=places
            )
            raise LedgerError(msg)
        return Row(self, table, found[0])

    def rows(self, dataset: str, /, **keys: Key | tuple[Key, ...]) -> tuple[Row, ...]:
        """Return the rows with these values, in file order; a tuple matches any of its values. Raises `LedgerError` for unknown names."""
        table = self.table(dataset)
        several = {name: value if isinstance(value, tuple) else (value,) for name, value in keys.items()}
        return tuple([Row(self, table, position) for position in self._select_any(table, several)])

    def _select(self, table: Table, keys: Mapping[str, Key]) -> Sequence[int]:
        """Return the positions of the rows with one value for each key, ascending: what nearly every claim asks."""
        if not keys:
            return range(len(table.lines))
        names = tuple(sorted(keys))
        wanted = tuple([_spelled(table.dataset, name, keys[name]) for name in names])
        if table.stored is not None:
            return table.stored.find({name: (text,) for name, text in zip(names, wanted, strict=True)})
        return self._index(table, names).get(wanted, ())

    def _select_any(self, table: Table, keys: Mapping[str, tuple[Key, ...]]) -> Sequence[int]:
        """Return the positions of the rows with any of some values for each key, ascending."""
        if not keys:
            return range(len(table.lines))
        names = tuple(sorted(keys))
        wanted = [tuple([_spelled(table.dataset, name, value) for value in keys[name]]) for name in names]
        if table.stored is not None:
            return table.stored.find(dict(zip(names, wanted, strict=True)))
        index = self._index(table, names)
        return sorted({position for key in product(*wanted) for position in index.get(key, ())})

    def _index(self, table: Table, names: tuple[str, ...]) -> dict[tuple[str, ...], list[int]]:
        """Return the row positions by the canonical values of some columns; built once per set of columns."""
        place = (table.dataset.name, names)
        if (index := self._indices.get(place)) is None:
            columns = (_known(name, table.dataset) for name in names)
            cells = [all_spelled(column, table.columns[column.name]) for column in columns]
            index = {}
            for position, key in enumerate(zip(*cells, strict=True)):
                index.setdefault(key, []).append(position)
            self._indices[place] = index
        return index

    def _hint(self, table: Table, keys: Mapping[str, Key]) -> str:
        """Return which single key no row has, with the values there are."""
        for name, value in keys.items():
            known = table.stored.values(name, _LISTED) if table.stored is not None else {key[0] for key in self._index(table, (name,))}
            wanted = _spelled(table.dataset, name, value)
            if known and wanted not in known:
                values = sorted(known, key=lambda text: (len(text), text))
                some = ", ".join(values[:12]) + (" …" if len(values) > 12 else "")  # noqa: PLR2004
                return Message("; {name} is one of {some}{hint}", name=name, some=some, hint=nearest(wanted, values))
        return ""


def _known(column: str, dataset: Dataset) -> Column:
    found = dataset.column(column)
    if found is None:
        names = [item.name for item in dataset.columns]
        msg = Message("no column '{column}' in {name}{hint}", column=column, name=dataset.name, hint=nearest(column, names))
        raise LedgerError(msg, missing=True)
    return found


def _spelled(dataset: Dataset, name: str, value: Key) -> str:
    """Return a wanted value in the column's canonical spelling; a value that is none of the type matches nothing."""
    column = _known(name, dataset)
    text = str(value).lower() if isinstance(value, bool) else plain(value) if isinstance(value, Decimal) else str(value)
    return spelled(column, text)


def count(rows: Iterable[Row], unit: str = "1") -> Quantity:
    """Return how many rows there are, in a counting unit, with the rows as evidence."""
    items = tuple(rows)
    return Quantity(Decimal(len(items)), parse_unit(unit), frozenset(row.cell for row in items))


def load_ledger(
    datasets: Iterable[Dataset], files: Mapping[str, bytes | str | StoredFile], *, incomplete: bool = False
) -> tuple[Ledger, list[Finding]]:
    """Return the ledger made of the files that can be used, and what is wrong with the others.

    Args:
        datasets: from the descriptor, their paths already relative to the project.
        files: for each path its bytes, the file itself where it is Parquet, or the reason (text) why it could not be read.
        incomplete: whether the descriptor itself is broken, so that an unknown dataset is no finding of its own.
    """
    tables: list[Table] = []
    findings: list[Finding] = []
    unusable: list[str] = []
    for dataset in datasets:
        data = files[dataset.path]
        if isinstance(data, str):
            findings.append(Finding(dataset.path, 1, 1, "LM501", data))
            unusable.append(dataset.name)
            continue
        read: Any = read_parquet if isinstance(data, StoredFile) else read_table
        table, problems = read(dataset, dataset.path, data)
        findings += problems
        if table is None:
            unusable.append(dataset.name)
        else:
            tables.append(table)
    return Ledger(tables, unusable, incomplete=incomplete), findings
