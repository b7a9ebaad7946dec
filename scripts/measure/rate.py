"""From replies to rates: the two methods, and what each rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .errors import MeasureError

if TYPE_CHECKING:
    from .stream import Reply

LEAST_TOKENS = 2
BY_USAGE, BY_CHUNK, BY_TEXT = "usage", "one per chunk", "share of text"
LARGEST_GUESS = 1 / 8
"""Share of the tokens that the first chunk may hold when how many it holds is a guess."""


@dataclass(frozen=True)
class Rate:
    """Decoding, as one measurement has it.

    Attributes:
        tokens: Tokens that the time was taken over.
        seconds: That time.
        first_chunk_tokens: Tokens that had arrived when it began; 0 for the difference.
        basis: How that number is known.
    """

    tokens: float
    seconds: float
    first_chunk_tokens: float = 0.0
    basis: str = ""

    @property
    def tok_s(self) -> float:
        """Tokens in a second."""
        return self.tokens / self.seconds


def stream_rate(reply: Reply) -> Rate:
    """Return the rate after the first chunk.

    The time from the first chunk to the last is that of the tokens after the first chunk, so how many were in it decides: what the
    server counted at that chunk where it counts along; one where there are as many chunks as tokens; else the share that its text has
    of the whole text. A server that hands over several chunks at once may hold so much back that nothing follows from such a share.

    Raises:
        MeasureError: There are fewer than two chunks, no time passed between them, or too much of the answer came at once.
    """
    total = reply.usage.completion
    if reply.chunks < LEAST_TOKENS or total < LEAST_TOKENS:
        raise MeasureError(f"{total} tokens in {reply.chunks} chunks: a rate needs two of each", chunks=reply.chunks)
    seconds = reply.last_s - reply.first_s
    if seconds <= 0:
        raise MeasureError(f"all {reply.chunks} chunks arrived at once: this server, or a proxy before it, does not stream")
    if reply.first_chunk_tokens is not None and 0 < reply.first_chunk_tokens < total:
        first, basis = float(reply.first_chunk_tokens), BY_USAGE
    elif reply.chunks == total:
        first, basis = 1.0, BY_CHUNK
    else:
        first, basis = max(1.0, total * reply.first_text_share), BY_TEXT
        if first > total * LARGEST_GUESS:
            raise MeasureError(
                f"the first of {reply.chunks} chunks holds about {first:.0f} of {total} tokens: these chunks do not tell the rate;"
                " use the difference, or more tokens",
                chunks=reply.chunks,
                chunk_s=reply.chunk_s,
                completion_tokens=total,
                prompt_tokens=reply.usage.prompt,
            )
    return Rate(total - first, seconds, first, basis)


def difference_rate(long: Reply, short: Reply) -> Rate:
    """Return the rate from a long and a short answer at one depth: what they share, prefill among it, cancels.

    Raises:
        MeasureError: The long one has not more tokens, or took no longer.
    """
    tokens = long.usage.completion - short.usage.completion
    seconds = (long.end_s - long.sent_s) - (short.end_s - short.sent_s)
    if tokens <= 0 or seconds <= 0:
        raise MeasureError(f"{tokens} tokens more took {seconds:.3f} s more: no rate follows; the depth's own time varies by more than that")
    return Rate(tokens, seconds)


def check_reply(reply: Reply, context: int, completion: int, tolerance: int) -> None:
    """Hold a reply against what was asked.

    Args:
        reply: As it came.
        context: Tokens that the prompt has, by calibration.
        completion: Tokens that were asked for.
        tolerance: Tokens that the prompt may differ by.

    Raises:
        MeasureError: The prompt was cut or grew, a prefix cache had some of it, or the answer is shorter than asked for.
    """
    usage = reply.usage
    if usage.prompt < context - tolerance:
        raise MeasureError(f"the prompt was truncated: the server read {usage.prompt} of {context} tokens", prompt_tokens=usage.prompt)
    if usage.prompt > context + tolerance:
        raise MeasureError(f"the server read {usage.prompt} tokens of a prompt of {context}", prompt_tokens=usage.prompt)
    if usage.cached:
        raise MeasureError(
            f"a prefix cache had {usage.cached} of {usage.prompt} tokens, in spite of a unique beginning",
            prompt_tokens=usage.prompt,
            cached_tokens=usage.cached,
        )
    if usage.completion < completion:
        raise MeasureError(
            f"the answer ended after {usage.completion} of {completion} tokens ({reply.finish or 'no reason given'}): ask the server to ignore"
            " the end of text, as with --extra '{\"ignore_eos\": true}'",
            prompt_tokens=usage.prompt,
            completion_tokens=usage.completion,
        )
