"""Whether the source of a page tells alone that all of its claims, figures and errata have been found.

When every `claim:` and `given:` in the text, entities and escapes undone, is one the check has found, none can be hidden. Only a page where the
two counts differ (code that shows the syntax, a mask that may hide too much, raw HTML that imitates what the library writes) is in doubt.
"""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ledgermark.pages import Page

# Each begins with one of a few characters, in both cases, which is what makes looking for it fast.
_SCHEME: Final = re.compile(r"[cCgG](?i:(?<=c)laim|(?<=g)iven)\s*:")
_IMITATION: Final = re.compile(r"[dDlL](?i:(?<=d)ata-(?:claim|given|figure|badge|dataset|erratum)|(?<=l)(?<![\w-]l)m-)")
_BLOCK: Final = re.compile(r"///(?<!////)/*+[ \t]*(?:figure|erratum|evidence)\b")  # from the first slash of a row only
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
# What may stand for another character. Not the & of a claim's parameters: no entity without its semicolon gives a letter or a colon.
_ENCODED: Final = re.compile(
    r"[&%\x00-\x08\x0b-\x1f\x7f](?i:(?<=&)(?:(?![A-Za-z_]\w*=)|(?:amp|lt|gt|quot))|(?<=%)[0-9A-F]{2}|(?<![&%]))",
)


def is_doubtful(page: Page) -> bool:
    """Return whether the source alone cannot tell that everything Markdown would render has been found."""
    text = page.source.text
    plain = _CONTROL.sub("", unquote(html.unescape(html.unescape(text)))) if _ENCODED.search(text) else text
    written = len(_SCHEME.findall(plain))
    found = len(page.claims.claims) + len(page.claims.given)
    blocks = len(page.figures) + len(page.errata) + len(page.evidence)
    return written != found or len(_BLOCK.findall(plain)) != blocks or bool(_IMITATION.search(plain)) or _front_is_doubtful(page)


def _front_is_doubtful(page: Page) -> bool:
    """Return whether the values of the front matter, decoded (YAML has escapes of its own), hold more than its source shows."""
    values = [html.unescape(value) for value in texts_in(page.meta)]
    starts = [claim.start for claim in page.claims.claims] + [given.start for given in page.claims.given]
    bound = sum(start < page.source.body_start for start in starts)
    return sum(len(_SCHEME.findall(value)) for value in values) != bound or any(_IMITATION.search(value) for value in values)


def texts_in(value: object) -> Iterator[str]:
    """Yield every text in a YAML value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from texts_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from texts_in(item)
