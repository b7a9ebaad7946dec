"""The Chinese of what descriptors say: a page of a project shows it, so a result file brings it along."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LOCALE = Path(__file__).parent / "locale"
# Read without a library: a machine that only measures may have none. The catalogue has what this reads, and a test holds it to that.
ENTRY = re.compile(r'^msgid (".*")\nmsgstr (".*")$', re.MULTILINE)
HEAD = 'msgid ""\nmsgstr ""\n"Language: zh\\n"\n"Content-Type: text/plain; charset=UTF-8\\n"\n\n'


@cache
def _catalogue() -> dict[str, str]:
    """Return all of it: the entry of each text, as it stands."""
    text = (LOCALE / "zh/LC_MESSAGES/data.po").read_text("utf-8")
    return {json.loads(match[1]): match[0] for match in ENTRY.finditer(text) if match[1] != '""' and match[2] != '""'}


def chinese_of(texts: Iterable[str]) -> bytes:
    """Return a catalogue of some texts with their Chinese, as a ``.po`` file; texts that have none are left out."""
    known = _catalogue()
    return (HEAD + "".join(f"{known[text]}\n\n" for text in dict.fromkeys(texts) if text in known)).encode()
