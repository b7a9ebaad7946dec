"""How many drafted tokens were accepted: from a server's Prometheus counters, or from its log."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from prometheus_client.parser import text_string_to_metric_families

from .errors import MeasureError

if TYPE_CHECKING:
    from collections.abc import Iterable

PREFIX = "vllm:spec_decode_num_"
DRAFTS, DRAFT_TOKENS, ACCEPTED = (f"{PREFIX}{name}_total" for name in ("drafts", "draft_tokens", "accepted_tokens"))
PER_POSITION = f"{PREFIX}accepted_tokens_per_pos_total"
_LOG = re.compile(
    r"SpecDecoding metrics:.*?Accepted: ([0-9]+) tokens, Drafted: ([0-9]+) tokens(?:, Per-position acceptance rate: ((?:[0-9.]+(?:, )?)+))?"
)


@dataclass(frozen=True)
class Counters:
    """Steps and tokens of speculation.

    Attributes:
        drafts: Steps in which tokens were drafted.
        draft_tokens: Tokens drafted.
        accepted: Of these, tokens accepted.
        positions: Tokens accepted at each position, the first first.
    """

    drafts: float = 0
    draft_tokens: float = 0
    accepted: float = 0
    positions: tuple[float, ...] = ()

    def __sub__(self, before: Counters) -> Counters:
        old = [*before.positions, *[0.0] * len(self.positions)]
        return Counters(
            self.drafts - before.drafts,
            self.draft_tokens - before.draft_tokens,
            self.accepted - before.accepted,
            tuple(new - old[place] for place, new in enumerate(self.positions)),
        )

    def __add__(self, other: Counters) -> Counters:
        longest = max(len(self.positions), len(other.positions))
        sides = [(*each.positions, *[0.0] * (longest - len(each.positions))) for each in (self, other)]
        return Counters(
            self.drafts + other.drafts,
            self.draft_tokens + other.draft_tokens,
            self.accepted + other.accepted,
            tuple(left + right for left, right in zip(*sides, strict=True)),
        )

    @property
    def mean_length(self) -> float | None:
        """Mean acceptance length: tokens a step yields, the one of the target itself among them; None without a step."""
        return 1 + self.accepted / self.drafts if self.drafts else None

    @property
    def acceptance(self) -> float | None:
        """Share of the drafted tokens that were accepted; None when none was drafted."""
        return self.accepted / self.draft_tokens if self.draft_tokens else None


def read_metrics(text: str) -> Counters | None:
    """Return the counters on a page of Prometheus metrics, all engines together; None where it has none of speculation.

    Raises:
        MeasureError: It is no such page.
    """
    sums = {DRAFTS: 0.0, DRAFT_TOKENS: 0.0, ACCEPTED: 0.0}
    positions: dict[int, float] = {}
    seen = False
    try:
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                if sample.name in sums:
                    sums[sample.name] += sample.value
                    seen = True
                elif sample.name == PER_POSITION:
                    place = int(sample.labels["position"])
                    positions[place] = positions.get(place, 0.0) + sample.value
    except (ValueError, KeyError) as error:
        raise MeasureError(f"/metrics cannot be read: {error}") from None
    if not seen:
        return None
    ordered = tuple(positions.get(place, 0.0) for place in range(max(positions, default=-1) + 1))
    return Counters(sums[DRAFTS], sums[DRAFT_TOKENS], sums[ACCEPTED], ordered)


def read_log(lines: Iterable[str], tokens: int) -> Counters:
    """Return what lines of a serve log report; each reports what came since the one before.

    Args:
        lines: Lines of the log.
        tokens: Tokens that each step drafts, which makes steps of drafted tokens.
    """
    total = Counters()
    for line in lines:
        if found := _LOG.search(line):
            accepted, drafted = float(found.group(1)), float(found.group(2))
            drafts = drafted / tokens
            rates = [float(item) for item in (found.group(3) or "").split(",") if item.strip()]
            total += Counters(drafts, drafted, accepted, tuple(round(rate * drafts) for rate in rates))
    return total


def check_counters(counters: Counters, tokens: int) -> None:
    """Hold what a request counted against how many tokens a step is to draft.

    Raises:
        MeasureError: The server restarted meanwhile, speculation is on or off against what is to be measured, or drafts otherwise.
    """
    if counters.drafts < 0 or counters.draft_tokens < 0 or counters.accepted < 0:
        raise MeasureError("the counters went back: the server was restarted meanwhile")
    if not tokens:
        if counters.drafts:
            raise MeasureError(f"speculation is on, and should not be: {counters.drafts:.0f} steps drafted")
        return
    if not counters.drafts:
        raise MeasureError("no step drafted: speculation is off, or the server does not count it")
    # The last steps of an answer draft fewer.
    if counters.draft_tokens > counters.drafts * tokens:
        mean = counters.draft_tokens / counters.drafts
        raise MeasureError(f"a step drafts {mean:.2f} tokens, {tokens} were to be: another server than the one meant")
    beyond = sum(counters.positions[tokens:])
    # A log gives shares with three digits, so that its sums close nearly.
    apart = abs(sum(counters.positions) - counters.accepted) if counters.positions else 0.0
    if counters.accepted > counters.draft_tokens or beyond or apart > max(len(counters.positions), counters.accepted / 100):
        raise MeasureError(
            f"{counters.accepted:.0f} tokens accepted of {counters.draft_tokens:.0f} drafted, by position"
            f" {spell_positions(counters.positions) or 'not told'}: the counters do not close"
        )


def spell_positions(positions: Iterable[float]) -> str:
    """Return accepted tokens by position as a cell has them: `120 84 51`."""
    return " ".join(f"{value:.0f}" for value in positions)


def read_positions(cell: str) -> tuple[float, ...]:
    """Return what `spell_positions` wrote."""
    return tuple(float(item) for item in cell.split())
