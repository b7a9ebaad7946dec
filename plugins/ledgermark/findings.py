"""What the check reports: a finding has a place, a code and a sentence that says what was found and what was expected."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledgermark.messages import Say

_STEERING: Final = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
CODES: Final[dict[str, str]] = {
    "LM101": "the number shown is not what the data gives",
    "LM102": "the unit shown is missing or measures something else",
    "LM103": "the text of a claim cannot be read as numbers",
    "LM104": "a claim shows too many or too few numbers",
    "LM105": "a claim names a metric, dataset or column that does not exist",
    "LM106": "a claim's parameters do not fit",
    "LM107": "a selection matches no row, or several",
    "LM108": "a metric failed",
    "LM109": "a claim is malformed",
    "LM110": "a bound is looser than the data needs",
    "LM111": "a given number has no source",
    "LM112": "a metric's unit is not the one it declares",
    "LM113": "a number is rounded so far that it no longer says how much",
    "LM114": "a part is larger than its whole",
    "LM120": "the words around a claim name another subject than its data",
    "LM121": "a claim's comparison is not said by the words around it",
    "LM122": "the words around a claim compare, and its link does not",
    "LM123": "the file of subjects is malformed",
    "LM124": "the unit in a claim's link is not said to the reader",
    "LM125": "the words around a claim say the other direction than its data",
    "LM201": "a number is bound to nothing",
    "LM202": "a given text shows no number",
    "LM203": "a measurement stands in code",
    "LM204": "a number or its unit stands only in part inside its link",
    "LM205": "a reference gives the wrong number",
    "LM206": "a term is used nowhere",
    "LM207": "a term is no name",
    "LM301": "a page exists in one language only",
    "LM302": "a claim stands in one language only",
    "LM303": "a figure stands in one language only",
    "LM304": "an erratum stands in one language only, or differs",
    "LM305": "a section stands in one language only",
    "LM306": "a message has no translation",
    "LM307": "a table has another shape in the other language",
    "LM308": "a cell of a table binds other claims in the other language",
    "LM309": "a version, issue, date, name, piece of code or link stands in one language only",
    "LM310": "claims of one metric, versions or dates stand in another order in the other language",
    "LM401": "an erratum's date cannot be read",
    "LM402": "an erratum is dated in the future",
    "LM403": "an erratum is older than its page",
    "LM404": "an erratum affects something that does not exist",
    "LM405": "an erratum's id is used twice",
    "LM406": "an erratum is malformed",
    "LM407": "a published value differs and no erratum says so",
    "LM408": "a published claim is gone and no erratum says so",
    "LM409": "a published erratum is gone or has another date",
    "LM410": "the record of published values is malformed",
    "LM411": "the record of published values lost or altered what it held",
    "LM501": "a data file cannot be read",
    "LM502": "a row has too many or too few cells",
    "LM503": "two rows have the same key",
    "LM504": "a cell is not of its column's type",
    "LM505": "a cell breaks its column's constraint",
    "LM506": "a file's columns are not those of its descriptor",
    "LM507": "a file has not the number of rows its descriptor says",
    "LM508": "a numeric column has no unit, an unknown one, or another than its name says",
    "LM509": "the data descriptor is malformed",
    "LM601": "a figure does not exist",
    "LM602": "a figure failed",
    "LM603": "a figure uses what the page cannot draw",
    "LM604": "a figure stands twice on a page",
    "LM605": "a badge stands over numbers from other data",
    "LM606": "a figure draws what its table does not hold",
    "LM901": "a page or catalogue cannot be read",
    "LM902": "a silence silences nothing",
    "LM903": "a silence is malformed",
    "LM904": "a page or its masthead gives a day that cannot be",
}


@dataclass(frozen=True, order=True)
class Finding:
    """One thing to mend.

    Attributes:
        path: the file, relative to the project's folder, with forward slashes.
        line: 1-based.
        column: 1-based, in characters.
        code: a key of `CODES`.
        message: what was found and what was expected.
        shown: the text at the place, where the finding is about a shown text.
        expected: what the data gives, in the words of the place, where that is known.
        rows: `file:line` of the rows the data's answer comes from.
    """

    path: str
    line: int
    column: int
    code: str
    message: str
    shown: str | None = None
    expected: str | None = None
    rows: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.code not in CODES:
            msg = f"unknown code {self.code}"
            raise ValueError(msg)
        # Half a character, from data or from an exception's text, can be written nowhere.
        for name in ("path", "message", "shown", "expected"):
            text = getattr(self, name)
            whole = text.encode("utf-8", "backslashreplace").decode() if isinstance(text, str) else text
            if whole != text:
                object.__setattr__(self, name, whole)

    def __str__(self) -> str:
        return f"{printable(self.path)}:{self.line}:{self.column}: {self.code} {printable(self.message)}"


def counted(found: int) -> Message:
    """Return how many findings there are, in words."""
    if found == 1:
        return Message("1 finding")
    return Message("{found} findings", found=found) if found else Message("no findings")


def spoken(finding: Finding, say: Say) -> Finding:
    """Return a finding in the language of whoever reads it."""
    return replace(finding, message=say(finding.message))


class ConfigError(Exception):
    """The set-up is broken: the check could not run. The text names the key or file."""


def printable(text: str) -> str:
    """Return the text on one line, with control and direction marks escaped, so that no data can disturb a terminal or forge a line."""
    return "".join(char if char.isprintable() and not _STEERING.match(char) else f"\\u{ord(char):04x}" for char in text)


def unsteered(text: str) -> str:
    """Return the text with direction marks escaped: from data, they would turn the words beside them round."""
    return _STEERING.sub(lambda mark: f"\\u{ord(mark.group()):04x}", text)


def in_words(error: BaseException) -> str:
    """Return an exception of an author's code as one line, whatever its own text does."""
    try:
        text = str(getattr(error, "msg", error))
    except Exception:  # noqa: BLE001  (its __str__ is the author's code too)
        text = Message("its text cannot be read")
    return f"{type(error).__name__}: {(text.splitlines() or [''])[0]}"


def nearest(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'X'?` for the known name most like this one, or an empty text."""
    close = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.5)
    return Message("; did you mean '{close}'?", close=close[0]) if close else ""
