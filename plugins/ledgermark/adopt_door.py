"""Puts a result file into the ledger, whole or not at all: rows into the data folder, resource into the descriptor, words into catalogues."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from ledgermark.adopt import add_resource, add_words, check_rows, read_resource
from ledgermark.catalogue import DOMAINS
from ledgermark.config_file import read_config, settings_in
from ledgermark.files import read_file, write_whole
from ledgermark.findings import ConfigError, Finding, counted
from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ledgermark.descriptor import Dataset
    from ledgermark.settings import Settings

_HEAD: Final = 'msgid ""\nmsgstr ""\n"Language: {language}\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n'


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
        file: the CSV. `NAME.resource.json` lies beside it; `NAME.provenance.json`, if it is there, goes along, and what `NAME.zh.po` says is
            added to the project's words, for each of its languages.
        config: the project's `mkdocs.yml`.
        dry: whether to write nothing.

    Raises:
        ConfigError: it cannot be put there; nothing was written.
    """
    root, settings = config.resolve().parent, settings_in(read_config(config))
    rows, beside = _read(file), file.with_suffix(".resource.json")
    resource, dataset, findings = read_resource(str(beside), _read(beside), file.name)
    words: dict[Path, bytes] = {}
    count = 0
    if dataset is not None:
        count, findings = check_rows(dataset, str(file), rows)
        findings += _missing(dataset, root, file)
        words, problems = _words(file, dataset, root, settings)
        findings += problems
    if findings or dataset is None:
        return Adopted(sorted(findings), Message("ledgermark: {found}; nothing was added", found=counted(len(findings))))
    if dataset.rows is None:
        # Where it lies now, nobody measures into it any more.
        resource = {**_up_to(resource, "format"), "rows": count, **resource}
    descriptor = root / settings.descriptor
    changed = add_resource(settings.descriptor, _read(descriptor).decode("utf-8", "replace"), resource)
    new = {descriptor.with_name(file.name): rows}
    provenance = file.with_suffix(".provenance.json")
    if provenance.is_file():
        new[descriptor.with_name(provenance.name)] = _read(provenance)
    # It may have been measured into the data folder.
    new = {target: data for target, data in new.items() if target.resolve() != file.with_name(target.name).resolve()}
    for target in new:
        if target.exists():
            msg = Message("{path} is there already, and no dataset of the descriptor; give the file another name", path=target)
            raise ConfigError(msg)
    place = {
        "name": dataset.name,
        "count": count,
        "file": f"{Path(settings.descriptor).parent.as_posix()}/{file.name}",
        "descriptor": settings.descriptor,
    }
    if dry:
        return Adopted((), Message("{name}: {count} rows would go into {file}, described in {descriptor}", **place))
    # The descriptor last: until it names them, the others are not part of the ledger.
    _write({**new, **words, descriptor: changed.encode()})
    return Adopted((), Message("{name}: {count} rows in {file}, described in {descriptor}", **place))


def _words(file: Path, dataset: Dataset, root: Path, settings: Settings) -> tuple[dict[Path, bytes], list[Finding]]:
    """Return the project's catalogues with the words that the dataset brings along, and what is wrong with those."""
    changed: dict[Path, bytes] = {}
    findings: list[Finding] = []
    for language in settings.languages:
        folder = root / settings.locale / language / "LC_MESSAGES"
        files = [(name, _read(folder / name)) for name in DOMAINS if (folder / name).is_file()]
        beside = file.with_suffix(f".{language}.po")
        new = (str(beside), _read(beside) if beside.is_file() else b"")
        entries, problems = add_words(language, files, new, dataset, shown=settings.data_pages)
        findings += problems
        if entries:
            before = dict(files).get(DOMAINS[-1], _HEAD.format(language=language).encode())
            changed[folder / DOMAINS[-1]] = before.rstrip() + f"\n\n# {dataset.name}\n{entries}".encode()
    return changed, findings


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


def _write(files: dict[Path, bytes]) -> None:
    """Write files in order; when one cannot be written, all are as they were."""
    before = {path: path.read_bytes() if path.exists() else None for path in files}
    try:
        for path, data in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, data.decode())
    except BaseException as error:
        for path, old in before.items():
            if old is None:
                path.unlink(missing_ok=True)
            elif path.read_bytes() != old:
                path.write_bytes(old)
        if isinstance(error, OSError):
            msg = Message("{path} cannot be written: {reason}; it is as it was", path=error.filename, reason=error.strerror or error)
            raise ConfigError(msg) from error
        raise
