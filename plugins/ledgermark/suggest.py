"""What a wrong or unbound number may have been meant to be: the claims and metrics that give its value."""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from ledgermark.claims import RESERVED, parse_key
from ledgermark.display import DisplayError, agrees, read_numbers
from ledgermark.messages import Message, joined
from ledgermark.metrics import EvaluationError, Evaluator
from ledgermark.typeset import show

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from decimal import Decimal

    from ledgermark.display import Shown
    from ledgermark.quantity import Quantity
    from ledgermark.units import Unit

_MANY: Final = 3  # a value that more bindings than this give says nothing about which is meant


@dataclass(frozen=True)
class Suggestions:
    """The claims of a project and what they give, computed when the first wrong or unbound number asks.

    Attributes:
        keys: the claims' keys.
        evaluator: gives their values.
        aliases: the project's spellings of units.
    """

    keys: tuple[str, ...]
    evaluator: Evaluator
    aliases: Mapping[str, str]

    @cached_property
    def _values(self) -> dict[Unit, tuple[list[Decimal], list[tuple[str, Quantity]]]]:
        """The values of all claims by unit: their amounts without sign, ascending, and beside each its claim and itself."""
        found: dict[Unit, list[tuple[str, Quantity]]] = {}
        for name in dict.fromkeys(map(_plain, self.keys)):
            try:
                values = self.evaluator.values(parse_key(name))
            except (EvaluationError, ValueError):
                continue
            for value in values:
                found.setdefault(value.unit, []).append((name, value))
        tables = {}
        for unit, pairs in found.items():
            pairs.sort(key=lambda pair: abs(pair[1].value))
            tables[unit] = ([abs(value.value) for _, value in pairs], pairs)
        return tables

    def message(self, text: str) -> str:
        """Return what is wrong with an unbound number, and which claims give it."""
        try:
            (number,) = read_numbers(text, dict(self.aliases))
            found = self._giving(number, number.unit)
        except (DisplayError, ValueError):
            found = {}
        if 0 < len(found) <= _MANY:
            claims = (Message("claim:{key} gives {amount}", key=key, amount=show(value.value, value.unit)) for key, value in found.items())
            given = joined(claims, Message(" and "))
            return Message("'{text}' is bound to nothing; {given}", text=text, given=given)
        return Message(
            "'{text}' is bound to nothing; make it a claim, give its source (given:), list its phrase in terms, or say it without a number",
            text=text,
        )

    def instead(self, number: Shown, unit: Unit, key: str) -> tuple[str, ...]:
        """Return the claims that give a number that its own claim does not; those of the same metric where there are too many.

        Args:
            number: as shown.
            unit: what it is shown in.
            key: its own claim.
        """
        found = [other for other in self._giving(number, unit) if other != _plain(key)]
        if len(found) > _MANY:
            found = [other for other in found if other.partition("?")[0] == key.partition("?")[0]]
        return tuple(found) if len(found) <= _MANY else ()

    def _giving(self, number: Shown, unit: Unit | None) -> dict[str, Quantity]:
        """Return the claims that give a number, in their order on the pages; any unit will do where none is shown."""
        found: dict[str, Quantity] = {}
        for own, (amounts, pairs) in self._values.items():
            if unit is not None and not own.shown_as(unit):
                continue
            # Where to look: a place around the number, in the unit of the values. Whether it agrees is asked of each.
            scale = (unit or own).factor / own.factor
            low, high = (abs(number.value) - number.place) * scale, (abs(number.value) + number.place) * scale
            for name, value in pairs[bisect.bisect_left(amounts, low) : bisect.bisect_right(amounts, high)]:
                if any(agrees(number, item.to(unit or own).value) for item in ((value,) if number.explicit_sign else (value, abs(value)))):
                    found.setdefault(name, value)
        return dict(sorted(found.items(), key=lambda item: self._order.get(item[0], 0))) if len(found) > 1 else found

    @cached_property
    def _order(self) -> dict[str, int]:
        """Where each claim stands first on the pages."""
        return {name: index for index, name in enumerate(dict.fromkeys(map(_plain, self.keys)))}


def _plain(key: str) -> str:
    """Return a claim's key without what says how its value is shown."""
    name, _, query = key.replace("&amp;", "&").partition("?")
    kept = "&".join(part for part in query.split("&") if part.partition("=")[0] not in RESERVED)
    return f"{name}?{kept}" if kept else name


def suggestions_for(keys: Iterable[str], evaluator: Evaluator, aliases: Mapping[str, str]) -> Suggestions:
    """Return the suggestions of a project whose pages hold claims with these keys; metrics that need no parameter are tried too."""
    plain = (name for name, metric in evaluator.metrics.items() if len(metric.parameters) == 0)
    return Suggestions(tuple(dict.fromkeys([*keys, *plain])), evaluator, aliases)
