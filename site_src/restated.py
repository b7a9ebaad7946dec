"""Metrics of the restated comparison: MTP on one A100 against two Radeons, gemma-4-31B, the session of 2026-08-29.

The A100 rows count streamed chunks. With speculation a chunk carries several tokens, so their rate stands beside no rate in tokens. They hold
the time of the whole request and of its first chunk as well. Each request asked for 512 tokens with the end of sequence ignored, so that 511
came after the first. That number is inferred, which the page says.
"""

from ladders import latest_session
from once import once

from ledgermark import Ledger, Quantity, Row, largest, mean, metric, smallest

AFTER_FIRST = Quantity.of(511, "tok")  # max_tokens = 512 with ignore_eos, less the token that the first chunk brings
RADEON_ARMS = {"no_speculation": "G31-tp2", "admitted": "G31-mtp-p45450-tp2"}


def a100_rounds(ledger: Ledger, arm: str, context: int) -> tuple[Row, ...]:
    """Return the rounds of a cell on the A100. Raises ValueError when there are none."""
    plain = ledger.rows("a100_chunks", cfg="A100-G31", arm=arm, context=context)
    rows = plain or ledger.rows("gate_control_a100", run="g31_a100", arm=arm, context=context)
    if not rows:
        raise ValueError(f"no A100 rounds of arm '{arm}' at {context}")
    return rows


@once
def restated_contexts(ledger: Ledger) -> tuple[int, ...]:
    """Return the contexts of the comparison, ascending."""
    return tuple(sorted({int(row.text("context")) for row in ledger.rows("a100_chunks", cfg="A100-G31")}))


@metric(unit="tok/s", formula="mean of rounds")
@once
def radeon_tokens(ledger: Ledger, arm: str, context: int) -> Quantity:
    """Decode rate of gemma-4-31B on the two Radeons in the session of 2026-08-29, in tokens, mean of its rounds."""
    cells = latest_session(ledger, "decode_ladder", campaign="radeon-2026-08-29", cfg=RADEON_ARMS.get(arm, arm))
    if context not in cells:
        raise ValueError(f"no Radeon rounds of arm '{arm}' at {context}")
    return mean(row["tok_s"] for row in cells[context])


@metric(unit="chunk/s", formula="mean of rounds")
@once
def a100_chunk_rate(ledger: Ledger, arm: str, context: int) -> Quantity:
    """Decode rate of gemma-4-31B on the A100 as first recorded, in streamed chunks, mean of its rounds."""
    return mean(row["chunk_s"] for row in a100_rounds(ledger, arm, context))


@metric(unit="tok/s", formula="mean of 511 / (wall − first chunk)")
@once
def a100_tokens(ledger: Ledger, arm: str, context: int) -> Quantity:
    """Decode rate of gemma-4-31B on the A100, recounted in tokens from the times of its requests, mean of its rounds."""
    return mean(AFTER_FIRST / (row["wall_s"] - row["first_chunk_s"]) for row in a100_rounds(ledger, arm, context))


@metric(unit="chunk/tok", formula="chunk rate(A100) / token rate(Radeons)")
def lead_as_recorded(ledger: Ledger, arm: str, context: int) -> Quantity:
    """What was first taken for the lead of the A100 over the two Radeons: chunks over tokens, which is no ratio of rates."""
    return a100_chunk_rate(ledger, arm, context) / radeon_tokens(ledger, arm, context)


@metric(unit="×", formula="token rate(A100) / token rate(Radeons)")
def lead_recounted(ledger: Ledger, arm: str, context: int) -> Quantity:
    """Lead of the A100 over the two Radeons, both counted in tokens."""
    return a100_tokens(ledger, arm, context) / radeon_tokens(ledger, arm, context)


@metric(unit="×", formula="min over contexts of token rate(A100) / token rate(Radeons)")
def lead_least(ledger: Ledger, arm: str) -> Quantity:
    """Least lead of the A100 over the two Radeons at any context, both counted in tokens."""
    return smallest(lead_recounted(ledger, arm, context) for context in restated_contexts(ledger))


