"""The data descriptor, `datapackage.json`: what each file of the ledger holds, in which units, from where."""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from ledgermark.findings import Finding, nearest
from ledgermark.messages import Message
from ledgermark.units import Unit, UnitError, parse_unit

EVIDENCE: Final = ("raw", "summary", "published")
TYPES: Final = ("string", "integer", "number", "boolean", "date")
NUMERIC: Final = ("integer", "number")
_CONSTRAINTS: Final = ("required", "unique", "minimum", "maximum", "enum", "pattern")


@dataclass(frozen=True)
class Column:
    """One column: its type, unit (numbers only) and constraints."""

    name: str
    type: str
    unit: Unit | None = None
    description: str = ""
    constraints: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Dataset:
    """One file of the ledger, as described.

    Attributes:
        evidence: `raw` (each run is a row), `summary` (raw exists, not in the repository), `published` (transcribed).
        note: where the raw data is, for the latter two.
        instrument: the script in this repository that measured the rows, where there is one.
        rows: how many rows the file must have, where the descriptor says so.
        row: what a row is, in a few words.
    """

    name: str
    path: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    evidence: str
    title: str = ""
    description: str = ""
    note: str = ""
    instrument: str = ""
    rows: int | None = None
    row: str = ""
    missing: tuple[str, ...] = ("",)
    sources: tuple[dict[str, Any], ...] = ()
    licenses: tuple[dict[str, Any], ...] = ()

    def column(self, name: str) -> Column | None:
        """Return the column of that name."""
        return self._by_name.get(name)

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}


def read_descriptor(path: str, data: bytes) -> tuple[tuple[Dataset, ...], list[Finding]]:
    """Return the datasets that a descriptor describes, and what is wrong with it.

    Args:
        path: the descriptor's path, for findings; files are named relative to its folder.
        data: its bytes.
    """
    reader = _Reader(path, data)
    return tuple(reader.datasets()), reader.findings


