"""Mutants: faults put into a project on purpose, each of which the check must notice, and the list of those that are none."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from ledgermark.findings import ConfigError
from ledgermark.messages import Message
from ledgermark.yamls import YamlError, read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ledgermark.fix import Edit
    from ledgermark.quantity import Cell

# What is done, in the order in which it is reported.
KINDS: Final = (
    "digit",
    "sign",
    "magnitude",
    "unit",
    "comparison",
    "direction",
    "rebinding",
    "unbinding",
    "deletion",
    "cell",
    "figure",
    "reference",
    "erratum",
    "badge",
    "given",
)


@dataclass(frozen=True)
class Rewritten:
    """Files with other text in places.

    Attributes:
        edits: path and edit; the offsets are those of the text before any of them.
        shows: pairs of a claim's key and what it would show. When each pair is right after all, nothing is wrong with the mutant.
    """

    edits: tuple[tuple[str, Edit], ...]
    shows: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Nudged:
    """A cell of the ledger changed until a claim is wrong by just over the precision it shows.

    Attributes:
        cell: the cell; one without a column is a row that goes.
        key, text: the claim, and what it shows.
        up: whether the number in the cell grows.
    """

    cell: Cell
    key: str
    text: str
    up: bool


@dataclass(frozen=True)
class Undrawn:
    """A figure's function is gone."""

    figure: str


@dataclass(frozen=True)
class Mutant:
    """A fault.

    Attributes:
        kind: one of `KINDS`.
        path, line, column: where.
        section: the id of the section it lies in.
        subject: what it is done to: a claim's key, a figure, an erratum, a cell.
        change: what is done, in words.
        nth: counts those that are alike in all of these.
    """

    kind: str
    path: str
    line: int
    column: int
    section: str
    subject: str
    change: str
    alteration: Rewritten | Nudged | Undrawn
    nth: int = 1

    @property
    def name(self) -> str:
        """What the list of accepted survivors calls it; line numbers change too easily for that."""
        where = f"{self.path}#{self.section}" if self.section else self.path
        return f"{self.kind} {where} {self.subject}: {self.change}" + (f" ({self.nth})" if self.nth > 1 else "")


def numbered(mutants: Iterable[Mutant]) -> Iterator[Mutant]:
    """Yield the mutants, those of one name counted."""
    seen: Counter[str] = Counter()
    for mutant in mutants:
        seen[mutant.name] += 1
        yield replace(mutant, nth=seen[mutant.name])


def read_accepted(path: str, text: str) -> dict[str, str]:
    """Return the accepted survivors of a file, by name, with the reason of each.

    Args:
        path: the file's, for messages.
        text: its YAML: a list of objects with `mutant`, a name, and `reason`.

    Raises:
        ConfigError: it is none.
    """
    try:
        content: Any = read_yaml(text) or []
    except YamlError as error:
        msg = Message("{path}:{line}: no YAML: {error}", path=path, line=error.line, error=error)
        raise ConfigError(msg) from error
    accepted: dict[str, str] = {}
    for item in content if isinstance(content, list) else [content]:
        if not (isinstance(item, dict) and set(item) == {"mutant", "reason"} and all(isinstance(value, str) for value in item.values())):
            msg = Message(
                "{path}: expected a list of objects with 'mutant' (the name `mutate` prints) and 'reason', found {item}",
                path=path,
                item=repr(item),
            )
            raise ConfigError(msg)
        if item["mutant"] in accepted:
            msg = Message("{path}: '{item}' stands twice", path=path, item=item["mutant"])
            raise ConfigError(msg)
        accepted[item["mutant"]] = item["reason"]
    return accepted
