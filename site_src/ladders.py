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
from once import once

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
        ledger: what it was read from.
    """

    ledger: Ledger
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
        return [row[self.measured] for row in self.rung(context)]

    def rate(self, context: int) -> Quantity:
        """Return the rate of a rung, in tok/s: the mean of its rounds, or its prompt over the mean time to the first token."""
        return _rate(self.ledger, self.campaign, self.cfg, self.measured, context)

    def prompt(self, context: int) -> Quantity:
        """Return the prompt tokens of a rung as they were counted: the mean of its rounds."""
        return _prompt(self.ledger, self.campaign, self.cfg, self.measured, context)

    def time(self, context: int) -> Quantity:
        """Return the time of one token at a rung: one over the rate, in ms/tok."""
        return (1 / self.rate(context)).to("ms/tok")

    def apart(self, context: int) -> Quantity:
        """Return how far the rounds of a rung lie apart: (max − min) / mean."""
        return _apart(self.ledger, self.campaign, self.cfg, self.measured, context)

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

    def rung(self, context: int) -> tuple[Row, ...]:
        """Return the rows of the rounds of a rung. Raises ValueError for a context that was not measured."""
        if context not in self.rungs:
            raise ValueError(f"{self.cfg} of {self.campaign} was not measured at {context}; it has {', '.join(map(str, self.rungs))}")
        return self.rungs[context]

    def _ends(self, first: int | None, last: int | None) -> tuple[int, int]:
        return (self.contexts[0] if first is None else first), (self.contexts[-1] if last is None else last)


def decode(ledger: Ledger, campaign: str, cfg: str) -> Ladder:
    """Return a ladder of decode rates. Raises ValueError for one nobody measured."""
    found = latest_session(ledger, DECODE, campaign=campaign, cfg=cfg)
    if not found and campaign == CONTROL_CAMPAIGN:
        found = latest_session(ledger, CONTROL, cfg=cfg)
    return _ladder(ledger, campaign, cfg, "tok_s", found)


def prefill(ledger: Ledger, campaign: str, cfg: str) -> Ladder:
    """Return a ladder of times to the first token. Raises ValueError for one nobody measured."""
    return _ladder(ledger, campaign, cfg, "first_token_s", latest_session(ledger, PREFILL, campaign=campaign, cfg=cfg))


def _ladder(ledger: Ledger, campaign: str, cfg: str, measured: str, rungs: dict[int, tuple[Row, ...]]) -> Ladder:
    if not rungs:
        raise ValueError(f"no campaign {campaign} with a ladder {cfg}")
    return Ladder(ledger, campaign, cfg, measured, rungs)


def _read(ledger: Ledger, campaign: str, cfg: str, measured: str) -> Ladder:
    return (decode if measured == "tok_s" else prefill)(ledger, campaign, cfg)


@once
def _rate(ledger: Ledger, campaign: str, cfg: str, measured: str, context: int) -> Quantity:
    ladder = _read(ledger, campaign, cfg, measured)
    value = mean(ladder.rounds(context))
    return value if measured == "tok_s" else ladder.prompt(context) / value


@once
def _prompt(ledger: Ledger, campaign: str, cfg: str, measured: str, context: int) -> Quantity:
    return mean(row["prompt_tokens"] for row in _read(ledger, campaign, cfg, measured).rung(context))


@once
def _apart(ledger: Ledger, campaign: str, cfg: str, measured: str, context: int) -> Quantity:
    return spread(_read(ledger, campaign, cfg, measured).rounds(context))


def latest_session(ledger: Ledger, dataset: str, **keys: str) -> dict[int, tuple[Row, ...]]:
    """Return the rounds of each context, ascending; where a cell was measured again, those of the later session alone.

    Args:
        ledger: what they are read from.
        dataset: the table.
        keys: which rows of it.
    """
    rows = ledger.rows(dataset, **keys)
    return {context: tuple([rows[place] for place in places]) for context, places in _latest(ledger, dataset, *keys.items()).items()}


@once
def _latest(ledger: Ledger, dataset: str, *keys: tuple[str, str]) -> dict[int, list[int]]:
    """Return where among the rows with some keys the rounds of each context stand that count."""
    rows = ledger.rows(dataset, **dict(keys))
    cells: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        cells.setdefault(int(row.text("context")), []).append(place)
    return {context: _of_the_last(rows, cells[context]) for context in sorted(cells)}


def _of_the_last(rows: Sequence[Row], places: list[int]) -> list[int]:
    sessions = [_session(rows[place]) for place in places]
    last = max(sessions)
    return [place for place, session in zip(places, sessions, strict=True) if session == last]


def _session(row: Row) -> int:
    try:
        return int(row.text("session"))
    except LedgerError:  # the table of the control has no such column: each of its cells was measured in one session
        return 1
