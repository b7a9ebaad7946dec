"""HTTP as bytes travel: one connection for each request, and the body in the parts in which it arrives.

The standard library's client and no other, because it runs while the clock does: at 200 tokens a second a comfortable one, httpx2, took nearly
four percent of the time, where this one's own share is under half a percent (`make bench-client`).
"""

from __future__ import annotations

import http.client
import ssl
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from .errors import SetupError
from .framing import END, Dechunker

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager

CONNECT_S = 10.0
PART_BYTES = 1 << 12
"""A buffer of this size is made for each part: more would cost more, and a chunk of an answer has a few hundred bytes."""
BUFFER_BYTES = 1 << 16
"""More than the buffer of a response holds, so that none of it is left behind."""
STALLED, DROPPED, NO_CONNECTION = "stalled", "dropped", "no connection"


class WireError(Exception):
    """Something on the way.

    Attributes:
        kind: `STALLED`, `DROPPED` or `NO_CONNECTION`.
    """

    def __init__(self, kind: str, words: str) -> None:
        super().__init__(words)
        self.kind = kind


@dataclass
class Answer:
    """An answer whose head has arrived.

    Attributes:
        status: Its status.
        kind: Its content type, without parameters, in lower case.
        parts: Its body as it arrives, frames and all; a `WireError` may come out of it.
        bare: Takes the frames off the next part.
    """

    status: int
    kind: str
    parts: Iterator[bytes]
    bare: Callable[[bytes], bytes] = bytes

    def read(self) -> bytes:
        """Return the rest of the body."""
        return b"".join(self.bare(part) for part in self.parts)


class Line(Protocol):
    """A connection for one request."""

    def ask(self, method: str, path: str, body: bytes | None = None) -> Answer:
        """Send the request and return its answer; raises WireError."""
        ...


class Wire(Protocol):
    """The way to one server."""

    def connect(self, stall_s: float) -> AbstractContextManager[Line]:
        """Give a connection that is open; raises WireError.

        Args:
            stall_s: Longest silence before the server counts as stalled.
        """
        ...


class Network:
    """The network.

    Args:
        url: Address of the server, with or without ``/v1``.
        headers: Sent with each request.

    Raises:
        SetupError: It is no address.
    """

    def __init__(self, url: str, headers: Mapping[str, str] | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise SetupError(f"not the address of a server: {url}; expected one like http://localhost:8000")
        self.secure = parts.scheme == "https"
        self.host = parts.hostname
        try:
            self.port = parts.port or (443 if self.secure else 80)
        except ValueError as error:
            raise SetupError(f"not the address of a server: {url}: {error}") from None
        self.prefix = parts.path.rstrip("/").removesuffix("/v1")
        self.headers = {"Accept": "*/*", "Connection": "close", **(headers or {})}

    @contextmanager
    def connect(self, stall_s: float) -> Iterator[Line]:
        """Give a connection that is open; see `Wire.connect`."""
        if self.secure:
            context = ssl.create_default_context()
            made: http.client.HTTPConnection = http.client.HTTPSConnection(self.host, self.port, timeout=CONNECT_S, context=context)
        else:
            made = http.client.HTTPConnection(self.host, self.port, timeout=CONNECT_S)
        try:
            made.connect()
            made.sock.settimeout(stall_s)
        except OSError as error:
            made.close()
            raise WireError(NO_CONNECTION, str(error) or type(error).__name__) from None
        try:
            yield _NetworkLine(self, made)
        finally:
            made.close()


class _NetworkLine:
    def __init__(self, network: Network, connection: http.client.HTTPConnection) -> None:
        self.network = network
        self.connection = connection

    def ask(self, method: str, path: str, body: bytes | None = None) -> Answer:
        headers = {**self.network.headers, **({"Content-Type": "application/json"} if body is not None else {})}
        # Taken now: the connection lets go of its socket when the server says that it will close it.
        line = self.connection.sock
        try:
            self.connection.request(method, self.network.prefix + path, body, headers)
            response = self.connection.getresponse()
        except TimeoutError:
            raise WireError(STALLED, "nothing came") from None
        except (OSError, http.client.HTTPException) as error:
            raise WireError(DROPPED, str(error) or type(error).__name__) from None
        kind = (response.getheader("Content-Type") or "").partition(";")[0].strip().lower()
        if response.chunked:
            return Answer(response.status, kind, _parts(response, line, None), Dechunker().feed)
        return Answer(response.status, kind, _parts(response, line, response.length))


def _parts(response: http.client.HTTPResponse, line: socket.socket, length: int | None) -> Iterator[bytes]:
    """Give a body as it arrives, frames and all.

    What the head brought along lies in the response's buffer; what follows is read off the socket itself, without the four calls that lie
    between it and `HTTPResponse.read1`.

    Args:
        response: The answer, its head read.
        line: Its socket.
        length: Bytes of the body; None where its end is marked, or is that of the connection.
    """
    tail, left = b"\r\n", length
    try:
        with response:
            if left == 0 or response.fp is None:
                return
            # All that the buffer holds, in one read; it waits when the head came alone.
            part = response.fp.read1(BUFFER_BYTES)
            receive = line.recv
            while part:
                yield part
                if left is not None:
                    left -= len(part)
                    if left <= 0:
                        return
                elif response.chunked:
                    tail = (tail + part)[-len(END) :]
                    if tail == END:
                        return
                part = receive(PART_BYTES)
    except TimeoutError:
        raise WireError(STALLED, "nothing came") from None
    except (OSError, http.client.HTTPException) as error:
        raise WireError(DROPPED, str(error) or type(error).__name__) from None
