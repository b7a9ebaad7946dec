"""Words in the page's language: gettext catalogues, read with Babel from the `.po` files themselves, so that nothing needs compiling."""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from string import Formatter
from typing import TYPE_CHECKING, Final

from ledgermark.findings import Finding
from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SOURCE_LANGUAGE = "en"
# What a project has its words in: those of its metrics and figures, and those of its data descriptor.
DOMAINS: Final = ("messages.po", "data.po")


@dataclass
class Catalogue:
    """The messages of one language. Asking for one that is missing gives the English one and is noted in `missing`."""

    language: str
    messages: Mapping[str, str]
    missing: set[str] = field(default_factory=set)

    def __call__(self, message: str, **values: object) -> str:
        """Return a message in this language, its `{name}` places filled in."""
        text = self.messages.get(message, "")
        if not text:
            if self.language != SOURCE_LANGUAGE:
                self.missing.add(message)
            text = message
        return text.format(**values) if values else text


def read_catalogue(language: str, files: Iterable[tuple[str, bytes]]) -> tuple[Catalogue, list[Finding]]:
    """Return the messages of some `.po` files, later files winning, and findings for files that cannot be read.

    Args:
        language: the language code.
        files: path (for findings) and bytes of each.
    """
    from babel.messages.pofile import PoFileError, read_po  # noqa: PLC0415  (only doors that speak a second language pay)

    messages: dict[str, str] = {}
    findings: list[Finding] = []
    for path, data in files:
        try:
            catalogue = read_po(io.BytesIO(data), locale=language, abort_invalid=True)
        except (PoFileError, ValueError, LookupError) as error:
            line = (getattr(error, "lineno", None) or 0) + 1  # Babel counts from 0
            findings.append(Finding(path, line, 1, "LM901", Message("no gettext catalogue: {error}", error=error)))
            continue
        for item in catalogue:
            if not item.id or not item.string or item.fuzzy:
                continue
            message, text = str(item.id), str(item.string)
            if _places(message) == _places(text):
                messages[message] = text
            else:
                message = Message("'{text}' has not the places in braces of '{message}'", text=text, message=message)
                findings.append(Finding(path, item.lineno or 1, 1, "LM901", message))
    return Catalogue(language, messages), findings


def _places(message: str) -> list[str] | None:
    """Return the names of the places a message has to fill, sorted; None when it is no message with plain `{name}` places."""
    try:
        parts = [(name, spec, conversion) for _, name, spec, conversion in Formatter().parse(message) if name is not None]
    except ValueError:
        return None
    return (
        sorted(name for name, _, _ in parts)
        if all(name.isidentifier() and not spec and not conversion for name, spec, conversion in parts)
        else None
    )
