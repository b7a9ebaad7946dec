"""Findings and answers in the formats people and machines read."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from ledgermark.badge import MEANINGS, badge_of
from ledgermark.check import rows_of
from ledgermark.findings import CODES, counted, printable, spoken
from ledgermark.messages import Message
from ledgermark.record import event_item
from ledgermark.sarif import sarif
from ledgermark.typeset import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ledgermark.check import Checked, Project
    from ledgermark.claims import Claim
    from ledgermark.drafts import Draft
    from ledgermark.figures import Drawn
    from ledgermark.findings import Finding
    from ledgermark.fix import Edit
    from ledgermark.messages import Say
    from ledgermark.pages import Page
    from ledgermark.quantity import Quantity
    from ledgermark.record import Event

FORMATS: Final = ("text", "json", "github", "sarif")


def report(findings: Sequence[Finding], form: str, summary: str, say: Say = str) -> str:
    """Return the findings in a format; the summary line ends the text form.

    Args:
        findings: sorted.
        form: one of `FORMATS`.
        summary: what was checked.
        say: in which language.
    """
    findings, summary = [spoken(finding, say) for finding in findings], say(summary)
    if form == "json":
        return json.dumps(
            {"findings": [finding_record(finding, say) for finding in findings], "summary": summary}, ensure_ascii=False, indent=2
        )
    if form == "sarif":
        return json.dumps(sarif(findings, version("ledgermark"), say), ensure_ascii=False, indent=2)
    if form == "github":
        return "\n".join(_github(finding) for finding in findings)
    return "\n".join([*(str(finding) for finding in findings), summary])


def claims_of(checked: Checked) -> dict[str, int]:
    """Return how many claims the pages of each language hold."""
    pages = checked.project.pages
    return {
        language: sum(len(page.claims.claims) for page in pages.get(language, {}).values()) for language in checked.project.settings.languages
    }


def silences_in(checked: Checked) -> int:
    """Return how many comments on the pages silence a finding."""
    return sum(len(page.silences) for page in checked.project.all_pages)


def summary_of(checked: Checked) -> str:
    """Return one line on what was checked and found."""
    return summary(claims_of(checked), len(checked.findings), unchecked=checked.project.history.unchecked, silenced=silences_in(checked))


def summary(counts: Mapping[str, int], findings: int, *, unchecked: bool, silenced: int = 0) -> str:
    """Return one line on a check.

    Args:
        counts: how many claims each language has.
        findings: how many it found.
        unchecked: whether the record of published values could not be compared with its history.
        silenced: how many comments silence a finding.
    """
    claims = ", ".join(f"{count} {language}" for language, count in counts.items())
    if silenced:
        claims = Message("{claims}; {count} silenced", claims=claims, count=silenced)
    note = Message("; no git here, so the record of published values was not compared with its history") if unchecked else ""
    return Message("ledgermark: {found} (claims: {claims}){note}", found=counted(findings), claims=claims, note=note)


def finding_record(finding: Finding, say: Say = str) -> dict[str, Any]:
    """Return a finding as a JSON object."""
    return {
        "path": finding.path,
        "line": finding.line,
        "column": finding.column,
        "code": finding.code,
        "title": say(Message(CODES[finding.code])),
        "message": say(finding.message),
        "shown": finding.shown,
        "expected": finding.expected,
        "rows": list(finding.rows),
    }


def edits_report(changed: Mapping[Page, Sequence[Edit]], form: str, *, dry: bool, drafts: Sequence[Draft] = (), say: Say = str) -> str:
    """Return what `fix` changed, or would change: each edit with its place, and the errata drafted.

    Args:
        changed: the edits by page; only pages that have some.
        form: `text` or `json`.
        dry: whether nothing was written.
        drafts: the errata for published values that changed.
        say: in which language.
    """
    placed = [(page.source.path, *page.source.place(edit.start), edit.old, edit.new) for page, edits in changed.items() for edit in edits]
    if form == "json":
        names = ("path", "line", "column", "old", "new")
        records: dict[str, Any] = {"edits": [dict(zip(names, edit, strict=True)) for edit in placed], "written": not dry}
        if drafts:
            records["errata"] = [{"path": item.page.source.path, "id": item.id, "affects": list(item.affects)} for item in drafts]
        return json.dumps(records, ensure_ascii=False, indent=2)
    pages = Message("1 page") if len(changed) == 1 else Message("{count} pages", count=len(changed))
    total = Message("{pages} would change", pages=pages) if dry else Message("{pages} changed", pages=pages)
    lines: list[str] = [f"{path}:{line}:{column}: {old} -> {new}" for path, line, column, old, new in placed]
    lines += [
        Message(
            "{path}: erratum '{id}' drafted for {names}; say what happened",
            path=item.page.source.path,
            id=item.id,
            names=", ".join(item.affects),
        )
        for item in drafts
    ]
    return "\n".join(printable(say(line)) for line in [*lines, total])


def events_report(events: Sequence[Event], path: str, form: str, *, dry: bool, say: Say = str) -> str:
    """Return what `publish` added to the record, or would add.

    Args:
        events: the new ones.
        path: the record's.
        form: `text` or `json`.
        dry: whether nothing was written.
        say: in which language.
    """
    if form == "json":
        return json.dumps({"events": [event_item(event) for event in events], "path": path, "written": not dry}, ensure_ascii=False, indent=2)
    values = sum(event.dated is None for event in events)
    errata = len(events) - values
    of_values = Message("1 value") if values == 1 else Message("{count} values", count=values)
    of_errata = Message("1 erratum") if errata == 1 else Message("{count} errata", count=errata)
    if not events:
        return say(Message("{path}: nothing new", path=path))
    if dry:
        return say(Message("{path}: {values}, {errata} would be added", path=path, values=of_values, errata=of_errata))
    return say(Message("{path}: {values}, {errata} added", path=path, values=of_values, errata=of_errata))


def _github(finding: Finding) -> str:
    """Return a workflow command; its own escapes keep a message from forging another."""
    message = _escape(printable(finding.message))
    path = _escape(printable(finding.path)).replace(":", "%3A").replace(",", "%2C")
    return f"::error file={path},line={finding.line},col={finding.column},title={finding.code}::{message}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def explanation(claim: Claim, values: Sequence[Quantity], project: Project) -> dict[str, Any]:
    """Return what a claim is bound to: its metric's sentence and formula, its values, and each row that made them."""
    metric = (project.metrics or {}).get(claim.name)
    dataset, _, column = claim.name.partition(".")
    described = project.ledger.datasets.get(dataset) if column else None
    spec = described.column(column) if described else None
    datasets = [project.ledger.datasets[name] for name in sorted({cell.dataset for value in values for cell in value.evidence})]
    return {
        "claim": claim.key,
        "name": claim.name,
        "sentence": metric.sentence if metric else (spec.description if spec else ""),
        "formula": metric.formula if metric else "",
        "unit": metric.unit.symbol if metric else (spec.unit.symbol if spec and spec.unit else ""),
        "values": [show(value.value, value.unit, significant=10) for value in values],
        "badge": badge_of(datasets) if datasets else "",
        "inputs": input_rows(values, project),
    }


