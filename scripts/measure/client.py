"""The one module that speaks HTTP: to any server with the OpenAI interface."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import httpx2

from .errors import MeasureError, SetupError
from .stream import Reply, StreamReader, explain, first_choice, read_usage

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
CONNECT_S = 10.0


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
    """

    url: str
    model: str = ""
    api: str = COMPLETIONS
    extra: Mapping[str, Any] | None = None
    stall_s: float = 600.0
    deadline_s: float = 3600.0


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
    """A connection to one server.

    Args:
        endpoint: Where it is.
        clock: Returns seconds; a test may bring its own.
        transport: How bytes travel; a test may bring its own.
    """

    def __init__(
        self, endpoint: Endpoint, clock: Callable[[], float] = time.perf_counter, transport: httpx2.BaseTransport | None = None
    ) -> None:
        self.endpoint = endpoint
        self.clock = clock
        timeout = httpx2.Timeout(endpoint.stall_s, connect=CONNECT_S)
        url = endpoint.url.rstrip("/").removesuffix("/v1")
        # Neither a proxy of the environment nor compression: either would hold chunks back, and be measured along.
        headers = {"Accept-Encoding": "identity"}
        self.http = httpx2.Client(base_url=url, headers=headers, timeout=timeout, transport=transport, trust_env=False)
        self._served: Served | None = None

    def served(self) -> Served:
        """Return what the server says of the model.

        Raises:
            SetupError: It does not answer, or does not serve that model.
        """
        if self._served is None:
            self._served = self.ask()
        return self._served

    def renew(self) -> Served:
        """Ask the server anew what it serves, as after a switch, and remember that; raises as `served` does."""
        self._served = self.ask()
        return self._served

    def ask(self) -> Served:
        """Return what the server says now, which a switch may have changed; raises as `served` does."""
        try:
            answer = self.http.get("/v1/models", timeout=CONNECT_S)
            answer.raise_for_status()
            entries = answer.json()["data"]
            names = [str(entry["id"]) for entry in entries]
        except httpx2.HTTPError as error:
            raise SetupError(f"{self.endpoint.url}: no answer at /v1/models: {_words(error)}") from None
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
            answer = self.http.get(path, timeout=CONNECT_S)
        except httpx2.HTTPError:
            return None
        return answer.text if answer.is_success else None

    def whole(self, prompt: str, tokens: int) -> Reply:
        """Return the reply to a request that is not streamed. Raises MeasureError when there is none."""
        body = self._body(prompt, tokens, stream=False)
        sent_s = self.clock()
        try:
            answer = self.http.post(PATHS[self.endpoint.api], json=body)
            end_s = self.clock()
            data = _read(answer)
        except httpx2.HTTPError as error:
            raise MeasureError(self._tell(error)) from None
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
        reader = StreamReader(self.clock())
        try:
            with self.http.stream("POST", PATHS[self.endpoint.api], json=body) as answer:
                if not answer.is_success:
                    answer.read()
                    _read(answer)
                for event in httpx2.EventSource(answer):
                    now_s = self.clock()
                    if reader.feed(event.data, now_s) and reader.chunks == 1:
                        on_first()
                    if now_s - reader.sent_s > self.endpoint.deadline_s:
                        raise MeasureError(f"not done after {self.endpoint.deadline_s:.0f} s", **reader.seen)
            return reader.close(self.clock())
        except httpx2.HTTPError as error:
            raise MeasureError(self._tell(error), **reader.seen) from None

    def count(self, prompt: str) -> int:
        """Return how many tokens the server makes of a prompt: asked where vLLM offers it, else read off the usage of one token."""
        if self.served().owner == COUNTS_ALONG:
            texts = {"prompt": prompt} if self.endpoint.api == COMPLETIONS else {"messages": [{"role": "user", "content": prompt}]}
            try:
                answer = self.http.post("/tokenize", json={"model": self.served().model, **texts})
                if answer.is_success and isinstance(count := answer.json().get("count"), int):
                    return count
            except (httpx2.HTTPError, ValueError, AttributeError):
                pass  # an older server, or one behind a gateway: its usage says the same
        return self.whole(prompt, 1).usage.prompt

    def _body(self, prompt: str, tokens: int, *, stream: bool) -> dict[str, Any]:
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
        return {**body, **extra}

    def _tell(self, error: httpx2.HTTPError) -> str:
        """Return what went wrong on the way, in words."""
        if isinstance(error, httpx2.ReadTimeout):
            return f"the server stalled: nothing came for {self.endpoint.stall_s:g} s"
        if isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout):
            return f"no connection to {self.endpoint.url}: {_words(error)}"
        if isinstance(error, httpx2.RemoteProtocolError | httpx2.ReadError):
            return f"the server dropped the connection: {_words(error)}"
        return f"{type(error).__name__}: {error}"


def _words(error: Exception) -> str:
    """Return what an error says, or what it is called when it says nothing."""
    return str(error) or type(error).__name__


def _read(answer: httpx2.Response) -> dict[str, Any]:
    """Return the JSON of an answer. Raises MeasureError when it is an error, or no object."""
    try:
        data = answer.json()
    except ValueError:
        data = answer.text
    if not answer.is_success:
        raise MeasureError(f"HTTP {answer.status_code}: {explain(data)}")
    if not isinstance(data, dict):
        raise MeasureError(f"the answer is no JSON object: {explain(data)}")
    return data
