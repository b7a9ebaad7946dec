"""The rows of a dataset as an HTML table: the first of them for every reader, and what a script needs to show, sort and filter them all."""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ledgermark.catalogue import Catalogue
    from ledgermark.datafacts import DataFacts
    from ledgermark.descriptor import Column
    from ledgermark.table import Table

_SHOWN: Final = 20  # rows that stand in the page itself
_WHOLE: Final = 40  # rows up to which all of them do
_NUMERIC: Final = ("integer", "number")
# What is not seen, or turns what is seen round: control characters, marks of direction, spaces without width, half characters. tables.js has
# the same.
_HIDDEN: Final = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]")
_EMPTY: Final = "–"


def shown(text: str) -> str:
    """Return a text from data as HTML; characters that nobody sees are written out, such as `⟨U+202E⟩`."""
    return html.escape(_HIDDEN.sub(lambda match: f"⟨U+{ord(match.group()):04X}⟩", text))


def rows_html(table: Table, facts: DataFacts, words: Catalogue, source: str) -> str:
    """Return the table of a dataset's first rows.

    A row is named by its line in the file, as evidence names it: `row-14` is on line 14. Columns that say the same in every row are left out
    and stand in a line above.

    Args:
        table: of the ledger.
        facts: of the same.
        words: the page's language.
        source: the way from the page to the CSV file, from which the script takes the rows; empty where there is none.
    """
    columns = [column for column in table.dataset.columns if column.name not in facts.same]
    heads = "".join(_head(column) for column in columns)
    line = words("Line") if table.stored is None else words("Row")
    count = facts.count if facts.count <= _WHOLE else _SHOWN
    cells = [list(table.columns[column.name][:count]) for column in columns]
    kinds = [_kind(column) for column in columns]
    rows = "".join(
        f'<tr id="row-{table.lines[at]}"><th scope="row"><a href="#row-{table.lines[at]}">{table.lines[at]}</a></th>'
        + "".join(f"<td{kind}>{shown(column[at]) if column[at] else _EMPTY}</td>" for kind, column in zip(kinds, cells, strict=True))
        + "</tr>\n"
        for at in range(count)
    )
    name = shown(words("Rows of {dataset}", dataset=table.dataset.name))
    script = f' data-src="{html.escape(source)}" data-words="{html.escape(_words(table, facts, words))}"' if source else ""
    return (
        f'<div class="lm-data"{script} data-count="{facts.count}" data-search-exclude="">\n{_same(facts, words)}'
        f'<p class="lm-data__status" role="status">{html.escape(_status(count, facts.count, words))}</p>\n'
        f'<div class="lm-data__scroll" tabindex="0" role="region" aria-label="{name}">\n'
        f'<table class="lm-data__table"><caption class="lm-sr">{name}</caption>\n'
        f'<thead><tr><th scope="col" data-type="line">{html.escape(line)}</th>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table></div></div>'
    )


def _head(column: Column) -> str:
    unit = f' <span class="lm-data__unit">{html.escape(column.unit.symbol)}</span>' if column.unit and column.unit.symbol != "1" else ""
    name = html.escape(column.name)
    return f'<th scope="col"{_kind(column)} data-column="{name}" data-type="{column.type}">{shown(column.name)}{unit}</th>'


def _kind(column: Column) -> str:
    return ' class="is-number"' if column.type in _NUMERIC else ""


def _status(some: int, count: int, words: Catalogue) -> str:
    if some == count:
        return words("All rows, {count} in number, in the order of the file.", count=count)
    return words("The first {shown} of {count} rows, in the order of the file; the file for download has them all.", shown=some, count=count)


def _same(facts: DataFacts, words: Catalogue) -> str:
    if not facts.same:
        return ""
    items = " · ".join(f"<code>{shown(name)}</code> {shown(value) or _EMPTY}" for name, value in facts.same.items())
    return f'<p class="lm-data__same">{html.escape(words("The same in every row, and left out of the table:"))} {items}</p>\n'


def _words(table: Table, facts: DataFacts, words: Catalogue) -> str:
    """Return what the script says, as JSON; `{name}` places are its to fill in."""
    said = {
        "filter": words("Filter"),
        "hint": words("Words that a row must contain, or a column compared with a value: {example}", example=_example(table, facts)),
        "size": words("Rows a page"),
        "pages": words("Pages of the table"),
        "previous": words("Previous"),
        "next": words("Next"),
        "loading": words("Loading…"),
        "failed": words("The rows could not be loaded; the table shows the first, and the file for download has them all."),
        "range": words("Rows {first} to {last} of {count}"),
        "matching": words("Rows {first} to {last} of {matching} that match; {count} in all"),
        "none": words("No row matches; {count} in all"),
        "lost": words("No row of the file begins on line {line}."),
        "empty": _EMPTY,
    }
    return json.dumps(said, ensure_ascii=False, sort_keys=True)


def _example(table: Table, facts: DataFacts) -> str:
    """Return a filter that could be meant: of the columns shown, the last number of the key, else any column, and a value that stands in it."""
    columns = [column for column in table.dataset.columns if column.name not in facts.same]
    columns.sort(key=lambda column: (column.type in _NUMERIC, column.name in table.dataset.key), reverse=True)
    keys = [column for column in columns if column.type in _NUMERIC and column.name in table.dataset.key]
    for column in [*keys[-1:], *columns]:
        value = next((cell for cell in reversed(table.columns[column.name][:_SHOWN]) if cell), "")
        if value:
            return f"{column.name}>={value}" if column.type in _NUMERIC else f'{column.name}="{value}"'
    return ""
