"""The pages of the data: one for each dataset and one that lists them, made of the descriptor, the rows and the evidence of the check.

A page is a little Markdown (title, sections) with marks in it. What stands at the marks is HTML, made here and put in when the Markdown has
been rendered: it comes from data, is escaped, and as Markdown it would cost more than it says.
"""

from __future__ import annotations

import html
import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Final

from ledgermark.addresses import address_of, data_file, data_index, data_page, data_slug, relative_url
from ledgermark.badge import MEANINGS, WORDS, badge_of
from ledgermark.claims import without_links
from ledgermark.datarows import rows_html, shown
from ledgermark.render import written_date

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledgermark.catalogue import Catalogue
    from ledgermark.datafacts import DataFacts
    from ledgermark.datauses import DataUse
    from ledgermark.descriptor import Dataset
    from ledgermark.table import Table

_FACTS: Final = {"machine": "Machine", "stack": "Stack", "date": "Measured"}
_DAYS: Final = 4  # days up to which each is named; of more, the first and the last


@dataclass(frozen=True)
class DataSheet:
    """A dataset and what its page says of it in one language.

    Attributes:
        facts: of the rows.
        digest: SHA-256 of the file.
        forms: the forms in which the file can be had, such as `csv`.
        uses: the pages of the language that stand on it.
    """

    table: Table
    facts: DataFacts
    digest: str
    forms: tuple[str, ...]
    uses: tuple[DataUse, ...]

    @property
    def dataset(self) -> Dataset:
        """What the descriptor says of it."""
        return self.table.dataset


def page_markdown(dataset: Dataset, language: str, words: Catalogue) -> str:
    """Return the Markdown of a dataset's page."""
    sections = {"rows": words("The rows"), "columns": words("Columns"), "origin": words("Origin"), "uses": words("Used on")}
    body = "\n\n".join(f"## {title} {{#{name}}}\n\n{_mark(language, dataset.name, name)}" for name, title in sections.items())
    about = words(dataset.row) if dataset.row else ""
    return f"{_front(title_of(dataset, words), about)}{_mark(language, dataset.name, 'about')}\n\n{body}\n"


def index_markdown(language: str, words: Catalogue) -> str:
    """Return the Markdown of the page that lists a language's datasets."""
    lead = words("Every measured number on this site is a cell of these tables, or is computed from them.")
    return f"{_front(words('Data'), lead, 'hide: [toc]')}{lead}\n\n{_mark(language, '', 'index')}\n"


def page_parts(sheet: DataSheet, language: str, words: Catalogue) -> tuple[dict[str, str], dict[str, str]]:
    """Return the HTML at the marks of a dataset's page: what a search should find, and the rows, which would drown it."""
    url = address_of(data_page(language, sheet.dataset.name))
    source = relative_url(data_file(sheet.dataset.name, "csv"), url) if "csv" in sheet.forms else ""
    parts = {
        "about": _about(sheet, url, words),
        "columns": _columns(sheet.dataset, words),
        "origin": _origin(sheet.dataset, words),
        "uses": _uses(sheet.uses, url, words),
    }
    rows = {_mark(language, sheet.dataset.name, "rows"): rows_html(sheet.table, sheet.facts, words, source)}
    return {_mark(language, sheet.dataset.name, name): part for name, part in parts.items()}, rows


def index_parts(sheets: Iterable[DataSheet], language: str, words: Catalogue) -> dict[str, str]:
    """Return the HTML at the mark of the page that lists the datasets."""
    heads = [words("Data set"), words("A row is"), words("Rows"), words("Evidence"), words("Machine"), words("Measured")]
    head = "".join(f'<th scope="col">{html.escape(text)}</th>' for text in heads)
    rows = "".join(_index_row(sheet, language, words) for sheet in sheets)
    name = html.escape(words("Data sets"))
    table = f'<table class="lm-data__table lm-data__table--index"><caption class="lm-sr">{name}</caption><thead><tr>{head}</tr></thead>'
    return {_mark(language, "", "index"): _scroll(name, f"{table}<tbody>\n{rows}</tbody></table>")}


