"""A server that is nothing but a schedule: a double for timing, with a clock of its own, so that the truth is known to the last digit."""

from __future__ import annotations

import json
import random
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from scripts.measure.wire import DROPPED, STALLED, Answer, WireError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

TICK = 2.0**-20
"""Times are multiples of this, so that their differences are exact wherever a run begins."""
STALL_AT = 40
COMPLETIONS, CHAT = "/v1/completions", "/v1/chat/completions"


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def __call__(self) -> float:
        """Return the time."""
        return self.now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.now += round(seconds / TICK) * TICK


@dataclass(frozen=True)
class Behaviour:
    """What the server does.

    Attributes:
        prefill_tok_s: Tokens of a prompt that it reads in a second.
        decode_tok_s: Tokens that it writes in a second, on the mean.
        jitter: Largest deviation of a token's time, as a share of it.
        stall_s: Pause before token `STALL_AT` of an answer that is so long.
        chunk: Largest number of tokens in a chunk.
        usage: Whether it counts.
        along: Whether it counts with each chunk.
        owner: Who says so in /v1/models.
        drop_after: Chunks after which the connection breaks; None for never.
        end_after: Chunks after which the stream ends without an end; None for never.
        silent_after: Chunks after which nothing comes any more; None for never.
        error_after: Chunks after which an error comes; None for never.
        status: Status of each answer.
        reads: Tokens of a prompt that it reads at most.
        cached: Tokens of each prompt that its prefix cache has; None for a server that does not say.
        stops_after: Tokens after which it finds that all is said.
        garbage: Whether it sends an event that is no JSON.
        again: Whether the same request has the same times again, in whichever process it is sent.
    """

    prefill_tok_s: float = 4000.0
    decode_tok_s: float = 50.0
    jitter: float = 0.0
    stall_s: float = 0.0
    chunk: int = 1
    usage: bool = True
    along: bool = False
    owner: str = "fake"
    drop_after: int | None = None
    end_after: int | None = None
    silent_after: int | None = None
    error_after: int | None = None
    status: int = 200
    reads: int = 1 << 30
    cached: int | None = None
    stops_after: int = 1 << 30
    garbage: bool = False
    again: bool = True


@dataclass
class Sent:
    """A request as it came, and the truth about its answer.

    Attributes:
        body: Its JSON.
        prompt: Its text.
        times: When each token was there, by the clock.
    """

    body: dict[str, Any]
    prompt: str
    times: list[float] = field(default_factory=list)

    def tok_s(self, after: int = 1) -> float:
        """Return the true rate of the tokens after the first so many."""
        return (len(self.times) - after) / (self.times[-1] - self.times[after - 1])


