"""The rule: which steps may take the 3D path. Pure, so that it can be tested without vLLM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Self  # Python 3.11; this runs on 3.10 too

SEGMENT_BUFFERS = ("softmax_segm_output", "softmax_segm_max", "softmax_segm_expsum")


class VerifyThreshold(int):
    """A `seq_threshold_3D` that also knows how many rows a verify step has.

    vLLM hands this number from the metadata builder to the launcher and only compares it, so it can carry the second
    number along without a change to any signature on the way.
    """

    decode_query_len: int

    def __new__(cls, threshold: int, decode_query_len: int) -> Self:
        """Return the threshold (sequences) with the rows of a verify step."""
        self = super().__new__(cls, threshold)
        self.decode_query_len = decode_query_len
        return self


@dataclass(frozen=True)
class Step:
    """What the launcher is asked to do.

    Attributes:
        rows: Longest query of the batch, `max_seqlen_q`.
        tokens: Query tokens of the batch with padding, `q.shape[0]`.
        sequences: Sequences of the batch.
        threshold: `seq_threshold_3D`; None where the caller has no 3D path.
        decode_query_len: Rows of a verify step, 1 + num_speculative_tokens.
        scratch_rows: First dimension of the smallest segment buffer; None where one is missing.
        plain_causal: One causal mask for all: not off, not per sequence, no bidirectional prefix.
        own_tiling: The launcher would choose its Blackwell tiling, or a kernel with a gate of its own.
        batch_invariant: vLLM was asked for results that do not depend on the batch.
    """

    rows: int
    tokens: int
    sequences: int
    threshold: int | None
    decode_query_len: int
    scratch_rows: int | None
    plain_causal: bool = True
    own_tiling: bool = False
    batch_invariant: bool = False


def fits(step: Step) -> bool:
    """Say whether the segment buffers hold a row for each query token: the kernel indexes them by token."""
    return step.scratch_rows is not None and step.tokens <= step.scratch_rows


def admits(step: Step) -> bool:
    """Say whether a step of several rows is a verify step that the 3D path may serve.

    As vLLM 0.33.0, this keeps out what is no plain causal step and what has a tiling of its own for several rows.
    """
    return (
        1 < step.rows <= step.decode_query_len
        and step.threshold is not None
        and step.sequences <= step.threshold
        and fits(step)
        and step.plain_causal
        and not step.own_tiling
        and not step.batch_invariant
    )


def segment_rows(stock_rows: int, decode_query_len: int) -> int:
    """Return the rows that a segment buffer needs: one a token, where vLLM allocates one a sequence."""
    return stock_rows * decode_query_len
