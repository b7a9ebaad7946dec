"""What an unbound number may have been meant to be: the claims and metrics that give its value."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from ledgermark.claims import parse_key
from ledgermark.display import DisplayError, agrees, read_numbers
from ledgermark.metrics import EvaluationError, Evaluator
from ledgermark.typeset import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ledgermark.quantity import Quantity

_MANY: Final = 3  # a value that more bindings than this give says nothing about which is meant


@dataclass(frozen=True)
class Suggestions:
    """The claims of a project and what they give, computed when the first unbound number asks.

    Attributes:
        keys: the claims' keys.
        evaluator: gives their values.
        aliases: the project's spellings of units.
    """

    keys: tuple[str, ...]
    evaluator: Evaluator
    aliases: Mapping[str, str]

    @cached_property
    def _values(self) -> dict[str, tuple[Quantity, ...]]:
        values: dict[str, tuple[Quantity, ...]] = {}
        for key in self.keys:
            plain = "&".join(part for part in key.replace("&", "?").split("?")[1:] if part.partition("=")[0] not in ("show", "is", "unit"))
            name = key.partition("?")[0] + (f"?{plain}" if plain else "")
            if name not in values:
                try:
                    values[name] = self.evaluator.values(parse_key(name))
                except (EvaluationError, ValueError):
                    continue
        return values

    def message(self, text: str) -> str:
        """Return what is wrong with an unbound number, and which claims give it."""
        found = list(self._giving(text))
        if 0 < len(found) <= _MANY:
            return f"'{text}' is bound to nothing; {' and '.join(found)}"
        return f"'{text}' is bound to nothing; make it a claim, give its source (given:), list its phrase in terms, or say it without a number"

    def _giving(self, text: str) -> Iterator[str]:
        try:
            (number,) = read_numbers(text, dict(self.aliases))
        except (DisplayError, ValueError):
            return
        for key, quantities in self._values.items():
            for value in quantities:
                unit = number.unit or value.unit
                if value.unit.shown_as(unit) and any(agrees(number, item.to(unit).value) for item in (value, abs(value))):
                    yield f"claim:{key} gives {show(value.value, value.unit)}"
                    break


def suggestions_for(keys: Iterable[str], evaluator: Evaluator, aliases: Mapping[str, str]) -> Suggestions:
    """Return the suggestions of a project whose pages hold claims with these keys; metrics that need no parameter are tried too."""
    plain = (name for name, metric in evaluator.metrics.items() if len(metric.parameters) == 0)
    return Suggestions(tuple(dict.fromkeys([*keys, *plain])), evaluator, aliases)
