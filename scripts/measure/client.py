"""What is asked of a server with the OpenAI interface, and when its answer arrives."""

from __future__ import annotations

import json
import time
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from .errors import MeasureError, SetupError
from .events import Backlog
from .stream import Reply, explain, first_choice, read_usage
from .wire import CONNECT_S, NO_CONNECTION, STALLED, Answer, Network, Wire, WireError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CHAT, COMPLETIONS = "chat", "completions"
PATHS = {CHAT: "/v1/chat/completions", COMPLETIONS: "/v1/completions"}
# Who says so in `owned_by` of /v1/models: what makes its answers as long as asked, and whether it counts along.
EXTRA: dict[str, dict[str, Any]] = {
    "vllm": {"ignore_eos": True},
    "sglang": {"ignore_eos": True},
    "llamacpp": {"ignore_eos": True, "cache_prompt": False},
}
COUNTS_ALONG = "vllm"
EVENTS = "text/event-stream"
OK = 200


@dataclass(frozen=True)
class Endpoint:
    """How to reach a server.

    Attributes:
        url: Its address, without ``/v1``.
        model: Model to ask for; empty for the first that it serves.
        api: ``chat`` or ``completions``.
        extra: Fields that each request has besides the standard ones; None for what the kind of server needs.
        stall_s: Longest silence of the server; prefill of the deepest rung must fit into it.
        deadline_s: Longest that one request may take.
        key: What the server wants to be shown; in no record.
    """

    url: str
    model: str = ""
    api: str = COMPLETIONS
    extra: Mapping[str, Any] | None = None
    stall_s: float = 600.0
    deadline_s: float = 3600.0
    key: str = field(default="", repr=False)


@dataclass(frozen=True)
class Served:
    """What a server says of itself.

    Attributes:
        model: The model that is asked for.
        owner: Kind of server, by ``owned_by``: ``vllm``, ``sglang``, ``llamacpp``...
        entry: All it says of the model.
    """

    model: str
    owner: str = ""
    entry: Mapping[str, Any] = field(default_factory=dict)


