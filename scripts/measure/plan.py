"""What is to be measured, cell by cell, and how long it should take."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

WARM_UP, MEASURED = "warm-up", "measured"
OK, FAILED = "ok", "failed"


@dataclass(frozen=True)
class Cell:
    """One row that is to be.

    Attributes:
        key: What tells its row from the others of the run, by column.
        group: Columns of the key that name its rung. When one cell of a rung fails, the rest of it is left out.
        seconds: How long it should take.
        label: For people.
        fixed: Cells that its row has besides the key, whatever happens.
        item: Whatever the instrument needs to measure it.
    """

    key: Mapping[str, str]
    group: tuple[str, ...]
    seconds: float
    label: str
    fixed: Mapping[str, str] = field(default_factory=dict)
    item: object = field(default=None, compare=False)

    @property
    def rung(self) -> tuple[str, ...]:
        """The values that name its rung."""
        return tuple(self.key[name] for name in self.group)


@dataclass(frozen=True)
class Speed:
    """What a plan expects of a server, to say how long it will take.

    Attributes:
        prefill_tok_s: Tokens of a prompt that it reads in a second.
        decode_tok_s: Tokens that it writes in a second.
    """

    prefill_tok_s: float = 2000.0
    decode_tok_s: float = 30.0

    def seconds(self, prompt_tokens: int, completion_tokens: int) -> float:
        """Return how long one request should take."""
        return prompt_tokens / self.prefill_tok_s + completion_tokens / self.decode_tok_s


def phase_of(number: int) -> str:
    """Return what a round is: round 0 warms the server up and is kept apart."""
    return MEASURED if number else WARM_UP


def render_plan(cells: Sequence[Cell], done: Iterable[Cell], notes: Iterable[str] = ()) -> list[str]:
    """Return the plan as lines for a person: each rung, what is left of it, and how long that should take."""
    before = {id(cell) for cell in done}
    rungs: dict[tuple[str, ...], list[Cell]] = {}
    for cell in cells:
        rungs.setdefault(cell.rung, []).append(cell)
    lines = []
    for rung, members in rungs.items():
        left = [cell for cell in members if id(cell) not in before]
        state = f"{len(members)} cells" if len(left) == len(members) else f"{len(left)} of {len(members)} cells left"
        lines.append(f"{', '.join(rung)}: {state}, {spell_seconds(sum(cell.seconds for cell in left))}")
    left = [cell for cell in cells if id(cell) not in before]
    total = spell_seconds(sum(cell.seconds for cell in left))
    return [*lines, *notes, f"in all: {len(left)} cells in {len(rungs)} rungs, about {total}"]


def spell_seconds(seconds: float) -> str:
    """Return a duration as people say it: `40 s`, `12 min`, `3 h 20 min`."""
    if seconds < 90:  # noqa: PLR2004 - up to here seconds say more
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60:02d} min"  # noqa: PLR2004 - as above