def used_cells(values: Iterable[Quantity]) -> dict[tuple[str, int], set[str]]:
    """Return the rows some values come from, as dataset and line, with the columns that were used; none where a row counts as a whole."""
    used: dict[tuple[str, int], set[str]] = {}
    for value in values:
        for cell in value.evidence:
            columns = used.setdefault((cell.dataset, cell.line), set())
            if cell.column:
                columns.add(cell.column)
    return used


def input_rows(values: Iterable[Quantity], project: Project) -> list[dict[str, Any]]:
    """Return the rows some values come from: file, line, the row as written, and the columns that were used."""
    records = []
    for (dataset, line), columns in sorted(used_cells(values).items()):
        table = project.ledger.table(dataset)
        row = table.row(table.position(line))
        records.append({"file": table.dataset.path, "line": line, "row": row, "used": sorted(columns)})
    return records


def explain_text(answer: dict[str, Any], say: Say = str) -> str:
    """Return an explanation for a terminal."""
    sentence = say(Message(answer["sentence"]))
    lines = [answer["claim"], f"  {sentence}" if sentence else "", f"  = {answer['formula']}" if answer["formula"] else ""]
    lines.append(say(Message("  gives {values}", values=", ".join(answer["values"]))) if answer["values"] else "")
    if answer["badge"]:
        lines.append(f"  {answer['badge']}: {say(Message(MEANINGS[answer['badge']]))}")
    for record in answer["inputs"]:
        cells = ", ".join(f"{name}={cell}" for name, cell in record["row"].items())
        lines.append(f"  {record['file']}:{record['line']}  {cells}" + (f"  [{', '.join(record['used'])}]" if record["used"] else ""))
    return "\n".join(printable(line) for line in lines if line)


def recomputation(drawn: Drawn, project: Project) -> dict[str, Any]:
    """Return a figure's numbers computed anew: its table, the rows they come from, badge and digest."""
    places = sorted({(project.ledger.datasets[cell.dataset].path, cell.line) for cell in drawn.evidence})
    return {
        "figure": drawn.name,
        "title": drawn.title,
        "badge": drawn.badge,
        "digest": f"sha256:{drawn.digest}",
        "columns": list(drawn.columns),
        "rows": [list(row) for row in drawn.rows],
        "inputs": [f"{path}:{line}" for path, line in places],
    }


def recompute_text(answer: dict[str, Any], say: Say = str) -> str:
    """Return a recomputation for a terminal: a table with aligned columns."""
    table = [answer["columns"], *answer["rows"]]
    widths = [max(_width(row[index]) for row in table) for index in range(len(answer["columns"]))]
    lines = [f"{answer['figure']}: {answer['title']}"]
    lines += ["  " + "  ".join(cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)).rstrip() for row in table]
    lines += [
        f"  {answer['badge']}: {say(Message(MEANINGS[answer['badge']]))}",
        say(Message("  rows read: {count}, {digest}", count=len(answer["inputs"]), digest=answer["digest"])),
    ]
    return "\n".join(printable(line) for line in lines)


def _width(text: str) -> int:
    """Return how many columns a text takes on a terminal: Han takes two."""
    from unicodedata import east_asian_width  # noqa: PLC0415

    return sum(2 if east_asian_width(char) in "WF" else 1 for char in text)


__all__ = [
    "FORMATS",
    "explain_text",
    "explanation",
    "finding_record",
    "input_rows",
    "recomputation",
    "recompute_text",
    "report",
    "rows_of",
    "summary_of",
]
