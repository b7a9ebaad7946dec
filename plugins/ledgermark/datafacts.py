"""What the rows of a dataset say of it as a whole: which machines, stacks and days stand in them, and what is the same in all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ledgermark.descriptor import Dataset
    from ledgermark.table import Table

# The columns by which the rows of every dataset here are told apart (data/README.md).
WHERE: Final = ("machine", "stack", "date")
_LISTED: Final = 1000  # different values of a stored column beyond which they are not gathered


@dataclass(frozen=True)
class DataFacts:
    """What can be said of a dataset's rows without reading them one by one.

    Attributes:
        count: how many there are.
        where: the different values of the columns `machine`, `stack` and `date`, in file order; only columns that are there.
        same: the text and date columns with one value in all rows, and that value; none in a table of one row.
    """

    count: int
    where: dict[str, tuple[str, ...]]
    same: dict[str, str]


def data_facts(table: Table) -> DataFacts:
    """Return the facts of a table."""
    count = len(table.lines)
    columns = table.dataset.columns
    where = {column.name: values_of(table, column.name) for column in columns if column.name in WHERE}
    words = [column.name for column in columns if column.type in ("string", "date")] if count > 1 else []
    alike = {name: where.get(name) or values_of(table, name) for name in words}
    return DataFacts(count, where, {name: values[0] for name, values in alike.items() if len(values) == 1})


def words_of(dataset: Dataset) -> set[str]:
    """Return the texts of the descriptor that a dataset's page shows in the page's language."""
    texts = (dataset.title, dataset.row, dataset.description, dataset.note, *(column.description for column in dataset.columns))
    return {text for text in texts if text}


def values_of(table: Table, column: str) -> tuple[str, ...]:
    """Return the different values of a column: in file order, or sorted where the rows stay in their file; none when there are too many."""
    if table.stored is not None:
        return tuple(sorted(table.stored.values(column, _LISTED)))
    return tuple(dict.fromkeys(table.columns[column]))
