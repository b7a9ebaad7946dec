"""Takes one measurement from a server: reading a prompt, or decoding after it, by either method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .prompt import GUESS, Prompt, cut_prompt, tolerance_of
from .rate import check_reply, difference_rate, stream_rate

if TYPE_CHECKING:
    from .client import Client
    from .power import Meter
    from .stream import Reply

DECODE, PREFILL = "decode", "prefill"
STREAM, DIFFERENCE = "stream", "difference"
STREAM_TOKENS = 128
DIFFERENCE_TOKENS = 64
SHORT_TOKENS = 8
Taken = tuple[dict[str, object], str]
"""The measured cells of a row, and a few words for the person who waits."""


@dataclass(frozen=True)
class Lengths:
    """Tokens of answers.

    Attributes:
        stream: Of a streamed answer.
        long: Of the longer answer of a difference.
        short: Of the shorter.
    """

    stream: int = STREAM_TOKENS
    long: int = DIFFERENCE_TOKENS
    short: int = SHORT_TOKENS

    def of(self, kind: str, method: str) -> int:
        """Return how many tokens one cell generates."""
        return 1 if kind == PREFILL else self.stream if method == STREAM else self.long + self.short


class Taker:
    """Measures one server.

    Args:
        client: The server.
        lengths: Tokens of answers.
        meter: Power of its devices.
    """

    def __init__(self, client: Client, lengths: Lengths, meter: Meter) -> None:
        self.client = client
        self.lengths = lengths
        self.meter = meter
        self.prompts: dict[int, Prompt] = {}
        self.warm: set[tuple[str, str, int]] = set()
        self.ratio = GUESS

    def prompt(self, context: int) -> Prompt:
        """Return the prompt of a rung, cut once. Raises MeasureError when it cannot be."""
        if context not in self.prompts:
            cut = cut_prompt(context, self.client.count, seed=context, ratio=self.ratio)
            self.prompts[context] = cut
            self.ratio = cut.tokens / cut.words
        return self.prompts[context]

    def take(self, kind: str, method: str, context: int, number: int) -> Taken:
        """Return one measurement of a round.

        Round 0 warms the server up. A later round that this process meets first, after an interruption or a switch, finds a server
        that may have cooled down: it is preceded by a measurement that nobody records.

        Raises:
            MeasureError: There is none.
        """
        prompt = self.prompt(context)
        way = self.prefill if kind == PREFILL else self.stream if method == STREAM else self.difference
        rung = (kind, method, context)
        if number and rung not in self.warm:
            way(prompt)
        self.warm.add(rung)
        return way(prompt)

    def prefill(self, prompt: Prompt) -> Taken:
        """Return what one token after a prompt says of reading it."""
        self.meter.start()
        reply = self.client.stream(prompt.text(), 1)
        power_w = self.meter.stop()
        check_reply(reply, prompt.tokens, 1, tolerance_of(prompt.tokens))
        seconds = reply.first_s - reply.sent_s
        rate = reply.usage.prompt / seconds if seconds > 0 else None
        cells = {**counts(reply), "ttft_s": seconds, "total_s": reply.end_s - reply.sent_s, "prefill_tok_s": rate, "power_w": power_w}
        return cells, f"{rate or 0:.1f} tok/s"

    def stream(self, prompt: Prompt) -> Taken:
        """Return what a streamed answer says of decoding."""
        reply = self.client.stream(prompt.text(), self.lengths.stream, self.meter.start)
        power_w = self.meter.stop()
        check_reply(reply, prompt.tokens, self.lengths.stream, tolerance_of(prompt.tokens))
        return {**stream_cells(reply), "total_s": reply.end_s - reply.sent_s, "power_w": power_w}, tell(stream_rate(reply).tok_s, reply)

    def difference(self, prompt: Prompt) -> Taken:
        """Return what a long answer less a short one says of decoding."""
        short = self.client.whole(prompt.text(), self.lengths.short)
        check_reply(short, prompt.tokens, self.lengths.short, tolerance_of(prompt.tokens))
        long = self.client.whole(prompt.text(), self.lengths.long)
        check_reply(long, prompt.tokens, self.lengths.long, tolerance_of(prompt.tokens))
        rate = difference_rate(long, short)
        cells = {
            **counts(long),
            "total_s": long.end_s - long.sent_s,
            "short_completion_tokens": short.usage.completion,
            "short_total_s": short.end_s - short.sent_s,
            "decode_tokens": rate.tokens,
            "decode_s": rate.seconds,
            "tok_s": rate.tok_s,
        }
        return cells, f"{rate.tok_s:.2f} tok/s"


def counts(reply: Reply) -> dict[str, object]:
    """Return what was counted, as cells."""
    usage = reply.usage
    return {
        "prompt_tokens": usage.prompt,
        "cached_tokens": usage.cached,
        "completion_tokens": usage.completion,
        "chunks": reply.chunks or None,
    }


def stream_cells(reply: Reply) -> dict[str, object]:
    """Return what a streamed answer says, as cells; raises MeasureError when no rate follows from it."""
    rate = stream_rate(reply)
    return {
        **counts(reply),
        "ttft_s": reply.first_s - reply.sent_s,
        "first_chunk_tokens": rate.first_chunk_tokens,
        "first_chunk_basis": rate.basis,
        "max_gap_s": reply.max_gap_s,
        "decode_tokens": rate.tokens,
        "decode_s": rate.seconds,
        "tok_s": rate.tok_s,
        "chunk_s": reply.chunk_s,
    }


def tell(tok_s: float, reply: Reply) -> str:
    """Return a few words on a streamed answer."""
    return f"{tok_s:.2f} tok/s, first token after {reply.first_s - reply.sent_s:.2f} s"