class Client:
    """Speaks to one server.

    Args:
        endpoint: Where it is.
        clock: Returns seconds; a test may bring its own.
        wire: How bytes travel; a test may bring its own.

    Raises:
        SetupError: The endpoint has no address.
    """

    def __init__(self, endpoint: Endpoint, clock: Callable[[], float] = time.perf_counter, wire: Wire | None = None) -> None:
        self.endpoint = endpoint
        self.clock = clock
        self.wire: Wire = wire or Network(endpoint.url, {"Authorization": f"Bearer {endpoint.key}"} if endpoint.key else None)
        self._served: Served | None = None

    def served(self) -> Served:
        """Return what the server says of the model.

        Raises:
            SetupError: It does not answer, or does not serve that model.
        """
        return self._served or self.renew()

    def renew(self) -> Served:
        """Ask the server anew what it serves, as after a switch, and remember that; raises as `served` does."""
        self._served = self.ask()
        return self._served

    def ask(self) -> Served:
        """Return what the server says now, which a switch may have changed; raises as `served` does."""
        try:
            with self.wire.connect(CONNECT_S) as line:
                answer = line.ask("GET", "/v1/models")
                text = answer.read()
        except WireError as error:
            raise SetupError(f"{self.endpoint.url}: no answer at /v1/models: {error}") from None
        if answer.status != OK:
            raise SetupError(f"{self.endpoint.url}: /v1/models answers with status {answer.status}: {explain(_parse(text))}")
        try:
            entries = json.loads(text)["data"]
            names = [str(entry["id"]) for entry in entries]
        except (ValueError, KeyError, TypeError):
            raise SetupError(f"{self.endpoint.url}: /v1/models is not what a server with the OpenAI interface says") from None
        wanted = self.endpoint.model or (names[0] if names else "")
        if wanted not in names:
            raise SetupError(f"{self.endpoint.url}: serves {', '.join(names) or 'no model'}, not {wanted or 'any'}")
        entry = entries[names.index(wanted)]
        return Served(wanted, str(entry.get("owned_by") or ""), entry)

    def get(self, path: str) -> str | None:
        """Return the text at a path of the server; None where it has none."""
        try:
            with self.wire.connect(CONNECT_S) as line:
                answer = line.ask("GET", path)
                text = answer.read()
        except WireError:
            return None
        return text.decode("utf-8", "replace") if answer.status == OK else None

    def whole(self, prompt: str, tokens: int) -> Reply:
        """Return the reply to a request that is not streamed. Raises MeasureError when there is none."""
        body = self._body(prompt, tokens, stream=False)
        sent_s, end_s, data = self._post(PATHS[self.endpoint.api], body)
        usage = read_usage(data.get("usage"))
        if usage is None:
            raise MeasureError("the server sent no usage")
        finish = str(first_choice(data).get("finish_reason") or "")
        return Reply(usage, sent_s, end_s, end_s, end_s, finish=finish)

    def stream(self, prompt: str, tokens: int, on_first: Callable[[], None] = lambda: None) -> Reply:
        """Return the reply to a streamed request.

        Args:
            prompt: The text.
            tokens: Tokens to ask for.
            on_first: Called when the first chunk with text has arrived and its time is noted.

        Raises:
            MeasureError: The server stalls, drops the stream, answers an error or does not count.
        """
        body = self._body(prompt, tokens, stream=True)
        backlog = Backlog(self.clock())
        reader = backlog.reader
        try:
            with self.wire.connect(self.endpoint.stall_s) as line:
                # The connection is there: what it cost is not the server's time.
                reader.sent_s = self.clock()
                answer = line.ask("POST", PATHS[self.endpoint.api], body)
                if answer.status != OK or answer.kind != EVENTS:
                    raise _refusal(answer)
                backlog.bare = answer.bare
                clock, note, last_s = self.clock, backlog.parts.append, reader.sent_s + self.endpoint.deadline_s
                for part in answer.parts:
                    now_s = clock()
                    note((now_s, part))
                    if not reader.chunks and backlog.work():
                        on_first()
                    if now_s > last_s:
                        backlog.work()
                        raise MeasureError(f"not done after {self.endpoint.deadline_s:.0f} s", **reader.seen)
                end_s = self.clock()
            backlog.work()
            return reader.close(end_s)
        except WireError as error:
            backlog.work()
            raise MeasureError(self._tell(error), **reader.seen) from None

    def count(self, prompt: str) -> int:
        """Return how many tokens the server makes of a prompt: asked where vLLM offers it, else read off the usage of one token."""
        if self.served().owner == COUNTS_ALONG:
            texts = {"prompt": prompt} if self.endpoint.api == COMPLETIONS else {"messages": [{"role": "user", "content": prompt}]}
            # An older server, or one behind a gateway, has no such page: its usage says the same.
            with suppress(MeasureError):
                _, _, data = self._post("/tokenize", json.dumps({"model": self.served().model, **texts}).encode())
                if isinstance(count := data.get("count"), int):
                    return count
        return self.whole(prompt, 1).usage.prompt

    def _post(self, path: str, body: bytes) -> tuple[float, float, dict[str, Any]]:
        """Return when a request was sent, when its answer was there, and the answer. Raises MeasureError."""
        try:
            with self.wire.connect(self.endpoint.stall_s) as line:
                sent_s = self.clock()
                answer = line.ask("POST", path, body)
                text = answer.read()
                end_s = self.clock()
        except WireError as error:
            raise MeasureError(self._tell(error)) from None
        data = _parse(text)
        if answer.status != OK:
            raise MeasureError(f"HTTP {answer.status}: {explain(data)}")
        if not isinstance(data, dict):
            raise MeasureError(f"the answer is no JSON object: {explain(data)}")
        return sent_s, end_s, data

    def _body(self, prompt: str, tokens: int, *, stream: bool) -> bytes:
        served = self.served()
        extra = EXTRA.get(served.owner, {}) if self.endpoint.extra is None else self.endpoint.extra
        body: dict[str, Any] = {"model": served.model, "max_tokens": tokens, "temperature": 0, "stream": stream}
        if self.endpoint.api == COMPLETIONS:
            body["prompt"] = prompt
        else:
            body["messages"] = [{"role": "user", "content": prompt}]
        if stream:
            body["stream_options"] = {"include_usage": True}
            if served.owner == COUNTS_ALONG:
                body["stream_options"]["continuous_usage_stats"] = True
        return json.dumps({**body, **extra}).encode()

    def _tell(self, error: WireError) -> str:
        """Return what went wrong on the way, in words."""
        if error.kind == STALLED:
            return f"the server stalled: nothing came for {self.endpoint.stall_s:g} s"
        if error.kind == NO_CONNECTION:
            return f"no connection to {self.endpoint.url}: {error}"
        return f"the server dropped the connection: {error}"


def _parse(text: bytes) -> Any:
    """Return a body as JSON, or as the text that it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text.decode("utf-8", "replace")


def _refusal(answer: Answer) -> MeasureError:
    """Return what an answer says that is no stream."""
    if answer.status != OK:
        return MeasureError(f"HTTP {answer.status}: {explain(_parse(answer.read()))}")
    return MeasureError(f"asked for a stream, the server sent {answer.kind or 'something'}: expected {EVENTS}")