def _index_row(sheet: DataSheet, language: str, words: Catalogue) -> str:
    dataset = sheet.dataset
    way = relative_url(address_of(data_page(language, dataset.name)), address_of(data_index(language)))
    title = title_of(dataset, words)
    name = f"<br><code>{shown(dataset.name)}</code>" if title != dataset.name else ""
    cells = [
        shown(words(dataset.row)) if dataset.row else _codes(dataset.key),
        str(sheet.facts.count),
        _badge(dataset, words),
        _where(sheet.facts, "machine", words),
        _where(sheet.facts, "date", words),
    ]
    body = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr><th scope="row"><a href="{html.escape(way)}">{shown(title)}</a>{name}</th>{body}</tr>\n'


def _mark(language: str, dataset: str, part: str) -> str:
    return f"<!--ledgermark: {part} of {language}/{data_slug(dataset) if dataset else ''}-->"


def _front(title: str, about: str, more: str = "") -> str:
    """Return the front matter; hosts put both into HTML as they are, so that one is escaped and the other must need no escaping."""
    lines = [f"title: {_quoted(shown(title))}", "kind: data", *([more] if more else [])]
    if about and shown(about).replace("&#x27;", "'") == about:
        lines.append(f"description: {_quoted(about)}")
    return "\n".join(["---", *lines, "---", "", ""])


def _quoted(text: str) -> str:
    """Return a text as YAML reads it: without what nobody sees, JSON is YAML."""
    return json.dumps(text, ensure_ascii=False)


def title_of(dataset: Dataset, words: Catalogue) -> str:
    """Return a dataset's title in a language; its name where it has none."""
    return words(dataset.title) if dataset.title else dataset.name


def _about(sheet: DataSheet, url: str, words: Catalogue) -> str:
    dataset = sheet.dataset
    facts = {
        "A row is": shown(words(dataset.row)) if dataset.row else "",
        "Rows": str(sheet.facts.count),
        "Told apart by": _codes(dataset.key),
        **{label: _where(sheet.facts, column, words) for column, label in _FACTS.items()},
        "Evidence": " ".join(filter(None, (_badge(dataset, words), shown(words(dataset.note) if dataset.note else "")))),
        "Licence": ", ".join(_link(str(item.get("title") or item.get("name") or ""), item.get("path")) for item in dataset.licenses),
        "Files": " · ".join(_download(dataset.name, form, url, words) for form in sheet.forms),
        "Digest": f'<span class="lm-digest">sha256:{sheet.digest}</span>' if sheet.digest else "",
    }
    items = "".join(f"<div><dt>{html.escape(words(label))}</dt><dd>{fact}</dd></div>\n" for label, fact in facts.items() if fact)
    about = f'<p class="lm-data__about">{shown(words(dataset.description))}</p>\n' if dataset.description else ""
    up = relative_url(address_of(data_index(url.partition("/")[0])), url)
    name = f'<p class="lm-data__name"><a href="{up}">{html.escape(words("All data sets"))}</a> <code>{shown(dataset.name)}</code></p>\n'
    return f'{name}{about}<dl class="lm-data__facts">\n{items}</dl>'


def _columns(dataset: Dataset, words: Catalogue) -> str:
    heads = [words("Column"), words("Unit"), words("Meaning")]
    head = "".join(f'<th scope="col">{html.escape(text)}</th>' for text in heads)
    rows = "".join(
        f'<tr><th scope="row"><code>{shown(column.name)}</code></th>'
        f"<td>{html.escape(_unit(column.unit.symbol if column.unit else '', column.type, words))}</td>"
        f"<td>{shown(words(column.description)) if column.description else ''}</td></tr>\n"
        for column in dataset.columns
    )
    name = shown(words("Columns of {dataset}", dataset=dataset.name))
    table = f'<table class="lm-data__table lm-data__table--columns"><caption class="lm-sr">{name}</caption><thead><tr>{head}</tr></thead>'
    return _scroll(name, f"{table}<tbody>\n{rows}</tbody></table>")


