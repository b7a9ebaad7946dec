"""Mutants of binding: a claim bound to a sibling metric, a sibling column, or with another parameter, in every language at once."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING
from urllib.parse import quote

from ledgermark.ground import key_edit, rewritten
from ledgermark.wordmutants import with_option

if TYPE_CHECKING:
    import inspect
    from collections.abc import Iterator

    from ledgermark.claims import Claim
    from ledgermark.ground import Ground
    from ledgermark.mutants import Mutant
    from ledgermark.units import Unit


def rebinding_mutants(ground: Ground) -> Iterator[Mutant]:
    """Yield each claim bound to each of its siblings, in every language at once, and to the first in one language only."""
    siblings = Siblings(ground)
    for page, claim in ground.bound:
        twins = ground.twins(page, claim)
        if (page, claim) != twins[0]:
            continue
        for number, key in enumerate(dict.fromkeys(siblings.of(claim))):
            if key != claim.key:
                edits = [key_edit(*twin, key) for twin in twins]
                shows = [(key, twin.text) for _, twin in twins]
                yield rewritten("rebinding", page, claim.start, claim.key, f"bound to {key} in every language", edits, shows)
                if number == 0 and len(twins) > 1:
                    yield rewritten("rebinding", page, claim.start, claim.key, f"bound to {key} in this language", edits[:1])


class Siblings:
    """What a claim could be bound to by mistake."""

    def __init__(self, ground: Ground) -> None:
        self.ledger = ground.project.ledger
        self.metrics = ground.project.metrics or {}
        self.used: dict[str, dict[str, None]] = defaultdict(dict)
        for _, claim in ground.bound:
            for name, value in claim.params.items():
                self.used[name].update(dict.fromkeys(value.split(",")))

    @cached_property
    def columns(self) -> dict[str, Unit]:
        """Every column that holds numbers, by `dataset.column`, with its unit."""
        return {
            f"{name}.{column.name}": column.unit
            for name, dataset in self.ledger.datasets.items()
            for column in dataset.columns
            if column.unit is not None
        }

    def of(self, claim: Claim) -> Iterator[str]:
        """Yield the keys of a claim's siblings; some may be there twice, or be the claim's own."""
        key = claim.key.replace("&amp;", "&")
        head, _, query = key.partition("?")
        tail = f"?{query}" if query else ""
        yield from (f"{name}{tail}" for name in (self._columns(claim) if "." in head else self._metrics(claim)))
        for name, value in claim.params.items():
            for other in self._values(head, name, value):
                yield with_option(key, name, quote(other, safe=",._-"))
        optional = {parameter.name for parameter in self._parameters(head) if parameter.default is not parameter.empty}
        yield from (with_option(key, name, "") for name in claim.params if name in optional)
        if claim.show == "magnitude":
            yield with_option(key, "show", "")

    def _parameters(self, name: str) -> tuple[inspect.Parameter, ...]:
        return self.metrics[name].parameters if name in self.metrics else ()

    def _metrics(self, claim: Claim) -> Iterator[str]:
        unit: Unit | None = self.metrics[claim.name].unit if claim.name in self.metrics else None
        for name, metric in self.metrics.items():
            names = {parameter.name for parameter in metric.parameters}
            needed = {parameter.name for parameter in metric.parameters if parameter.default is parameter.empty}
            if name != claim.name and unit and metric.unit.measures_like(unit) and needed <= set(claim.params) <= names:
                yield name

    def _columns(self, claim: Claim) -> Iterator[str]:
        unit = self.columns.get(claim.name)
        dataset, _, column = claim.name.partition(".")
        for name, other in self.columns.items():
            theirs = name.partition(".")
            same = theirs[0] == dataset or (theirs[2] == column and all(self._has(theirs[0], key) for key in claim.params))
            if name != claim.name and unit and other.measures_like(unit) and same:
                yield name

    def _has(self, dataset: str, column: str) -> bool:
        return self.ledger.datasets[dataset].column(column) is not None

    def _values(self, head: str, name: str, value: str) -> Iterator[str]:
        """Yield other values of a parameter: used elsewhere or, for a cell, in its column; of a list, one item changed, left out or swapped."""
        dataset = head.partition(".")[0] if "." in head else ""
        pool = dict(self.used[name])
        if dataset in self.ledger.datasets and self._has(dataset, name):
            pool = dict.fromkeys(self.ledger.table(dataset).columns[name])
        items = value.split(",")
        for at, item in enumerate(items):
            yield from (",".join([*items[:at], other, *items[at + 1 :]]) for other in pool if other and other not in items)
            if len(items) > 1:
                yield ",".join([*items[:at], *items[at + 1 :]])
                if at:
                    yield ",".join([*items[: at - 1], item, items[at - 1], *items[at + 1 :]])