@metric(unit="×", formula="max over contexts of token rate(A100) / token rate(Radeons)")
def lead_most(ledger: Ledger, arm: str) -> Quantity:
    """Largest lead of the A100 over the two Radeons at any context, both counted in tokens."""
    return largest(lead_recounted(ledger, arm, context) for context in restated_contexts(ledger))


@metric(unit="tok/chunk", formula="mean of 511 / (chunks − 1)")
@once
def tokens_per_chunk(ledger: Ledger, context: int) -> Quantity:
    """Tokens in a streamed chunk of the A100 with MTP, if every request made the tokens it was asked for."""
    one = Quantity.of(1, "chunk")
    return mean(AFTER_FIRST / (row["chunks"] - one) for row in a100_rounds(ledger, "admitted", context))


@metric(unit="tok/chunk", formula="min over contexts of mean of 511 / (chunks − 1)")
def tokens_per_chunk_least(ledger: Ledger) -> Quantity:
    """Fewest tokens in a streamed chunk of the A100 with MTP at any context."""
    return smallest(tokens_per_chunk(ledger, context) for context in restated_contexts(ledger))


@metric(unit="tok/chunk", formula="max over contexts of mean of 511 / (chunks − 1)")
def tokens_per_chunk_most(ledger: Ledger) -> Quantity:
    """Most tokens in a streamed chunk of the A100 with MTP at any context."""
    return largest(tokens_per_chunk(ledger, context) for context in restated_contexts(ledger))


@metric(unit="×", formula="tokens per chunk × rate(no speculation) / rate(MTP)")
def step_cost_a100(ledger: Ledger, context: int) -> Quantity:
    """What a speculative step costs on the A100 in ordinary steps; a chunk is a step, an ordinary step one token."""
    per_step = tokens_per_chunk(ledger, context) / Quantity.of(1, "tok/chunk")
    return per_step * a100_tokens(ledger, "no_speculation", context) / a100_tokens(ledger, "admitted", context)


@metric(unit="×", formula="acceptance length × rate(no speculation) / rate(MTP)")
def step_cost_radeon(ledger: Ledger, context: int) -> Quantity:
    """What a speculative step costs on the two Radeons in ordinary steps, each of which yields one token."""
    row = ledger.one("mtp_acceptance", cfg=RADEON_ARMS["admitted"], context=context)
    per_step = row["tokens_per_step"] / Quantity.of(1, "tok/step")
    return per_step * radeon_tokens(ledger, "no_speculation", context) / radeon_tokens(ledger, "admitted", context)


@metric(unit="×", formula="min over contexts")
def step_cost_least(ledger: Ledger, machine: str) -> Quantity:
    """Least that a speculative step costs in ordinary steps at any context of the comparison."""
    return smallest(_step_costs(ledger, machine))


@metric(unit="×", formula="max over contexts")
def step_cost_most(ledger: Ledger, machine: str) -> Quantity:
    """Most that a speculative step costs in ordinary steps at any context of the comparison."""
    return largest(_step_costs(ledger, machine))


def _step_costs(ledger: Ledger, machine: str) -> list[Quantity]:
    of = {"a100": step_cost_a100, "radeon": step_cost_radeon}
    if machine not in of:
        raise ValueError(f"no machine '{machine}'; there are {', '.join(of)}")
    return [of[machine](ledger, context) for context in restated_contexts(ledger)]


@metric(unit="%", formula="rate(MTP) / rate(no speculation) − 1, in tokens")
def mtp_worth_a100(ledger: Ledger, context: int) -> Quantity:
    """Change in decode rate by MTP with the admission on the A100, recounted in tokens."""
    return a100_tokens(ledger, "admitted", context) / a100_tokens(ledger, "no_speculation", context) - 1


@metric(unit="%", formula="rate(MTP) / rate(no speculation) − 1")
def mtp_worth_radeon(ledger: Ledger, context: int) -> Quantity:
    """Change in decode rate by MTP with the admission on the two Radeons, session of 2026-08-29."""
    return radeon_tokens(ledger, "admitted", context) / radeon_tokens(ledger, "no_speculation", context) - 1
