"""Result files of one kind, from many jobs, as one: by key, a key that is there twice refused."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from .errors import SetupError
from .rows import render, write_json, write_whole
from .table import resource_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

OWN = ("name", "path", "rows")
"""What differs between the resources of files of one kind."""


def merge_files(paths: Sequence[Path], out: Path) -> int:
    """Write the rows of all files into one, in their order, with its resource and the records of all runs; return how many.

    Args:
        paths: Result files, each with its resource beside it.
        out: The file to write, anew.

    Raises:
        SetupError: Two files are not of one kind, two rows have one key, or a file is not as its resource says. Nothing was written.
        OSError: The disk refuses.
    """
    first = _resource(paths[0])
    kind = {key: value for key, value in first.items() if key not in OWN}
    heads = [field["name"] for field in first["schema"]["fields"]]
    places = [heads.index(name) for name in first["schema"]["primaryKey"]]
    seen: dict[tuple[str, ...], str] = {}
    rows: list[list[str]] = []
    for path in paths:
        if (other := {key: value for key, value in _resource(path).items() if key not in OWN}) != kind:
            differs = next(key for key in {**kind, **other} if kind.get(key) != other.get(key))
            raise SetupError(f"{path} is not of the kind of {paths[0]}: their resources differ in '{differs}'; measure both with one version")
        for line, row in _rows(path, heads):
            key = tuple(row[place] for place in places)
            if key in seen:
                named = ", ".join(f"{heads[place]}={row[place]}" for place in places)
                raise SetupError(f"{path}:{line} has the key of {seen[key]}: {named}; take one of the two files out of the campaign's folder")
            seen[key] = f"{path}:{line}"
            rows.append(row)
    runs = _runs(paths)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_whole(out, render([heads, *rows]))
    if runs:
        write_json(out.with_suffix(".provenance.json"), {"runs": runs})
    words = paths[0].with_suffix(".zh.po")
    if words.exists():
        write_whole(out.with_suffix(".zh.po"), words.read_bytes())
    write_json(out.with_suffix(".resource.json"), _described(first, out, len(rows)))
    return len(rows)


def _described(resource: dict[str, Any], out: Path, rows: int) -> dict[str, Any]:
    """Return the resource of the whole; its name is the file's, as `table.resource_name` makes it."""
    described = {key: value for key, value in resource.items() if key != "rows"}
    before = dict(list(described.items())[: list(described).index("format")])
    return {**before, "rows": rows, **described, "name": resource_name(out.name), "path": out.name}


def _resource(path: Path) -> dict[str, Any]:
    """Return the resource beside a file."""
    beside = path.with_suffix(".resource.json")
    try:
        resource = json.loads(beside.read_text("utf-8"))
        _ = [field["name"] for field in resource["schema"]["fields"]], resource["schema"]["primaryKey"][0], resource["format"]
    except FileNotFoundError:
        raise SetupError(f"{beside}: no such file; expected what describes {path.name}") from None
    except (ValueError, KeyError, TypeError, IndexError):
        raise SetupError(f"{beside}: expected the resource that an instrument writes") from None
    return dict(resource)


def _rows(path: Path, heads: Sequence[str]) -> Iterable[tuple[int, list[str]]]:
    """Yield the rows of a file with their lines."""
    data = path.read_bytes()
    try:
        # A last line that is still being written is no row.
        reader = csv.reader(io.StringIO(data[: data.rfind(b"\n") + 1].decode(), newline=""), strict=True)
        for number, row in enumerate(reader):
            if number == 0:
                if row != list(heads):
                    raise SetupError(f"{path}:1: found other columns than its resource describes")
                continue
            if len(row) != len(heads):
                raise SetupError(f"{path}:{reader.line_num}: {len(row)} cells, expected {len(heads)}")
            yield reader.line_num, row
    except (csv.Error, UnicodeDecodeError) as error:
        raise SetupError(f"{path}: not a result file: {error}") from None


def _runs(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """Return the records of all runs, each once."""
    runs: list[dict[str, Any]] = []
    for path in paths:
        beside = path.with_suffix(".provenance.json")
        if not beside.exists():
            continue
        try:
            found = json.loads(beside.read_text("utf-8"))["runs"]
        except (ValueError, KeyError, TypeError):
            raise SetupError(f"{beside}: not a record of runs") from None
        runs += [run for run in found if run not in runs]
    return runs