def _unit(symbol: str, kind: str, words: Catalogue) -> str:
    """Return a column's unit; what is no number has its type there."""
    kinds = {"string": words("text"), "boolean": words("true or false"), "date": words("date")}
    return kinds.get(kind) or (words("plain number") if symbol == "1" else symbol)


def _origin(dataset: Dataset, words: Catalogue) -> str:
    items = []
    for source in dataset.sources:
        title, file, passage = (str(source.get(name) or "") for name in ("title", "file", "passage"))
        title = words.messages.get(title, title)
        told = (
            f"{shown(title)} <code>{_link(file, source.get('path'))}</code>" if file and file not in title else _link(title, source.get("path"))
        )
        more = [shown(words.messages.get(passage, passage)), shown(str(source.get("license") or ""))]
        items.append(f"<li>{' · '.join(filter(None, (told, *more)))}</li>\n")
    return f"<ul>\n{''.join(items)}</ul>" if items else f"<p>{html.escape(words('The descriptor names no source.'))}</p>"


def _uses(uses: Iterable[DataUse], url: str, words: Catalogue) -> str:
    items = []
    for use in uses:
        way = relative_url(address_of(f"{use.page.language}/{use.page.path}"), url)
        title = without_links(str(use.page.meta.get("title") or use.page.path))
        parts = [words("1 number") if use.numbers == 1 else words("{count} numbers", count=use.numbers)] if use.numbers else []
        told = [html.escape(part) for part in parts]
        told += [f'<a href="{html.escape(way)}#fig-{html.escape(drawn.name)}">{shown(drawn.title)}</a>' for drawn in use.figures]
        items.append(f'<li><a href="{html.escape(way)}">{shown(title)}</a>{words(": ")}{words(", ").join(told)}</li>\n')
    return f"<ul>\n{''.join(items)}</ul>" if items else f"<p>{html.escape(words('No page stands on it yet.'))}</p>"


def _badge(dataset: Dataset, words: Catalogue) -> str:
    badge = badge_of([dataset])
    return f'<span class="lm-badge lm-badge--{badge}" title="{html.escape(words(MEANINGS[badge]))}">{html.escape(words(WORDS[badge]))}</span>'


def _where(facts: DataFacts, column: str, words: Catalogue) -> str:
    """Return the machines, stacks or days that stand in the rows; days as the language writes them."""
    values = facts.where.get(column, ())
    if column == "date":
        days = sorted(values)
        told = [_day(day, words) for day in (days if len(days) <= _DAYS else (days[0], days[-1]))]
        return (words(", ") if len(days) <= _DAYS else " – ").join(told)
    return words("; ").join(shown(words.messages.get(value, value)) for value in values if value)


def _day(text: str, words: Catalogue) -> str:
    with suppress(ValueError):
        return shown(written_date(date.fromisoformat(text), words.language))
    return shown(words.messages.get(text, text))


def _codes(names: Iterable[str]) -> str:
    return " ".join(f"<code>{shown(name)}</code>" for name in names)


def _link(text: str, address: object) -> str:
    """Return a text as a link where the address is one of the web, else as it is."""
    url = str(address or "")
    return f'<a href="{shown(url)}">{shown(text)}</a>' if url.startswith(("https://", "http://")) else shown(text)


def _download(dataset: str, form: str, url: str, words: Catalogue) -> str:
    name = data_file(dataset, form)
    label = words("Download CSV") if form == "csv" else words("Download Parquet")
    way = html.escape(relative_url(name, url))
    return f'<a href="{way}" download="{shown(name.rpartition("/")[2])}">{html.escape(label)}</a>'


def _scroll(name: str, table: str) -> str:
    return f'<div class="lm-data__scroll" tabindex="0" role="region" aria-label="{name}">\n{table}</div>'
