"""A streamed answer, event by event: what arrived when, and what the server counted.

Tokens are what the server's ``usage`` says; chunks are what arrived. One is never taken for the other: a chunk holds several tokens
under speculation, and a server that holds back half a word sends fewer chunks than tokens.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from .errors import MeasureError

TEXTS = ("content", "reasoning_content", "reasoning")
"""Where a chunk of a chat may have text."""
LONGEST_REASON = 200


@dataclass(frozen=True)
class Usage:
    """What the server counted.

    Attributes:
        prompt: Tokens of the prompt.
        completion: Tokens of the answer.
        cached: Tokens of the prompt that a prefix cache had; None where the server does not say.
    """

    prompt: int
    completion: int
    cached: int | None = None


@dataclass(frozen=True)
class Reply:
    """An answer, in seconds of one clock.

    Attributes:
        usage: What the server counted.
        sent_s: When the request was sent.
        first_s: When the first chunk with text arrived; the end of the stream when none had any.
        last_s: When the last one did.
        end_s: When the answer was complete.
        chunks: Chunks with text; 0 when the answer was not streamed.
        first_chunk_tokens: Tokens in the first chunk, where the server counts along; else None.
        first_text_share: Share of the text that came with the first chunk, 0 to 1.
        max_gap_s: Longest time between two chunks with text.
        finish: Why the answer ended, in the server's word.
    """

    usage: Usage
    sent_s: float
    first_s: float
    last_s: float
    end_s: float
    chunks: int = 0
    first_chunk_tokens: int | None = None
    first_text_share: float = 0.0
    max_gap_s: float = 0.0
    finish: str = ""

    @property
    def chunk_s(self) -> float | None:
        """Chunks after the first in a second; None for fewer than two."""
        return (self.chunks - 1) / (self.last_s - self.first_s) if self.chunks > 1 and self.last_s > self.first_s else None


class StreamReader:
    """Takes the events of one stream as they arrive.

    Args:
        sent_s: When the request was sent.
    """

    def __init__(self, sent_s: float) -> None:
        self.sent_s = sent_s
        self.first_s: float | None = None
        self.last_s = sent_s
        self.chunks = 0
        self.first_chunk_tokens: int | None = None
        self.first_text = 0
        self.text = 0
        self.max_gap_s = 0.0
        self.usage: Usage | None = None
        self.finish = ""

    @property
    def seen(self) -> dict[str, object]:
        """What arrived, as cells of a row that failed."""
        span = self.last_s - (self.first_s if self.first_s is not None else self.last_s)
        return {"chunks": self.chunks, "chunk_s": (self.chunks - 1) / span if span > 0 else None}

    def feed(self, data: str, now_s: float) -> bool:
        """Take the data of one event; return whether it had text.

        Raises:
            MeasureError: The event reports an error, or is not JSON.
        """
        if data == "[DONE]" or not data:
            return False
        try:
            event = json.loads(data)
        except ValueError:
            raise MeasureError(f"an event of the stream is not JSON: {data[:LONGEST_REASON]}", **self.seen) from None
        if not isinstance(event, dict) or event.get("error"):
            raise MeasureError(f"the stream reports an error: {explain(event)}", **self.seen)
        usage = read_usage(event.get("usage"))
        self.usage = usage or self.usage
        choice = first_choice(event)
        self.finish = str(choice.get("finish_reason") or self.finish)
        text = text_of(choice)
        if not text:
            return False
        self.chunks += 1
        self.text += len(text)
        if self.first_s is None:
            self.first_s = now_s
            self.first_text = len(text)
            self.first_chunk_tokens = usage.completion if usage and not choice.get("finish_reason") else None
        else:
            self.max_gap_s = max(self.max_gap_s, now_s - self.last_s)
        self.last_s = now_s
        return True

    def close(self, now_s: float) -> Reply:
        """Return the answer.

        Raises:
            MeasureError: The stream ended before the answer did, or the server did not say how many tokens it had.
        """
        if not self.finish:
            raise MeasureError(f"the stream ended before the answer did, after {self.chunks} chunks", **self.seen)
        if self.usage is None:
            raise MeasureError(f"the server sent no usage: {self.chunks} chunks arrived, but how many tokens they hold is unknown", **self.seen)
        first_s = now_s if self.first_s is None else self.first_s
        return Reply(
            usage=self.usage,
            sent_s=self.sent_s,
            first_s=first_s,
            last_s=max(first_s, self.last_s),
            end_s=now_s,
            chunks=self.chunks,
            first_chunk_tokens=self.first_chunk_tokens,
            first_text_share=self.first_text / self.text if self.text else 0.0,
            max_gap_s=self.max_gap_s,
            finish=self.finish,
        )


def first_choice(event: dict[str, Any]) -> dict[str, Any]:
    """Return the one answer in an event or a body; empty when there is none."""
    choices = event.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else {}
    return choice if isinstance(choice, dict) else {}


def text_of(choice: dict[str, Any]) -> str:
    """Return the text of a chunk: of a completion, of a chat, of its reasoning, or of a call of a tool."""
    delta = choice.get("delta")
    delta = delta if isinstance(delta, dict) else {}
    found = [choice.get("text"), *(delta.get(name) for name in TEXTS)]
    calls = delta.get("tool_calls")
    return "".join(item for item in found if isinstance(item, str)) + (json.dumps(calls) if calls else "")


def read_usage(usage: Any) -> Usage | None:
    """Return what a server counted; None where it did not."""
    if not isinstance(usage, dict):
        return None
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(completion, int):
        return None
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    return Usage(prompt, completion, cached if isinstance(cached, int) else None)


def explain(body: Any) -> str:
    """Return what an error answer says, in one line."""
    found = body
    for name in ("error", "message", "detail"):
        if isinstance(found, dict) and found.get(name):
            found = found[name]
    text = found if isinstance(found, str) else json.dumps(found, ensure_ascii=False)
    return " ".join(text.split())[:LONGEST_REASON]
