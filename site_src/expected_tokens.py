"""What a speculative step is expected to yield and to cost: the arithmetic of the calculator on the page of draft methods.

The same functions stand in `assets/js/expected-tokens.js`; `tests/vectors/expected_tokens.json` holds both to the same values. All costs are in
ordinary decode steps of the target model, all acceptances are shares from 0 to 1.

The model is that of Leviathan, Kalman and Matias, "Fast Inference from Transformers via Speculative Decoding" (ICML 2023, section 3), with two
things let go: the acceptance may differ by position, and a row that is verified may cost something. With one acceptance `a` for all positions
and rows that cost nothing, `expected_tokens` is their equation 1, (1 − a^(N+1)) / (1 − a), and `speedup` their theorem 3.8.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

Shares = tuple[Decimal, ...]


@dataclass(frozen=True)
class Costs:
    """What a speculative step costs beside the target's own pass.

    Attributes:
        draft: a pass of the drafter, in ordinary steps.
        row: each further query row that the target verifies, in ordinary steps.
        parallel: whether one pass drafts all positions; otherwise each needs a pass.
    """

    draft: Decimal
    row: Decimal
    parallel: bool = False


def decaying(first: Decimal, decay: Decimal, count: int) -> Shares:
    """Return the acceptance of `count` positions, each given that the one before was accepted: the first, and the rest by a constant factor."""
    _check_shares((first, decay))
    return tuple(first * decay**position for position in range(count))


def reached(acceptance: Sequence[Decimal]) -> Shares:
    """Return the share of all steps in which each position is accepted, from its acceptance given that the one before was: the running product.

    This is what vLLM logs as the per-position acceptance rate.
    """
    _check_shares(acceptance)
    shares: list[Decimal] = []
    for item in acceptance:
        shares.append((shares[-1] if shares else Decimal(1)) * item)
    return tuple(shares)


def expected_tokens(shares: Sequence[Decimal]) -> Decimal:
    """Return the tokens of a step: the target's own and those of the positions accepted, E = 1 + Σ shares.

    Args:
        shares: for each position, the share of all steps in which it is accepted.

    Raises:
        ValueError: a share lies outside 0 to 1, or is larger than the one before it.
    """
    _check_shares(shares)
    if any(later > earlier for earlier, later in pairwise(shares)):
        msg = f"a later position is accepted more often than an earlier one: {', '.join(map(str, shares))}"
        raise ValueError(msg)
    return 1 + sum(shares, Decimal(0))


def step_cost(count: int, costs: Costs) -> Decimal:
    """Return the cost of a step that drafts `count` tokens, in ordinary steps: 1 + draft passes + further rows. No draft costs 1."""
    passes = min(count, 1) if costs.parallel else count
    return 1 + passes * costs.draft + count * costs.row


def speedup(shares: Sequence[Decimal], costs: Costs) -> Decimal:
    """Return how many times the rate of ordinary decoding is reached: tokens of a step over its cost."""
    return expected_tokens(shares) / step_cost(len(shares), costs)


def best_length(shares: Sequence[Decimal], costs: Costs) -> int:
    """Return the proposal length with the largest speed-up, the shortest among equals; 0 where no length gains anything."""
    return max(range(len(shares) + 1), key=lambda count: (speedup(shares[:count], costs), -count))


def _check_shares(shares: Sequence[Decimal]) -> None:
    for share in shares:
        if not 0 <= share <= 1:
            msg = f"an acceptance is {share}, expected a share from 0 to 1"
            raise ValueError(msg)
