"""The file of results on disk: rows appended one by one, so that whatever ends the process, what was measured stays."""

from __future__ import annotations

import csv
import fcntl
import io
import json
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from .chinese import chinese_of
from .errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .table import Table

MARKER = "mkdocs.yml"
"""The file by which a project that has a ledger is known."""


class RowFile:
    """A result file that is open for appending.

    Opening it takes a lock, so that two processes never write one file, cuts off a last line that was torn, reads the rows that are
    there, and writes the resource without a row count: at no moment do file and resource disagree.

    Args:
        path: The CSV file; made when it is not there.
        table: Its columns.

    Raises:
        SetupError: The file is another table's, is not CSV, or another process has it.
        OSError: The disk refuses.
    """

    def __init__(self, path: Path, table: Table) -> None:
        self.path = path
        self.table = table
        path.parent.mkdir(parents=True, exist_ok=True)
        # "a+" so that every write goes to the end, whatever was read before.
        self.file = path.open("a+b")
        try:
            try:
                fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise SetupError(f"{path}: another process is writing this file") from None
            self._tidy()
            self._mend()
            self.rows = self._read()
            self.keys = {table.key_of(row) for row in self.rows}
            write_resource(path, table, None)
        except BaseException:
            self.file.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.file.close()

    def append(self, cells: Mapping[str, object]) -> dict[str, str]:
        """Add one row, and return it as the file has it once it is on the disk.

        Raises:
            ValueError: The row does not fit the table, or its key is there already.
        """
        row = self.table.spell(cells)
        key = self.table.key_of(row)
        if key in self.keys:
            raise ValueError(f"{self.path}: there is a row with this key already: {', '.join(key)}")
        self._write(render([[row[name] for name in self.table.names]]))
        self.rows.append(row)
        self.keys.add(key)
        return row

    def finish(self) -> None:
        """Write the resource with the number of rows."""
        write_resource(self.path, self.table, len(self.rows))

    def _write(self, data: bytes) -> None:
        # One unbuffered write, then to the disk: a row is there whole, or its torn end is cut off when the file is next opened.
        os.write(self.file.fileno(), data)
        os.fsync(self.file.fileno())

    def _tidy(self) -> None:
        """Remove half-written files that a process left behind which was killed while it wrote them."""
        half = re.compile(rf"\.{re.escape(self.path.stem)}(?:_[a-z]+)?(?:\.csv|\.resource\.json|\.provenance\.json|\.zh\.po)\.[a-z0-9_]{{8}}")
        for path in self.path.parent.iterdir():
            if half.fullmatch(path.name):
                path.unlink(missing_ok=True)

    def _mend(self) -> None:
        """Cut off what follows the last whole row; write the header of an empty file."""
        self.file.seek(0)
        data = self.file.read()
        whole = data.rfind(b"\n") + 1
        if whole != len(data):
            os.ftruncate(self.file.fileno(), whole)
            os.fsync(self.file.fileno())
        if not whole:
            self._write(render([self.table.names]))

    def _read(self) -> list[dict[str, str]]:
        self.file.seek(0)
        return read_rows(self.path, self.table, self.file.read())


def read_rows(path: Path, table: Table, data: bytes) -> list[dict[str, str]]:
    """Return the rows of a file.

    Raises:
        SetupError: It is not this table's file; the message says where.
    """
    try:
        lines = list(csv.reader(io.StringIO(data.decode("utf-8"), newline=""), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise SetupError(f"{path}: not a result file: {error}") from None
    if not lines or tuple(lines[0]) != table.names:
        raise SetupError(f"{path}:1: found other columns than {table.instrument} writes; name another file with --out")
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(table.names):
            raise SetupError(f"{path}:{number}: {len(line)} cells, expected {len(table.names)}")
    return [dict(zip(table.names, line, strict=True)) for line in lines[1:]]


def render(lines: Iterable[Sequence[str]]) -> bytes:
    """Return lines as CSV. Cells hold no line breaks (`write_cell`), so a line of the file is a row."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(lines)
    return text.getvalue().encode()


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there whole or as it was."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    new = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        new.chmod(0o644)
        new.replace(path)
    except OSError:
        new.unlink(missing_ok=True)
        raise


def write_json(path: Path, value: Any) -> None:
    """Write a JSON file, whole or not at all."""
    write_whole(path, (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode())


def write_table(path: Path, table: Table, rows: Iterable[Mapping[str, object]]) -> None:
    """Write a table that is computed from another, with its resource.

    Its resource has no row count: that would have to change in the same instant.
    """
    spelled = [table.spell(row) for row in rows]
    write_whole(path, render([table.names, *([row[name] for name in table.names] for row in spelled)]))
    write_resource(path, table, None)


def write_resource(path: Path, table: Table, rows: int | None) -> None:
    """Write the resource that describes a file beside it, as ``NAME.resource.json``, and the Chinese of its texts, as ``NAME.zh.po``."""
    write_whole(path.with_suffix(".zh.po"), chinese_of(table.texts))
    write_json(path.with_suffix(".resource.json"), table.resource(path.name, rows, instrument=_holds(path, table.instrument)))


def _holds(path: Path, instrument: str) -> bool:
    """Say whether the project that a file lies in has the script that measured it."""
    for folder in path.resolve().parents:
        if (folder / MARKER).is_file():
            return (folder / instrument).is_file()
    return False
