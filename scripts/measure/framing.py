"""The frames of a chunked HTTP body, taken off after it has arrived.

The chunks of HTTP have nothing to do with those of an answer: one may hold several of the other, or a part of one.
"""

from __future__ import annotations

END = b"\r\n0\r\n\r\n"
"""What a chunked body ends with. Data cannot have it: within an event a line end is followed by a field or by the next event."""


class Dechunker:
    """Takes a chunked body apart as it comes. What is no frame ends the body: what follows is passed over."""

    def __init__(self) -> None:
        self._rest = b""
        self._left = 0
        self._over = False

    def feed(self, received: bytes) -> bytes:
        """Return the data in these bytes."""
        data, found = self._rest + received, []
        while data and not self._over:
            if self._left > 0:
                taken = data[: self._left]
                found.append(taken)
                self._left -= len(taken)
                data = data[len(taken) :]
                continue
            # A chunk's size stands on a line; before it, but for the first, comes the line end of the chunk before.
            head, line, tail = data.partition(b"\r\n")
            if not line:
                break
            data = tail
            if head:
                self._open(head)
        self._rest = b"" if self._over else data
        return b"".join(found)

    def _open(self, head: bytes) -> None:
        try:
            self._left = int(head.partition(b";")[0], 16)
        except ValueError:
            self._left = 0
        self._over = self._left <= 0
