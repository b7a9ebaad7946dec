"""The files of the datasets, for readers to take away: each as it is in the repository, and a CSV as Parquet too where pyarrow is installed."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final

from ledgermark.addresses import data_file
from ledgermark.files import write_whole
from ledgermark.findings import ConfigError
from ledgermark.messages import Message
from ledgermark.parquet_write import parquet_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from ledgermark.check import Project
    from ledgermark.table import Table

_EDITION: Final = 1  # of what `parquet_bytes` makes of a table


def data_files(project: Project, root: Path, cache: Path) -> tuple[dict[str, Path | bytes], str]:
    """Return the files by their names in the site, and a line if there is no Parquet of them.

    Args:
        project: without findings.
        root: its folder.
        cache: a folder; a Parquet file is made once for each content.
    """
    files: dict[str, Path | bytes] = {}
    line = ""
    for name, dataset in sorted(project.ledger.datasets.items()) if project.settings.data_pages else ():
        table = project.ledger.table(name)
        stored = table.stored is not None
        files[data_file(name, "parquet" if stored else "csv")] = root / dataset.path
        if not (stored or line):
            try:
                files[data_file(name, "parquet")] = _parquet(table, project.digests.get(dataset.path, ""), cache)
            except (ImportError, PackageNotFoundError):
                line = Message("pyarrow is not installed, so the data pages offer no Parquet; pip install 'ledgermark[parquet]' adds it")
    return files, line


def forms_of(dataset: str, files: frozenset[str]) -> tuple[str, ...]:
    """Return the forms in which a dataset can be had, of the names of all files that can."""
    return tuple(form for form in ("csv", "parquet") if data_file(dataset, form) in files)


def _parquet(table: Table, digest: str, cache: Path) -> Path | bytes:
    """Return a table as Parquet: as a file in the cache, or as bytes where that takes no files."""
    dataset = table.dataset
    columns = [[column.name, column.type, column.unit.symbol if column.unit else "", column.description] for column in dataset.columns]
    about = [dataset.path, digest, dataset.title, dataset.evidence, columns, dataset.missing, version("pyarrow"), _EDITION]
    key = hashlib.sha256(json.dumps(about).encode()).hexdigest()[:24]
    path = cache / f"{data_file(dataset.name, key).rpartition('/')[2]}.parquet"
    if path.is_file():
        return path
    content = parquet_bytes(table, digest)
    try:
        cache.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)
    except (ConfigError, OSError):
        return content
    return path
