"""The Chinese of what descriptors say: a page of a project shows it, so a result file brings it along."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po, write_po

if TYPE_CHECKING:
    from collections.abc import Iterable

LOCALE = Path(__file__).parent / "locale"


@cache
def _catalogue() -> Catalog:
    """Return all of it."""
    with (LOCALE / "zh/LC_MESSAGES/data.po").open("rb") as file:
        return read_po(file, locale="zh", abort_invalid=True)


def chinese_of(texts: Iterable[str]) -> bytes:
    """Return a catalogue of some texts with their Chinese, as a ``.po`` file; texts that have none are left out."""
    known = _catalogue()
    # Without the comments that Babel writes at the head: they hold the time, and one run would not equal another.
    found = Catalog(locale="zh", header_comment="", fuzzy=False)
    for text in texts:
        message = known.get(text)
        if message is not None and message.string:
            found.add(text, message.string)
    lines = BytesIO()
    write_po(lines, found, width=0, omit_header=True)
    head = 'msgid ""\nmsgstr ""\n"Language: zh\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'
    return head.encode() + lines.getvalue()
