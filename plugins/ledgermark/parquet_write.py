"""A table as Parquet, for readers who would rather not parse a CSV: typed columns with their units, the same bytes at each writing."""

from __future__ import annotations

import io
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledgermark.descriptor import Column
    from ledgermark.table import Table


def parquet_bytes(table: Table, digest: str) -> bytes:
    """Return a Parquet file with the rows of a table, in file order; an empty cell is a null.

    A number is a double where that holds every digit written, else a decimal. Units and descriptions are in the fields' metadata.

    Args:
        table: of the ledger, without findings.
        digest: of the file it was read from, which the new one names.

    Raises:
        ImportError: pyarrow is not installed.
    """
    import pyarrow as pa  # noqa: PLC0415  (an extra, and a fifth of a second)
    from pyarrow import parquet  # noqa: PLC0415

    dataset = table.dataset
    cells = ([None if cell in dataset.missing else cell for cell in table.columns[column.name]] for column in dataset.columns)
    arrays = [_array(pa, column, texts) for column, texts in zip(dataset.columns, cells, strict=True)]
    fields = [_field(pa, column, array.type) for column, array in zip(dataset.columns, arrays, strict=True)]
    about = {"title": _whole(dataset.title), "evidence": dataset.evidence, "source": f"{dataset.path} sha256:{digest}"}
    out = io.BytesIO()
    parquet.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata=about)), out, compression="zstd", version="2.6")
    return out.getvalue()


def _whole(text: str) -> str:
    """Return a text of the descriptor with half characters written out: nothing can store one."""
    return text.encode("utf-8", "backslashreplace").decode()


def _field(pa: Any, column: Column, kind: Any) -> Any:
    about = {"description": _whole(column.description), "unit": column.unit.symbol if column.unit else ""}
    return pa.field(column.name, kind, metadata={name: text for name, text in about.items() if text})


def _array(pa: Any, column: Column, cells: Sequence[str | None]) -> Any:
    match column.type:
        case "integer":
            numbers = [None if cell is None else int(cell) for cell in cells]
            wide = any(number is not None and not -(2**63) <= number < 2**63 for number in numbers)
            return pa.array([None if number is None else str(number) for number in numbers]) if wide else pa.array(numbers, pa.int64())
        case "number":
            return _numbers(pa, [None if cell is None else Decimal(cell) for cell in cells])
        case "boolean":
            return pa.array([None if cell is None else cell.lower() in ("true", "1") for cell in cells], pa.bool_())
        case "date":
            return pa.array([None if cell is None else date.fromisoformat(cell) for cell in cells], pa.date32())
    return pa.array(cells, pa.string())


def _numbers(pa: Any, numbers: Sequence[Decimal | None]) -> Any:
    """Return numbers as doubles where each comes back as it was written, as decimals where they fit, else as texts."""
    if all(number is None or Decimal(repr(float(number))) == number for number in numbers):
        return pa.array([None if number is None else float(number) for number in numbers], pa.float64())
    try:
        return pa.array(numbers)
    except (pa.ArrowInvalid, ValueError):
        return pa.array([None if number is None else format(number, "f") for number in numbers], pa.string())