class FakeServer:
    """The server, in the place of a network.

    Args:
        clock: Moves with what the server does.
        behaviour: What it does; or what it does for a request of so many prompt tokens, asked for each.
        wait_s: Real time that each request takes besides, for a test that kills.
    """

    def __init__(self, clock: Clock, behaviour: Behaviour | Callable[[int], Behaviour], wait_s: float = 0.0) -> None:
        self.clock = clock
        self.behaviour = behaviour
        self.wait_s = wait_s
        self.entry: Callable[[], Mapping[str, Any]] = dict
        self.pages: Mapping[str, Callable[[], str]] = {}
        self.sent: list[Sent] = []
        self.after: Callable[[Sent], None] = lambda _: None

    @contextmanager
    def connect(self, stall_s: float) -> Iterator[FakeServer]:
        """Give a connection."""
        assert stall_s > 0
        yield self

    def ask(self, method: str, path: str, body: bytes | None = None) -> Answer:
        """Answer a request."""
        if body is not None and path in (COMPLETIONS, CHAT):
            assert method == "POST"
            return self._generate(json.loads(body))
        if path == "/v1/models":
            return whole({"data": [{"id": "fake-model", "owned_by": self._of(1).owner, **self.entry()}]})
        if path in self.pages:
            return Answer(200, "text/plain", iter([self.pages[path]().encode()]))
        return whole({"error": "no such page"}, 404)

    def _generate(self, body: dict[str, Any]) -> Answer:
        time.sleep(self.wait_s)
        prompt = body["prompt"] if "prompt" in body else body["messages"][0]["content"]
        sent = Sent(body, prompt)
        self.sent.append(sent)
        behaviour = self._of(len(prompt.split()))
        tokens = min(len(prompt.split()), behaviour.reads)
        if behaviour.status != 200:
            return whole({"error": {"message": "this model's maximum context length is 4096 tokens"}}, behaviour.status)
        events = self._answer(sent, tokens, behaviour)
        if body["stream"]:
            return Answer(200, "text/event-stream", parts(events))
        counted = None
        for event in events:
            counted = event.get("usage") or counted
        reason = "length" if len(sent.times) == body["max_tokens"] else "stop"
        return whole({"choices": [{"text": "whole", "finish_reason": reason}], "usage": counted})

    def _of(self, tokens: int) -> Behaviour:
        return self.behaviour(tokens) if callable(self.behaviour) else self.behaviour

    def _answer(self, sent: Sent, prompt_tokens: int, behaviour: Behaviour) -> Iterator[dict[str, Any]]:
        """Give the events of an answer, each when the clock says so."""
        chat = "messages" in sent.body
        wanted = min(sent.body["max_tokens"], behaviour.stops_after)
        self.clock.advance(prompt_tokens / behaviour.prefill_tok_s)
        if chat:
            yield choice("", chat=True)
        if behaviour.garbage:
            yield {"garbage": True}
        for number, text in enumerate(self._chunks(sent, prompt_tokens, wanted, behaviour)):
            if number == behaviour.drop_after:
                raise WireError(DROPPED, "connection reset by peer")
            if number == behaviour.silent_after:
                raise WireError(STALLED, "nothing came")
            if number == behaviour.end_after:
                return
            if number == behaviour.error_after:
                yield {"error": {"message": "the engine died"}}
                return
            counted = {"usage": usage(sent, prompt_tokens, behaviour)} if behaviour.along else {}
            yield {**choice(text, chat=chat), **counted}
        self.after(sent)
        yield choice("", "length" if wanted == sent.body["max_tokens"] else "stop", chat=chat)
        if behaviour.usage:
            yield {"choices": [], "usage": usage(sent, prompt_tokens, behaviour)}

    def _chunks(self, sent: Sent, prompt_tokens: int, wanted: int, behaviour: Behaviour) -> Iterator[str]:
        """Give the text of each chunk when its last token is there."""
        chance = random.Random(prompt_tokens * 1000 + wanted if behaviour.again else len(self.sent))  # noqa: S311
        while len(sent.times) < wanted:
            text = ""
            for _ in range(min(chance.randint(1, behaviour.chunk), wanted - len(sent.times))):
                share = 1 + behaviour.jitter * chance.uniform(-1, 1)
                self.clock.advance(share / behaviour.decode_tok_s + (behaviour.stall_s if len(sent.times) == STALL_AT else 0))
                sent.times.append(self.clock())
                text += "x" * chance.randint(3, 5)
            yield text


def usage(sent: Sent, prompt_tokens: int, behaviour: Behaviour) -> dict[str, Any]:
    """Return what the server counts."""
    counted: dict[str, Any] = {"prompt_tokens": prompt_tokens, "completion_tokens": len(sent.times)}
    if behaviour.cached is not None:
        counted["prompt_tokens_details"] = {"cached_tokens": behaviour.cached}
    return counted


def choice(text: str, finish: str | None = None, *, chat: bool) -> dict[str, Any]:
    """Return an event with text."""
    part = {"delta": {"content": text}} if chat else {"text": text}
    return {"choices": [{**part, "finish_reason": finish}]}


def whole(data: Mapping[str, Any], status: int = 200) -> Answer:
    """Return an answer in one piece."""
    return Answer(status, "application/json", iter([json.dumps(data).encode()]))


def parts(events: Iterator[dict[str, Any]]) -> Iterator[bytes]:
    """Give events as they travel: a comment, two kinds of line ends, and each event cut in two."""
    yield b": ping\n\n"
    for number, event in enumerate(events):
        text = "{not json" if "garbage" in event else json.dumps(event)
        data = f"data: {text}\r\n\r\n".encode() if number % 2 else f"data:{text}\n\n".encode()
        yield data[:7]
        yield data[7:]
    yield b"data: [DONE]\n\n"
