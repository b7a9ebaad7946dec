"""A result file that joins the ledger: what is wrong with it, and the descriptor with its resource at the end."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from ledgermark.catalogue import SOURCE_LANGUAGE, read_catalogue
from ledgermark.datafacts import words_of
from ledgermark.descriptor import read_descriptor
from ledgermark.findings import ConfigError, Finding
from ledgermark.ledger import load_ledger
from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ledgermark.descriptor import Dataset

_INDENTS: Final = (2, 4, 1, 3, 8, "\t")
_LIST: Final = "resources"


def read_resource(path: str, data: bytes, csv_name: str) -> tuple[dict[str, Any], Dataset | None, list[Finding]]:
    """Return the resource that describes a result file, read, and what is wrong with it.

    Args:
        path: of the resource, for findings.
        data: its bytes.
        csv_name: name of the file that it has to describe.
    """
    # On the same line, so that findings name the lines of the file itself.
    datasets, findings = read_descriptor(path, b'{"resources":[' + data + b"]}")
    if findings or len(datasets) != 1:
        message = Message("expected one resource, an object")
        return {}, None, findings or [Finding(path, 1, 1, "LM509", message)]
    (dataset,) = datasets
    if dataset.path != csv_name:
        message = Message(
            "'{name}': the path is '{path}', expected '{wanted}', the file beside it", name=dataset.name, path=dataset.path, wanted=csv_name
        )
        return {}, None, [Finding(path, 1, 1, "LM509", message)]
    return json.loads(data), dataset, []


def check_rows(dataset: Dataset, path: str, data: bytes) -> tuple[int, list[Finding]]:
    """Return how many rows a result file has, and what the ledger would find wrong with them.

    Args:
        dataset: as its resource describes it.
        path: of the file, for findings.
        data: its bytes.
    """
    ledger, findings = load_ledger([replace(dataset, path=path)], {path: data})
    return (0, findings) if findings else (len(ledger.rows(dataset.name)), [])


def add_words(
    language: str, files: Sequence[tuple[str, bytes]], new: tuple[str, bytes], dataset: Dataset, *, shown: bool
) -> tuple[str, list[Finding]]:
    """Return the translations that a dataset's page needs and the project lacks, as a catalogue has them, and what is wrong with them.

    Args:
        language: the code.
        files: the project's catalogues, path and bytes.
        new: the catalogue beside the result file; no bytes where there is none.
        dataset: what is described.
        shown: whether the project has pages of its data; without them nothing needs words.
    """
    known, _ = read_catalogue(language, files)
    found, findings = read_catalogue(language, [new] if new[1] else [])
    needed = sorted(words_of(dataset) - set(known.messages))
    if shown and language != SOURCE_LANGUAGE and not findings:
        missing = [text for text in needed if text not in found.messages]
        findings = [Finding(new[0], 1, 1, "LM306", Message("no translation of '{message}'", message=text)) for text in missing]
    # In the order of the file, which is that of the descriptor.
    entries = [(text, words) for text, words in found.messages.items() if text in needed]
    # A text of a catalogue is quoted as one of JSON is.
    return "".join(f"\nmsgid {_line(text)}\nmsgstr {_line(words)}\n" for text, words in entries), findings


def add_resource(path: str, text: str, resource: dict[str, Any]) -> str:
    """Return the descriptor with one more resource, the last; all else in it, and the way it is laid out, stays.

    Args:
        path: of the descriptor, for messages.
        text: the descriptor.
        resource: to add.

    Raises:
        ConfigError: a resource of its name, or for its file, is there already, or the descriptor has findings of its own.
    """
    datasets, findings = read_descriptor(path, text.encode())
    if findings:
        msg = Message("{finding}; mend the descriptor first", finding=findings[0])
        raise ConfigError(msg)
    for dataset in datasets:
        if dataset.name == resource["name"]:
            msg = Message(
                "{path} has a dataset '{name}' already, in {file}; give the file another name", path=path, name=dataset.name, file=dataset.path
            )
            raise ConfigError(msg)
        if dataset.path == resource["path"]:
            msg = Message(
                "{path} describes {file} already, as '{name}'; give the file another name", path=path, file=dataset.path, name=dataset.name
            )
            raise ConfigError(msg)
    package = json.loads(text)
    whole = {**package, _LIST: [*package[_LIST], resource]}
    for indent in _INDENTS:
        for ascii_only in (False, True):
            if json.dumps(package, indent=indent, ensure_ascii=ascii_only) == text.strip():
                return text.replace(text.strip(), json.dumps(whole, indent=indent, ensure_ascii=ascii_only))
    start, end = _last(text)
    lead = text[text.rfind("\n", 0, start) + 1 : start]
    if lead.strip():
        return f"{text[:end]}, {_line(resource)}{text[end:]}"
    added = _block(resource, lead, _step(text, start, lead))
    newline = "\r\n" if "\r\n" in text else "\n"
    return text[:end] + f",\n{lead}{added}".replace("\n", newline) + text[end:]


def _last(text: str) -> tuple[int, int]:
    """Return where the last resource of a descriptor begins and ends."""
    listed = next(start for key, start, _ in _members(text, text.index("{")) if key == _LIST)
    *_, (_, start, end) = _members(text, listed)
    return start, end


def _members(text: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Yield the members of the object or list that begins at a place: the key, empty in a list, and where the value begins and ends."""
    decoder, place, named = json.JSONDecoder(), start + 1, text[start] == "{"
    while True:
        place = _skip(text, place, ", \t\r\n")
        if text[place] in "]}":
            return
        key = ""
        if named:
            key, place = decoder.raw_decode(text, place)
            place = _skip(text, place, ": \t\r\n")
        _, end = decoder.raw_decode(text, place)
        yield key, place, end
        place = end


def _skip(text: str, place: int, what: str) -> int:
    while text[place] in what:
        place += 1
    return place


def _step(text: str, start: int, lead: str) -> str:
    """Return by how much the members of a resource stand further in than it does."""
    line = text[start:].split("\n", 2)[1] if "\n" in text[start:] else ""
    own = line[: len(line) - len(line.lstrip())]
    return own[len(lead) :] if own.startswith(lead) and len(own) > len(lead) else "  "


def _block(value: Any, lead: str, step: str) -> str:
    """Return JSON with a member a line where there are lists of objects in it, and each of their objects on a line of its own."""
    inner = lead + step
    if isinstance(value, list) and any(isinstance(item, dict) for item in value):
        lines = ",\n".join(f"{inner}{_line(item)}" for item in value)
        return f"[\n{lines}\n{lead}]"
    if isinstance(value, dict) and any(isinstance(item, list) and any(isinstance(part, dict) for part in item) for item in value.values()):
        lines = ",\n".join(f"{inner}{_line(key)}: {_block(item, inner, step)}" for key, item in value.items())
        return f"{{\n{lines}\n{lead}}}"
    return _line(value)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
