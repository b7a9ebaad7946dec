"""What became of mutants, counted, and as text or JSON."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from ledgermark.findings import printable
from ledgermark.messages import Message
from ledgermark.mutants import KINDS, Mutant

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledgermark.messages import Say

KILLED: Final = "killed"
SURVIVED: Final = "survived"
EQUIVALENT: Final = "equivalent"  # no fault: what is shown is right all the same, or no change of the cell moves the number
LISTED: Final = "listed"
_STATES: Final = (KILLED, SURVIVED, LISTED, EQUIVALENT)


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant: `killed` and by which code, `survived`, or `equivalent`, for it is no fault."""

    mutant: Mutant
    state: str
    code: str = ""


@dataclass(frozen=True)
class Tally:
    """What became of the mutants of a run.

    Attributes:
        outcomes: one for each mutant that was tried.
        accepted: the survivors that are listed, with the reason of each.
        stale: the listed ones that are no survivors, or no mutants at all.
    """

    outcomes: tuple[Outcome, ...]
    accepted: Mapping[str, str] = field(default_factory=dict)
    stale: tuple[str, ...] = ()

    @property
    def survivors(self) -> tuple[Mutant, ...]:
        """The survivors that are not listed."""
        return tuple(item.mutant for item in self.outcomes if item.state == SURVIVED and item.mutant.name not in self.accepted)

    @property
    def clean(self) -> bool:
        """Whether all is well: nothing survived that is not listed, and the list is up to date."""
        return not self.survivors and not self.stale

    def counts(self, kind: str = "") -> Counter[str]:
        """Return how many mutants of a kind, or of all, became what; the listed ones as `listed`."""
        states = (
            "listed" if item.state == SURVIVED and item.mutant.name in self.accepted else item.state
            for item in self.outcomes
            if not kind or item.mutant.kind == kind
        )
        return Counter(states)


def tally(mutants: Iterable[Mutant], outcomes: Iterable[Outcome], accepted: Mapping[str, str]) -> Tally:
    """Return the tally of a run; a listed survivor that was not tried, but could have been, is left alone.

    Args:
        mutants: all there are.
        outcomes: of those tried.
        accepted: the list.
    """
    found = tuple(outcomes)
    names = {mutant.name for mutant in mutants}
    fine = {item.mutant.name for item in found if item.state != SURVIVED}
    return Tally(found, accepted, tuple(name for name in accepted if name not in names or name in fine))


def tally_text(found: Tally, listed_in: str, say: Say = str) -> str:
    """Return a tally for a terminal: each survivor with its place, what the list has too much, and a line per kind.

    Args:
        found: the tally.
        listed_in: the path of the list.
        say: in which language; kinds and states are names, the same in each.
    """
    lines = [f"{mutant.path}:{mutant.line}:{mutant.column}: {say(Message('survived: {name}', name=mutant.name))}" for mutant in found.survivors]
    lines += [f"{listed_in}: {say(Message('no survivor, remove it: {name}', name=name))}" for name in found.stale]
    lines.append(f"{'':12}{''.join(f'{state:>12}' for state in _STATES)}  by")
    for kind in (*KINDS, ""):
        counts = found.counts(kind)
        if counts:
            codes = Counter(item.code for item in found.outcomes if item.code and (not kind or item.mutant.kind == kind))
            by = " ".join(f"{code} {number}" for code, number in codes.most_common()) if kind else ""
            lines.append(f"{kind or 'all':12}{''.join(f'{counts[state]:12}' for state in _STATES)}  {by}".rstrip())
    return "\n".join(printable(line) for line in [*lines, say(tally_line(found))])


def tally_line(found: Tally) -> str:
    """Return a tally in one line."""
    counts = found.counts()
    faults = counts.total() - counts[EQUIVALENT]
    listed = Message(", {count} listed with a reason", count=counts[LISTED]) if counts[LISTED] else ""
    return Message(
        "ledgermark: {faults} mutants: {killed} killed, {survived} survived{listed}"
        " ({equivalent} more were no faults: what they show is right as well)",
        faults=faults,
        killed=counts[KILLED],
        survived=counts[SURVIVED],
        listed=listed,
        equivalent=counts[EQUIVALENT],
    )


def tally_json(found: Tally) -> str:
    """Return a tally as JSON."""
    record = {
        "counts": dict(found.counts()),
        "kinds": {kind: dict(found.counts(kind)) for kind in KINDS if found.counts(kind)},
        "codes": dict(Counter(item.code for item in found.outcomes if item.code).most_common()),
        "survivors": [
            {"path": item.path, "line": item.line, "column": item.column, "kind": item.kind, "subject": item.subject, "mutant": item.name}
            for item in found.survivors
        ],
        "stale": list(found.stale),
    }
    return json.dumps(record, ensure_ascii=False, indent=2)
