"""Puts a result file into the ledger: its rows into the data folder, its resource into the descriptor. Whole or not at all."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ledgermark.adopt import add_resource, check_rows, read_resource
from ledgermark.config_file import read_config, settings_in
from ledgermark.files import read_file, write_whole
from ledgermark.findings import ConfigError, Finding, counted
from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ledgermark.descriptor import Dataset


@dataclass(frozen=True)
class Adopted:
    """What came of it.

    Attributes:
        findings: what is wrong with the file; then nothing was written.
        summary: in one line.
    """

    findings: Sequence[Finding]
    summary: Message


def adopt(file: Path, config: Path, *, dry: bool) -> Adopted:
    """Put a result file, which an instrument wrote with its resource beside it, into the ledger.

    Args:
        file: the CSV; `NAME.resource.json` lies beside it, and `NAME.provenance.json`, if it is there, goes along.
        config: the project's `mkdocs.yml`.
        dry: whether to write nothing.

    Raises:
        ConfigError: it cannot be put there; nothing was written.
    """
    root = config.resolve().parent
    descriptor = settings_in(read_config(config)).descriptor
    folder = (root / descriptor).parent
    rows, described = _read(file), _read(file.with_suffix(".resource.json"))
    resource, dataset, findings = read_resource(str(file.with_suffix(".resource.json")), described, file.name)
    count = 0
    if dataset is not None:
        count, findings = check_rows(dataset, str(file), rows)
        findings += _missing(dataset, root, file)
    if findings or dataset is None:
        return Adopted(sorted(findings), Message("ledgermark: {found}; nothing was added", found=counted(len(findings))))
    if dataset.rows is None:
        # Where it lies now, nobody measures into it any more.
        resource = {**_up_to(resource, "format"), "rows": count, **resource}
    text = _read(root / descriptor).decode("utf-8", "replace")
    changed = add_resource(descriptor, text, resource)
    new = {file: rows}
    provenance = file.with_suffix(".provenance.json")
    if provenance.is_file():
        new[provenance] = _read(provenance)
    targets = {folder / source.name: data for source, data in new.items() if (folder / source.name).resolve() != source.resolve()}
    for target in targets:
        if target.exists():
            msg = Message("{path} is there already, and no dataset of the descriptor; give the file another name", path=target)
            raise ConfigError(msg)
    place = {"name": dataset.name, "count": count, "file": f"{Path(descriptor).parent.as_posix()}/{file.name}", "descriptor": descriptor}
    if dry:
        return Adopted((), Message("{name}: {count} rows would go into {file}, described in {descriptor}", **place))
    _write(targets, root / descriptor, changed)
    return Adopted((), Message("{name}: {count} rows in {file}, described in {descriptor}", **place))


def _up_to(resource: dict[str, object], key: str) -> dict[str, object]:
    """Return the members of a resource that stand before one."""
    found = {}
    for name, value in resource.items():
        if name == key:
            break
        found[name] = value
    return found


def _read(path: Path) -> bytes:
    content = read_file(path)
    if isinstance(content, str):
        msg = Message("{path}: {reason}", path=path, reason=content)
        raise ConfigError(msg)
    return content


def _missing(dataset: Dataset, root: Path, file: Path) -> Iterable[Finding]:
    """Return a finding when the script that measured the rows is not in the project: the ledger would have it."""
    if dataset.instrument and not (root / dataset.instrument).is_file():
        message = Message(
            "'{name}': the instrument '{instrument}' is no file here; expected the script that measured the rows",
            name=dataset.name,
            instrument=dataset.instrument,
        )
        return [Finding(str(file.with_suffix(".resource.json")), 1, 1, "LM509", message)]
    return []


def _write(targets: dict[Path, bytes], descriptor: Path, text: str) -> None:
    """Write the files, then the descriptor that names them; take the files away again when one cannot be written."""
    written: list[Path] = []
    try:
        for target, data in targets.items():
            scratch = target.with_name(f".{target.name}.{os.getpid()}.part")
            written.append(scratch)
            scratch.write_bytes(data)
            scratch.replace(target)
            written[-1] = target
        write_whole(descriptor, text)
    except (OSError, ConfigError) as error:
        for path in written:
            path.unlink(missing_ok=True)
        if isinstance(error, ConfigError):
            raise
        msg = Message("{path} cannot be written: {reason}; it is as it was", path=descriptor.parent, reason=error.strerror or error)
        raise ConfigError(msg) from error
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise
