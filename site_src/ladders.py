"""Ladders: what one configuration does at one context after another, and what is read off it.

A ladder is named by its campaign and the author's name of its configuration, `cfg`; both are columns of `decode_ladder` and
`prefill_ladder`. A rung is one context. Where a rung was measured again in a later session of the campaign, the later session replaces
the earlier. A rung's value is the mean of its rounds: of their rates where decoding was timed, of their times to the first token where
reading the prompt was.

One ladder without speculation stands with the runs of the control, in `gate_control_radeon`; it is found there by its `cfg`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gate_control import CHART_GRADE, spread

from ledgermark import Ledger, LedgerError, Quantity, Row, mean

DECODE, PREFILL, CONTROL = "decode_ladder", "prefill_ladder", "gate_control_radeon"
CONTROL_CAMPAIGN = "radeon-2026-08-29"  # the campaign whose ladder without speculation stands in CONTROL


@dataclass(frozen=True)
class Ladder:
    """The rungs of one configuration, by context in ascending order, each with its rounds.

    Attributes:
        campaign, cfg: its name.
        measured: the column that was measured: `tok_s` of decoding, `first_token_s` of prefill.
        rungs: nominal context in tokens to the rows of its rounds.
    """

    campaign: str
    cfg: str
    measured: str
    rungs: dict[int, tuple[Row, ...]]

    @property
    def contexts(self) -> tuple[int, ...]:
        """The nominal contexts, ascending."""
        return tuple(self.rungs)

    def rounds(self, context: int) -> list[Quantity]:
        """Return what was measured in the rounds of a rung. Raises ValueError for a context that was not measured."""
        return [row[self.measured] for row in self._rung(context)]

    def rate(self, context: int) -> Quantity:
        """Return the rate of a rung, in tok/s: the mean of its rounds, or its prompt over the mean time to the first token."""
        value = mean(self.rounds(context))
        return value if self.measured == "tok_s" else self.prompt(context) / value

    def prompt(self, context: int) -> Quantity:
        """Return the prompt tokens of a rung as they were counted: the mean of its rounds."""
        return mean(row["prompt_tokens"] for row in self._rung(context))

    def time(self, context: int) -> Quantity:
        """Return the time of one token at a rung: one over the rate, in ms/tok."""
        return (1 / self.rate(context)).to("ms/tok")

    def apart(self, context: int) -> Quantity:
        """Return how far the rounds of a rung lie apart: (max − min) / mean."""
        return spread(self.rounds(context))

    def charts(self, context: int) -> bool:
        """Return whether a rung is chart grade: two rounds or more, apart by no more than `CHART_GRADE` of their mean."""
        return len(self.rounds(context)) > 1 and self.apart(context) <= CHART_GRADE

    def retained(self, first: int | None = None, last: int | None = None) -> Quantity:
        """Return which share of its rate at one rung is left at another; by default at the deepest, of the shallowest."""
        start, end = self._ends(first, last)
        return self.rate(end) / self.rate(start)

    def slope(self, first: int | None = None, last: int | None = None) -> Quantity:
        """Return what one more token of context adds to the time of a token, between two rungs, in us/tok."""
        start, end = self._ends(first, last)
        # Time per generated token, per token of context: of the two kinds of token the unit names the second.
        grown = (self.time(end) - self.time(start)) * Quantity.of(1, "tok")
        return (grown / (self.prompt(end) - self.prompt(start))).to("us/tok")

    def _rung(self, context: int) -> tuple[Row, ...]:
        if context not in self.rungs:
            raise ValueError(f"{self.cfg} of {self.campaign} was not measured at {context}; it has {', '.join(map(str, self.rungs))}")
        return self.rungs[context]

    def _ends(self, first: int | None, last: int | None) -> tuple[int, int]:
        return (self.contexts[0] if first is None else first), (self.contexts[-1] if last is None else last)


def decode(ledger: Ledger, campaign: str, cfg: str) -> Ladder:
    """Return a ladder of decode rates. Raises ValueError for one nobody measured."""
    found = ledger.rows(DECODE, campaign=campaign, cfg=cfg)
    if not found and campaign == CONTROL_CAMPAIGN:
        found = ledger.rows(CONTROL, cfg=cfg)
    return _ladder(found, campaign, cfg, "tok_s")


def prefill(ledger: Ledger, campaign: str, cfg: str) -> Ladder:
    """Return a ladder of times to the first token. Raises ValueError for one nobody measured."""
    return _ladder(ledger.rows(PREFILL, campaign=campaign, cfg=cfg), campaign, cfg, "first_token_s")


def _ladder(rows: tuple[Row, ...], campaign: str, cfg: str, measured: str) -> Ladder:
    if not rows:
        raise ValueError(f"no campaign {campaign} with a ladder {cfg}")
    return Ladder(campaign, cfg, measured, {context: tuple(rounds) for context, rounds in latest_session(rows).items()})


def latest_session(rows: Sequence[Row]) -> dict[int, list[Row]]:
    """Return the rounds of each context, ascending; where a cell was measured again, those of the later session alone."""
    cells: dict[int, list[Row]] = {}
    for row in rows:
        cells.setdefault(int(row.text("context")), []).append(row)
    return {context: _latest(cells[context]) for context in sorted(cells)}


def _latest(rows: list[Row]) -> list[Row]:
    sessions = [_session(row) for row in rows]
    last = max(sessions)
    return [row for row, session in zip(rows, sessions, strict=True) if session == last]


def _session(row: Row) -> int:
    try:
        return int(row.text("session"))
    except LedgerError:  # the table of the control has no such column: each of its cells was measured in one session
        return 1
