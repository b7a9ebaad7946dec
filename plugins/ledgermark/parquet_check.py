"""Whether a Parquet file is what its descriptor says: schema, constraints and keys, a column of a row group at a time."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from ledgermark.findings import Finding
from ledgermark.messages import Message
from ledgermark.parquet import RowGroups, StoredFile, spelled, text_of
from ledgermark.table import MANY, check_header, judge_cell, rules_of

if TYPE_CHECKING:
    from ledgermark.descriptor import Column, Dataset
    from ledgermark.table import Table

# By the first word of how pyarrow calls a type.
_STORED: Final = {
    "string": ("string", "large_string", "string_view", "dictionary<values=string", "dictionary<values=large_string"),
    "integer": ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    "boolean": ("bool",),
    "date": ("date32",),
}
_STORED_NUMBERS: Final = (*_STORED["integer"], "float", "double", "decimal128", "decimal256")


def read_parquet(dataset: Dataset, path: str, stored: StoredFile) -> tuple[Table | None, list[Finding]]:
    """Return the table in a Parquet file, or None when it cannot be used, and what is wrong with it.

    Args:
        dataset: what the descriptor says of it.
        path: the file's path, for findings.
        stored: the file.

    Raises:
        ConfigError: pyarrow is not installed.
    """
    try:
        rows = RowGroups(dataset, stored.open())
        findings: list[Finding] = []
        check_header(dataset, path, list(rows.file.schema_arrow.names), findings)
        findings += _check_types(rows, path)
        count = rows.starts[-1]
        if dataset.rows is not None and count != dataset.rows:
            findings.append(Finding(path, 1, 1, "LM507", Message("{count} rows, the descriptor says {rows}", count=count, rows=dataset.rows)))
        if any(finding.code in ("LM504", "LM506") for finding in findings):
            return None, findings
        for column in dataset.columns:
            findings += _check_column(rows, column, path)
            if column.constraints.get("unique"):
                findings += _check_unique(rows, (column,), path)
        findings += _check_unique(rows, tuple(column for column in dataset.columns if column.name in dataset.key), path, dataset.key)
    except (OSError, ValueError) as error:
        cause = (str(error).splitlines() or [type(error).__name__])[0]
        return None, [Finding(path, 1, 1, "LM501", Message("not Parquet: {cause}", cause=cause))]
    return rows.table, findings


def _check_types(rows: RowGroups, path: str) -> list[Finding]:
    """Return the columns that are stored as another type than the descriptor says."""
    schema = rows.file.schema_arrow
    findings = []
    for column in rows.dataset.columns:
        if column.name not in schema.names:
            continue
        stored = str(schema.field(column.name).type)
        known = _STORED_NUMBERS if column.type == "number" else _STORED[column.type]
        if stored.partition("(")[0].partition(",")[0].partition("[")[0] not in known:
            message = Message("{name} is stored as {stored}, the descriptor says {type}", name=column.name, stored=stored, type=column.type)
            findings.append(Finding(path, 1, 1, "LM504", message))
    return findings


def _check_column(rows: RowGroups, column: Column, path: str) -> list[Finding]:
    """Return what is wrong with the cells of a column; those that can be are judged by the row group, the rest by each different value."""
    required = bool(column.constraints.get("required")) or column.name in rows.dataset.key
    breaks = rules_of(column)
    findings: list[Finding] = []
    for group, (start, _) in enumerate(pairwise(rows.starts)):
        if len(findings) >= MANY:
            break
        part = rows.read(group, column.name)
        for at in _doubtful(part, column, rows.dataset, required=required):
            cell = text_of(part[at].as_py())
            _, code, problem = judge_cell(rows.dataset, column, cell, breaks, required=required)
            if problem:
                findings.append(Finding(path, start + at + 1, 1, code, problem))
                if len(findings) >= MANY:
                    break
    return findings


def _doubtful(part: Any, column: Column, dataset: Dataset, *, required: bool) -> list[int]:
    """Return the places of a row group whose cells may be wrong: of numbers those beyond a limit, of other values all that are."""
    from pyarrow import compute  # noqa: PLC0415  (an extra)

    rules = column.constraints
    masks: list[Any] = [compute.is_null(part)] if required and part.null_count else []
    if column.type in ("number", "integer"):
        if str(part.type) in ("float", "double"):
            masks.append(compute.invert(compute.is_finite(part)))
        if "minimum" in rules:
            masks.append(compute.less(part, rules["minimum"]))
        if "maximum" in rules:
            masks.append(compute.greater(part, rules["maximum"]))
    by_value = {"enum", "pattern"} & set(rules) or (column.type not in ("number", "integer") and {"minimum", "maximum"} & set(rules))
    if by_value or (required and column.type == "string"):
        breaks = rules_of(column)
        different = compute.unique(part)
        wrong = [value for value in different if judge_cell(dataset, column, text_of(value.as_py()), breaks, required=required)[2]]
        if wrong:
            from pyarrow import array  # noqa: PLC0415

            masks.append(compute.is_in(part, value_set=array([value.as_py() for value in wrong], different.type)))
    whole: Any = None
    for mask in masks:
        filled = compute.fill_null(mask, fill_value=False)
        whole = filled if whole is None else compute.or_(whole, filled)
    return [] if whole is None else compute.indices_nonzero(whole)[:MANY].to_pylist()


def _check_unique(rows: RowGroups, columns: tuple[Column, ...], path: str, key: tuple[str, ...] = ()) -> list[Finding]:
    """Return the rows that repeat an earlier one in some columns. Of each row a hash of 8 bytes is kept; rows of one hash are compared."""
    import numpy as np  # noqa: PLC0415  (comes with pandas)

    hashes: Any = np.concatenate([_hashes(rows, group, columns) for group in range(len(rows.starts) - 1)] or [np.empty(0, np.uint64)])
    ordered = np.sort(hashes)
    suspects = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])[: MANY * MANY]
    del ordered
    places: Any = np.flatnonzero(np.isin(hashes, suspects)) if len(suspects) else ()
    seen: dict[tuple[str, ...], int] = {}
    findings: list[Finding] = []
    for position in map(int, places):
        values = tuple(spelled(column, rows.cell(column, position)) for column in columns)
        if not key and values[0] in rows.dataset.missing:
            continue
        first = seen.setdefault(values, position + 1)
        if first == position + 1:
            continue
        if key:
            named = dict(zip((column.name for column in columns), values, strict=True))
            names = ", ".join(f"{name}={named[name]}" for name in key)
            message = Message("same key as row {row}: {names}", row=first, names=names)
        else:
            message = Message("{name} is '{cell}', as in row {row}; expected each value once", name=columns[0].name, cell=values[0], row=first)
        findings.append(Finding(path, position + 1, 1, "LM503" if key else "LM505", message))
        if len(findings) >= MANY:
            break
    return findings


def _hashes(rows: RowGroups, group: int, columns: tuple[Column, ...]) -> Any:
    """Return a hash of each row of a row group, made of some columns: the same for the same cells in whichever group."""
    import numpy as np  # noqa: PLC0415
    import pandas as pd  # noqa: PLC0415
    from pyarrow import compute  # noqa: PLC0415

    mixed: Any = None
    for column in columns:
        part = rows.read(group, column.name)
        kind = str(part.type)
        if column.type == "string" or kind.startswith("decimal"):
            coded = compute.fill_null(part.cast("string"), "").dictionary_encode()
            texts = np.array([text.as_py() for text in coded.dictionary], dtype=object)
            hashed = pd.util.hash_array(texts, categorize=False)[coded.indices.to_numpy()]
        else:
            plain = part.cast({"date": "int32", "boolean": "int8"}.get(column.type, part.type))
            numbers = compute.fill_null(plain, 0).to_numpy(zero_copy_only=False)
            # Adding 0 makes −0.0 what it is to a reader; a null is no 0.
            hashed = pd.util.hash_array(numbers + numbers.dtype.type(0)) + compute.is_null(part).to_numpy(zero_copy_only=False).astype(
                np.uint64
            )
        mixed = hashed if mixed is None else mixed * np.uint64(1_000_003) ^ hashed
    return mixed
