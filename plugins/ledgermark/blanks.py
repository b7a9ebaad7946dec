"""What a reader cannot see in the cell of a table: blanks at its ends and invisible characters, by which one key gets two spellings."""

from __future__ import annotations

import re
from typing import Final

from ledgermark.messages import Message

# Joiners shape the letters of some scripts and the parts of an emoji; elsewhere nobody sees them.
_HIDDEN: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0\xad\u061c\u1680\u180e\u2000-\u200b\u200e\u200f\u2028-\u202f\u205f-\u206f\ufeff\ufff9-\ufffb]"
    "|[\U000e0000-\U000e0fff]|\r(?!\n)|(?<![\u0600-\u109f\u1780-\u18af\u2600-\u27bf\ufe0f\U0001f000-\U0001faff])[\u200c\u200d]"
)


def unclean(cell: str) -> str:
    """Return what of a text cell no reader sees, as the end of a message, or an empty text."""
    if cell[:1].isspace() or cell[-1:].isspace():
        return Message("expected no blank at its beginning or end")
    hidden = None if cell.isprintable() else _HIDDEN.search(cell)
    return Message("expected no invisible character (U+{code})", code=f"{ord(hidden.group()):04X}") if hidden else ""
