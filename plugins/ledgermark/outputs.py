"""What a build writes beside its pages: evidence of each page, data of each figure, the stamp."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from ledgermark.badge import MEANINGS, badge_of
from ledgermark.catalogue import SOURCE_LANGUAGE
from ledgermark.figures import places_of
from ledgermark.report import used_cells
from ledgermark.typeset import write

# The sentence of a badge speaks of a figure; a card is about one number.
_CARD_MEANINGS: Final = {"recomputable": "Each run is a row in this repository; the command recomputes this number."}

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledgermark.catalogue import Catalogue
    from ledgermark.check import Checked, Project
    from ledgermark.claims import Claim
    from ledgermark.descriptor import Dataset
    from ledgermark.figures import Drawn
    from ledgermark.pages import Page
    from ledgermark.quantity import Quantity
    from ledgermark.stamp import Stamp


def to_json(value: Any) -> str:
    """Return JSON that is the same at every build and safe wherever it is put: no `<` survives to open a tag."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def evidence_record(
    claims: Iterable[Claim], checked: Checked, words: Catalogue, stamp: Stamp, ways: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return what a page's script shows when a reader asks where a number comes from.

    Args:
        claims: those on the page.
        checked: the project.
        words: the page's language.
        stamp: what the build is made of.
        ways: path of a data file to the way from the page to the page of its rows.
    """
    project = checked.project
    record: dict[str, Any] = {}
    rows: dict[tuple[str, int], int] = {}
    for claim in claims:
        key = claim.key.replace("&amp;", "&")
        if key not in record:
            record[key] = _claim_record(claim, checked.values.get(claim.key, ()), project, words, rows)
    used = {project.ledger.datasets[dataset].path for dataset, _ in rows}
    return {
        "commit": stamp.commit_short,
        "commit_url": None,
        "data": project.digest,
        "labels": {
            "inputs": words("Rows it is computed from"),
            "more": words("and {count} more rows"),
            "formula": words("Formula"),
            "command": words("Command"),
            "value": words("Value"),
            "state": words("Evidence"),
            "commit": words("Commit"),
            "close": words("Close"),
            "file": words("File"),
            "source": words("Source"),
            "loading": words("Loading…"),
            "failed": words("The evidence could not be loaded."),
        },
        "rows": [_row_record(dataset, line, project, stamp) for dataset, line in rows],
        "pages": {path: way for path, way in (ways or {}).items() if path in used},
        "claims": record,
    }


def sentence_of(key: str, project: Project, words: Catalogue) -> str:
    """Return in a page's language what a claim is: its metric's sentence, or which cell it is."""
    name = key.partition("?")[0]
    metric = (project.metrics or {}).get(name)
    dataset, _, column = name.partition(".")
    if metric:
        return words(metric.sentence)
    described = project.ledger.datasets.get(dataset)
    spec = described.column(column) if described else None
    if spec and spec.description and (words.language == SOURCE_LANGUAGE or spec.description in words.messages):
        return words.messages.get(spec.description, spec.description)
    return words("The cell {column} of the data set {dataset}.", column=column, dataset=dataset)


def _row_record(dataset: str, line: int, project: Project, stamp: Stamp) -> dict[str, Any]:
    """Return a row of the ledger: its file and line, the way there, its cells as written."""
    table = project.ledger.table(dataset)
    path = table.dataset.path
    return {"file": path, "line": line, "url": _url(stamp, path, line), "row": table.row(table.position(line))}


def _claim_record(
    claim: Claim, values: tuple[Quantity, ...], project: Project, words: Catalogue, rows: dict[tuple[str, int], int]
) -> dict[str, Any]:
    """Return what a claim is; its inputs name rows of the page's list, which many claims share, by their place in it."""
    metric = (project.metrics or {}).get(claim.name)
    datasets = [project.ledger.datasets[name] for name in sorted({cell.dataset for value in values for cell in value.evidence})]
    state = badge_of(datasets) if datasets else ""
    inputs = [{"at": rows.setdefault(place, len(rows)), "used": sorted(columns)} for place, columns in sorted(used_cells(values).items())]
    return {
        "name": claim.name,
        "sentence": sentence_of(claim.key, project, words),
        "note": words("The text shows it without its sign.") if claim.show == "magnitude" else "",
        "formula": words.messages.get(metric.formula, metric.formula) if metric else "",
        "command": f"ledgermark explain '{claim.key}'",
        "values": [write(value.value, value.unit, places_of(value.value, 6), words.language) for value in values],
        "badge": state,
        "state_label": _state_label(state, datasets, words),
        "inputs": inputs,
    }


def _state_label(state: str, datasets: list[Dataset], words: Catalogue) -> str:
    """Return what stands behind a number: for rows that are not runs, in the descriptor's own words where the language has them."""
    notes = {dataset.note for dataset in datasets if dataset.note}
    note = notes.pop() if len(datasets) == len(notes) == 1 else ""
    if note and (words.language == SOURCE_LANGUAGE or note in words.messages):
        return words.messages.get(note, note)
    return words(_CARD_MEANINGS.get(state, MEANINGS[state])) if state else ""


def _url(stamp: Stamp, path: str, line: int) -> str | None:
    return stamp.source_url.format(path=path, line=line) if stamp.source_url else None


def figure_record(drawn: Drawn, words: Catalogue) -> dict[str, Any]:
    """Return what a page's script needs to draw a figure."""
    return {
        "name": drawn.name,
        "lang": drawn.language,
        "title": drawn.title,
        "alt": drawn.alt,
        "data": drawn.spec["data"],
        "layout": drawn.spec["layout"],
        "view": drawn.view,
        "views": [{"name": name, **spec} for name, spec in drawn.views.items()],
        "locale": "zh-CN" if drawn.language == "zh" else None,
        "labels": {
            "reset": words("Reset the view"),
            "show": words("Show or hide a series"),
            "point": words("Point {index} of {count}"),
            "keys": words("Arrow keys move through the points."),
            "failed": words("The chart could not be loaded; the table below holds the same numbers."),
        },
    }


def stamp_record(checked: Checked, stamp: Stamp) -> dict[str, Any]:
    """Return the build's stamp: what was built from what, and how much of it was checked, in each language."""
    project = checked.project
    return {
        "commit": stamp.commit or None,
        "modified": stamp.modified,
        "built": stamp.built,
        "data": f"sha256:{project.digest}",
        "findings": len(checked.findings),
        "languages": {
            language: {
                **counts(project.pages.get(language, {}).values()),
                "numbers": checked.coverage.of_language(language).record(),
            }
            for language in project.settings.languages
        },
    }


def counts(pages: Iterable[Page]) -> dict[str, int]:
    """Return how many pages, claims, given numbers, figures and errata there are."""
    items = list(pages)
    return {
        "pages": len(items),
        "claims": sum(len(page.claims.claims) for page in items),
        "given": sum(len(page.claims.given) for page in items),
        "figures": sum(len(page.figures) for page in items),
        "errata": sum(len(page.errata) for page in items),
    }
