"""A project read from disk: a folder with a `mkdocs.yml` becomes a `Project`."""

from __future__ import annotations

import hashlib
import sys
import traceback
from dataclasses import replace
from datetime import date
from importlib import resources
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from ledgermark.catalogue import DOMAINS, Catalogue, read_catalogue
from ledgermark.check import Project
from ledgermark.clock import git
from ledgermark.config_file import read_config, settings_in
from ledgermark.descriptor import Dataset, read_descriptor
from ledgermark.figures import find_figures
from ledgermark.files import read_file
from ledgermark.findings import ConfigError, Finding, in_words
from ledgermark.ledger import load_ledger
from ledgermark.messages import Message
from ledgermark.metrics import find_metrics
from ledgermark.pagefiles import read_pages
from ledgermark.parquet import StoredFile
from ledgermark.processes import uncollected
from ledgermark.record import History
from ledgermark.source import Source
from ledgermark.subjects import Family, read_subjects
from ledgermark.suffixes import check_suffixes
from ledgermark.yamls import YamlError, read_yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ledgermark.settings import Settings


@uncollected()
def load_project(config_path: Path, settings: Settings | None = None) -> Project:
    """Return the project whose `mkdocs.yml` is at a path.

    Args:
        config_path: the file.
        settings: those in it, where the caller has read them already.

    Raises:
        ConfigError: the set-up is broken. What is wrong with data and pages is in the project's findings.
    """
    root = config_path.resolve().parent
    settings = settings or settings_in(read_config(config_path))
    for language, folder in settings.languages.items():
        if not (root / folder).is_dir():
            msg = Message(
                "ledgermark: languages: {language} has its pages in '{folder}', which is no folder here", language=language, folder=folder
            )
            raise ConfigError(msg)
    findings: list[Finding] = []
    datasets, files = _read_data(root, settings, findings)
    digest, digests = _digests(root, settings, files)
    broken = any(finding.code in ("LM501", "LM509") for finding in findings)
    ledger, problems = load_ledger(datasets, files, incomplete=broken)
    findings += problems
    return Project(
        settings=settings,
        ledger=ledger,
        metrics=_load(root, settings.metrics, find_metrics, "LM108", findings),
        figures=_load(root, settings.figures, find_figures, "LM602", findings),
        pages=read_pages(root, settings, findings),
        catalogues={language: _read_catalogue(root, settings, language, findings) for language in settings.languages},
        digest=digest,
        digests=digests,
        chips=_read_chips(root, settings, findings),
        texts={name: source for name in ("mkdocs.yml", settings.mastheads) if (source := _read_text(root / name, name))},
        families=_read_families(root, settings, findings),
        history=_read_history(root, str(PurePosixPath(settings.descriptor).with_name("published.json")), findings),
        findings=tuple(findings),  # last: each of the above may add some
    )


_PARQUET: Final = ".parquet"


def _read_data(root: Path, settings: Settings, findings: list[Finding]) -> tuple[list[Dataset], dict[str, bytes | str | StoredFile]]:
    path = root / settings.descriptor
    content = read_file(path)
    if isinstance(content, str):
        findings.append(Finding(settings.descriptor, 1, 1, "LM501", content))
        return [], {}
    described, problems = read_descriptor(settings.descriptor, content)
    findings += [*problems, *check_suffixes(settings.descriptor, content, described)]
    folder = PurePosixPath(settings.descriptor).parent
    datasets = [replace(dataset, path=str(folder / dataset.path)) for dataset in described]
    for dataset in datasets:
        # The badge "rerunnable" rests on it.
        if dataset.instrument and not (root / dataset.instrument).is_file():
            message = Message(
                "'{name}': the instrument '{instrument}' is no file here; expected the script that measured the rows",
                name=dataset.name,
                instrument=dataset.instrument,
            )
            findings.append(Finding(settings.descriptor, 1, 1, "LM509", message))
    files = {dataset.path: _stored(root / dataset.path) for dataset in datasets}
    listed = {str(PurePosixPath(name)) for name in files}
    for stray in sorted(item for item in path.parent.iterdir() if item.suffix in (".csv", _PARQUET)) if not problems else ():
        name = str(folder / stray.name)
        if name not in listed:
            findings.append(
                Finding(name, 1, 1, "LM506", Message("the file is not in {descriptor}; describe it there", descriptor=settings.descriptor))
            )
    return datasets, files


def _stored(path: Path) -> bytes | str | StoredFile:
    """Return a data file: its bytes, or itself where it is Parquet, which is never read whole, or in words why it cannot be read."""
    if path.suffix == _PARQUET and path.is_file():
        return StoredFile(path)
    return read_file(path)


def _load(root: Path, name: str, find: Callable[[dict[str, Any]], dict[str, Any]], code: str, findings: list[Finding]) -> dict[str, Any] | None:
    """Return what a Python file of the project defines, run in a namespace of its own; None and a finding when it fails."""
    content = read_file(root / name)
    if isinstance(content, str):
        findings.append(Finding(name, 1, 1, code, content))
        return None
    namespace: dict[str, Any] = {"__name__": PurePosixPath(name).stem, "__file__": str(root / name)}
    folder = str((root / name).parent)
    before = set(sys.modules)
    sys.path.insert(0, folder)
    try:
        exec(compile(content, str(root / name), "exec"), namespace)  # noqa: S102  (the project's own code is what a metric is)
        return find(namespace)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        line, column = _place_in(error, str(root / name))
        findings.append(Finding(name, line, column, code, Message("the file cannot be loaded: {error}", error=in_words(error))))
        return None
    finally:
        sys.path.remove(folder)
        # What the file imported from beside itself is read anew next time: `serve` must see an edit, and another project its own files.
        for module in set(sys.modules) - before:
            if str(getattr(sys.modules[module], "__file__", None) or "").startswith(folder):
                del sys.modules[module]


