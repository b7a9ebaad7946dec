"""The language of whoever reads a terminal: what they ask for, else what their locale says; and the sentences of it."""

from __future__ import annotations

import os
from functools import partial
from importlib import resources
from typing import TYPE_CHECKING, Final

from ledgermark.catalogue import SOURCE_LANGUAGE, read_catalogue
from ledgermark.messages import say_in

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ledgermark.messages import Say

SPOKEN: Final = (SOURCE_LANGUAGE, "zh")
# The words of pages and the sentences of findings are apart: a page never shows a finding.
_DOMAINS: Final = ("messages.po", "findings.po")


def tongue(asked: str | None) -> str:
    """Return the language to speak: the one asked for, else that of the locale where it is spoken here, else English."""
    if asked:
        return asked
    locale = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name))), "")
    spoken = locale.partition(".")[0].partition("_")[0].lower()
    return spoken if spoken in SPOKEN else SOURCE_LANGUAGE


def speaker(language: str, words: Mapping[str, str] | None = None) -> Say:
    """Return what says messages in a language.

    Args:
        language: one that is spoken here.
        words: further messages of a project, such as the sentences of its metrics.
    """
    if language == SOURCE_LANGUAGE:
        return str
    folder = resources.files("ledgermark") / "locale" / language / "LC_MESSAGES"
    sentences = dict(words or {})
    for name in _DOMAINS:
        catalogue, _ = read_catalogue(language, [(name, (folder / name).read_bytes())])
        sentences |= catalogue.messages
    return partial(say_in, sentences=sentences)