class _Reader:
    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.findings: list[Finding] = []
        self.text = ""
        self.package: Any = None
        try:
            self.text = data.decode("utf-8")
            self.package = json.loads(self.text)
        except UnicodeDecodeError as error:
            self.finding("LM501", Message("not UTF-8 (byte {start}); write the descriptor in UTF-8", start=error.start + 1), "")
        except json.JSONDecodeError as error:
            self.findings.append(Finding(path, error.lineno, error.colno, "LM509", Message("not JSON: {error}", error=error.msg)))
        except (RecursionError, ValueError) as error:
            self.finding("LM509", Message("cannot be read: {error}", error=(str(error).splitlines() or [""])[0]), "")

    def finding(self, code: str, message: str, near: str) -> None:
        """Add a finding at the first place where the JSON text holds `near`."""
        offset = max(self.text.find(json.dumps(near, ensure_ascii=False)), 0) if near else 0
        before = self.text[:offset]
        self.findings.append(Finding(self.path, before.count("\n") + 1, offset - (before.rfind("\n") + 1) + 1, code, message))

    def datasets(self) -> list[Dataset]:
        if self.findings:
            return []
        resources = self.package.get("resources") if isinstance(self.package, dict) else None
        if not isinstance(resources, list) or not resources:
            self.finding("LM509", Message("expected an object with a non-empty list 'resources'"), "resources")
            return []
        found: list[Dataset] = []
        for number, resource in enumerate(resources, 1):
            dataset = self.dataset(resource, number)
            if dataset and any(dataset.name == other.name for other in found):
                self.finding("LM509", Message("two resources are named '{name}'", name=dataset.name), dataset.name)
            elif dataset:
                found.append(dataset)
        return found

    def dataset(self, resource: Any, number: int) -> Dataset | None:
        if not isinstance(resource, dict) or not isinstance(resource.get("name"), str) or not isinstance(resource.get("path"), str):
            self.finding("LM509", Message("resource {number}: expected an object with the texts 'name' and 'path'", number=number), "resources")
            return None
        name, path = resource["name"], resource["path"]
        parts = path.replace("\\", "/").split("/")
        if path.startswith("/") or ".." in parts or ":" in path or not path.isprintable():
            self.finding("LM509", Message("'{name}': path '{path}' must lie below the descriptor's folder", name=name, path=path), path)
            return None
        evidence = resource.get("evidence")
        if evidence not in EVIDENCE:
            message = Message(
                "'{name}': evidence is {evidence}, expected one of {names}", name=name, evidence=json.dumps(evidence), names=", ".join(EVIDENCE)
            )
            self.finding("LM509", message, name)
            return None
        note = str(resource.get("evidence_note") or "")
        if evidence != "raw" and not note:
            message = Message(
                "'{name}': evidence '{evidence}' needs an 'evidence_note' that says where the raw data is", name=name, evidence=evidence
            )
            self.finding("LM509", message, name)
        sources = _records(resource.get("sources"))
        if problem := _denied(evidence, note, sources):
            self.finding("LM509", Message("'{name}': evidence '{evidence}' {problem}", name=name, evidence=evidence, problem=problem), name)
        rows = resource.get("rows")
        if rows is not None and (not isinstance(rows, int) or isinstance(rows, bool) or rows < 0):
            self.finding("LM509", Message("'{name}': rows is {rows}, expected a whole number", name=name, rows=json.dumps(rows)), name)
            rows = None
        columns = self.columns(name, resource.get("schema"))
        if columns is None:
            return None
        return Dataset(
            name=name,
            path=path,
            columns=columns,
            key=self.key(name, resource["schema"], columns),
            evidence=evidence,
            title=str(resource.get("title") or ""),
            description=str(resource.get("description") or ""),
            note=note,
            instrument=str(resource.get("instrument") or ""),
            rows=rows,
            row=str(resource.get("row") or ""),
            missing=self.missing(name, resource["schema"]),
            sources=sources,
            licenses=_records(resource.get("licenses", self.package.get("licenses"))),
        )

    def missing(self, name: str, schema: dict[str, Any]) -> tuple[str, ...]:
        """Return the texts that stand for no value."""
        values = schema.get("missingValues", [""])
        if not isinstance(values, list):
            message = Message("'{name}': missingValues is {values}, expected a list of texts", name=name, values=json.dumps(values))
            self.finding("LM509", message, "missingValues")
            return ("",)
        return tuple(str(item) for item in values)

    def columns(self, name: str, schema: Any) -> tuple[Column, ...] | None:
        fields = schema.get("fields") if isinstance(schema, dict) else None
        if not isinstance(fields, list) or not fields:
            self.finding("LM509", Message("'{name}': expected a schema with a non-empty list 'fields'", name=name), name)
            return None
        columns: list[Column] = []
        for item in fields:
            column = self.field(name, item)
            if column is None:
                return None
            if any(column.name == other.name for other in columns):
                message = Message("'{name}': two fields are named '{column_name}'", name=name, column_name=column.name)
                self.finding("LM509", message, column.name)
                return None
            columns.append(column)
        return tuple(columns)

    def field(self, dataset: str, item: Any) -> Column | None:
        if not isinstance(item, dict) or not isinstance(item.get("name"), str):
            self.finding("LM509", Message("'{dataset}': each field is an object with a 'name'", dataset=dataset), dataset)
            return None
        name, kind = item["name"], item.get("type", "string")
        if kind not in TYPES:
            message = Message(
                "'{dataset}.{name}': type is {kind}, expected one of {names}{hint}",
                dataset=dataset,
                name=name,
                kind=json.dumps(kind),
                names=", ".join(TYPES),
                hint=nearest(str(kind), TYPES),
            )
            self.finding("LM509", message, name)
            return None
        constraints = item.get("constraints") or {}
        unknown = [key for key in constraints if key not in _CONSTRAINTS] if isinstance(constraints, dict) else ["constraints"]
        if unknown:
            message = Message(
                "'{dataset}.{name}': constraint '{unknown}' is not known{hint}",
                dataset=dataset,
                name=name,
                unknown=unknown[0],
                hint=nearest(unknown[0], _CONSTRAINTS),
            )
            self.finding("LM509", message, name)
            return None
        for rule, value in constraints.items():
            problem = _wrong_rule(rule, value, kind)
            if problem:
                message = Message(
                    "'{dataset}.{name}': {rule} is {value}, expected {problem}",
                    dataset=dataset,
                    name=name,
                    rule=rule,
                    value=json.dumps(value),
                    problem=problem,
                )
                self.finding("LM509", message, name)
                return None
        unit = self.unit(dataset, name, item) if kind in NUMERIC else None
        return Column(name, kind, unit, str(item.get("description") or ""), constraints)

    def unit(self, dataset: str, name: str, item: dict[str, Any]) -> Unit | None:
        text = item.get("unit")
        if not isinstance(text, str) or not text:
            message = Message(
                '\'{dataset}.{name}\' is numeric and has no unit; write "unit": "1" for a plain number', dataset=dataset, name=name
            )
            self.finding("LM508", message, name)
            return None
        try:
            return parse_unit(text)
        except UnitError as error:
            self.finding("LM508", Message("'{dataset}.{name}': {error}", dataset=dataset, name=name, error=error), name)
            return None

    def key(self, name: str, schema: dict[str, Any], columns: tuple[Column, ...]) -> tuple[str, ...]:
        key = schema.get("primaryKey", [])
        if not isinstance(key, str | list):
            message = Message("'{name}': primaryKey is {key}, expected a list of field names", name=name, key=json.dumps(key))
            self.finding("LM509", message, "primaryKey")
            return ()
        names = (key,) if isinstance(key, str) else tuple(str(item) for item in key)
        known = [column.name for column in columns]
        for item in names:
            if item not in known:
                message = Message(
                    "'{name}': primaryKey names '{item}', which is no field{hint}", name=name, item=item, hint=nearest(item, known)
                )
                self.finding("LM509", message, item)
        if not names:
            self.finding("LM509", Message("'{name}': expected a primaryKey: it is what tells one row from another", name=name), name)
        return tuple(item for item in names if item in known)


def _denied(evidence: str, note: str, sources: tuple[dict[str, Any], ...]) -> str:
    """Return what else in a description denies the evidence it names: a badge must not hang on one word."""
    if evidence == "raw" and note:
        return Message("has an 'evidence_note'; raw data is here, and where else it may be needs no note")
    passages = [bool(source.get("passage")) for source in sources]
    if evidence == "published" and not (passages and all(passages)):
        return Message("needs in each of its sources a 'passage': the table or the lines that were transcribed")
    if evidence != "published" and any(passages):
        return Message("has a source with a 'passage'; only transcribed rows ('published') come from one")
    return ""


def _wrong_rule(rule: str, value: Any, kind: str) -> str:
    """Return what a constraint's value should have been, or an empty text when it is right."""
    if rule in ("required", "unique"):
        return "" if isinstance(value, bool) else Message("true or false")
    if rule in ("minimum", "maximum"):
        number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        return "" if (number if kind in NUMERIC else isinstance(value, str)) else Message("a number") if kind in NUMERIC else Message("a text")
    if rule == "enum":
        return "" if isinstance(value, list) and value else Message("a list of values")
    try:
        re.compile(value if isinstance(value, str) else "(")
    except re.error:
        return Message("a regular expression")
    return ""


def _records(value: Any) -> tuple[dict[str, Any], ...]:
    return tuple(item for item in value if isinstance(item, dict)) if isinstance(value, list) else ()
