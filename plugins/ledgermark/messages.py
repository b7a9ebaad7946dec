"""Sentences for people, in English, that remember what they were made of: a door can say them in another language."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

Say = Callable[[object], str]
"""Says a message, or anything with a text, in somebody's language; `str` says it in English."""

_LETTER: Final = re.compile(r"\{[a-z0-9_]*\}|([^\W\d_])")


class Message(str):
    """A sentence made of a template and values. As a text it is the English sentence; `say_in` gives it in another language.

    Values may be messages themselves, and exceptions whose text is one.
    """

    __slots__ = ("template", "values")

    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, /, **values: object) -> Self:
        """Return the message; a template without values is taken as it is, braces and all."""
        made = super().__new__(cls, template.format(**values) if values else template)
        made.template = template
        made.values = values
        return made

    def __str__(self) -> str:
        """Return the message itself: it stays one on its way through an exception."""
        return self

    def __add__(self, other: str) -> Message:
        """Return both in one."""
        return Message("{first}{second}", first=self, second=other)


def joined(parts: Iterable[str], between: str) -> str:
    """Return some texts in one, with a text between each two; those that are messages stay messages."""
    first, *rest = [*parts] or [""]
    whole = first
    for part in rest:
        whole = Message("{first}{between}{second}", first=whole, between=between, second=part)
    return whole


def say_in(text: object, sentences: Mapping[str, str]) -> str:
    """Return a text in the language of some translations; what is no message, or has none, as it is.

    Args:
        text: a message, another text, a number, or an exception.
        sentences: template to translation, with the same places.
    """
    made = str(text) if isinstance(text, BaseException) else text
    if not isinstance(made, Message):
        return str(made)
    template = sentences.get(made.template, made.template)
    values = {name: say_in(value, sentences) for name, value in made.values.items()}
    return template.format(**values) if values else template


def needs_words(template: str) -> bool:
    """Return whether there is anything in a template to translate besides its places."""
    return any(match[1] for match in _LETTER.finditer(template))