def _place_in(error: BaseException, path: str) -> tuple[int, int]:
    if isinstance(error, SyntaxError):
        return error.lineno or 1, max(error.offset or 1, 1)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path and frame.lineno]
    return (lines[-1] if lines else 1), 1


def _read_catalogue(root: Path, settings: Settings, language: str, findings: list[Finding]) -> Catalogue:
    files: list[tuple[str, bytes]] = []
    own = resources.files("ledgermark") / "locale" / language / "LC_MESSAGES" / "messages.po"
    if own.is_file():
        files.append((f"ledgermark/locale/{language}", own.read_bytes()))
    for domain in DOMAINS:
        name = f"{settings.locale}/{language}/LC_MESSAGES/{domain}"
        if (root / name).is_file():
            files.append((name, (root / name).read_bytes()))
    catalogue, problems = read_catalogue(language, files)
    findings += problems
    return catalogue


def _read_chips(root: Path, settings: Settings, findings: list[Finding]) -> dict[str, list[dict[str, object]]]:
    if not (root / settings.mastheads).is_file():
        return {}
    try:
        content = read_yaml((root / settings.mastheads).read_text(encoding="utf-8")) or {}
    except ValueError as error:
        line = error.line if isinstance(error, YamlError) else 1
        findings.append(Finding(settings.mastheads, line, 1, "LM901", Message("no YAML: {error}", error=error)))
        return {}
    if not isinstance(content, dict):
        findings.append(Finding(settings.mastheads, 1, 1, "LM901", Message("expected a mapping of page paths to lists of chips")))
        return {}
    chips: dict[str, list[dict[str, object]]] = {}
    for page, items in content.items():
        if isinstance(items, list) and all(_is_chip(item) for item in items):
            chips[str(page)] = items
        else:
            message = Message(
                "'{page}': expected a list of chips, each with a kind and a text per language, or dates such as [2026-08-01]", page=page
            )
            findings.append(Finding(settings.mastheads, 1, 1, "LM901", message))
    return chips


def _read_families(root: Path, settings: Settings, findings: list[Finding]) -> tuple[Family, ...]:
    if not (root / settings.subjects).is_file():
        return ()
    content = read_file(root / settings.subjects)
    try:
        text = content.decode("utf-8") if isinstance(content, bytes) else ""
    except UnicodeDecodeError as error:
        content = Message("not UTF-8 (byte {start})", start=error.start + 1)
    if isinstance(content, str):
        findings.append(Finding(settings.subjects, 1, 1, "LM123", content))
        return ()
    families, problems = read_subjects(settings.subjects, text, settings.languages)
    findings += problems
    return families


def _read_history(root: Path, path: str, findings: list[Finding]) -> History:
    """Return the record of published values and what git has of it."""
    text: str | None = None
    if (root / path).exists():
        content = read_file(root / path)
        try:
            text = content.decode("utf-8") if isinstance(content, bytes) else ""
        except UnicodeDecodeError as error:
            content = Message("not UTF-8 (byte {start})", start=error.start + 1)
        if isinstance(content, str):
            findings.append(Finding(path, 1, 1, "LM410", content))
            return History(path)
    if not git(root, "rev-parse", "HEAD"):
        return History(path, text, None)
    commits = git(root, "rev-list", "HEAD", "--", path).split()
    versions = (git(root, "show", f"{commit}:./{path}") for commit in commits)
    return History(path, text, tuple(version for version in versions if version))


def _read_text(path: Path, name: str) -> Source | None:
    content = read_file(path)
    return Source(name, content.decode("utf-8", "replace").replace("\r\n", "\n")) if isinstance(content, bytes) else None


def _is_chip(item: Any) -> bool:
    dates = item.get("dates", []) if isinstance(item, dict) else None
    return (
        isinstance(item, dict) and isinstance(item.get("kind"), str) and isinstance(dates, list) and all(isinstance(day, date) for day in dates)
    )


def _digests(root: Path, settings: Settings, files: Mapping[str, bytes | str | StoredFile]) -> tuple[str, dict[str, str]]:
    """Return SHA-256 over descriptor and data together, and of each data file by its path."""
    whole = hashlib.sha256()
    each: dict[str, str] = {}
    content = read_file(root / settings.descriptor)
    for name, data in sorted([(settings.descriptor, content), *files.items()], key=lambda item: item[0]):
        own = hashlib.sha256()
        body = data if isinstance(data, bytes) else b""
        whole.update(f"{name}\0{data.size if isinstance(data, StoredFile) else len(body)}\0".encode())
        for piece in data.pieces() if isinstance(data, StoredFile) else (body,):
            whole.update(piece)
            own.update(piece)
        each[name] = own.hexdigest()
    return whole.hexdigest(), each
