"""The data of server-sent events, out of bytes as they arrive.

What arrives while the clock runs is only noted, and read when the answer is complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .errors import MeasureError
from .stream import StreamReader

if TYPE_CHECKING:
    from collections.abc import Callable

LARGEST = 1 << 24
"""Bytes that one event may have: beyond, it is no event of an answer."""


class EventParser:
    """Takes bytes and gives the data of each event that is complete. Other fields, and comments, are passed over."""

    def __init__(self) -> None:
        self._rest = b""
        self._data: list[bytes] = []

    def feed(self, received: bytes) -> list[str]:
        """Return the data of the events that these bytes complete, in order.

        Raises:
            MeasureError: An event grows beyond `LARGEST`.
        """
        # A carriage return may be the first half of a line end: it waits for the next bytes.
        text = self._rest + received
        waits = text.endswith(b"\r")
        if b"\r" in text:
            text = (text[:-1] if waits else text).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        *lines, self._rest = text.split(b"\n")
        if waits:
            self._rest += b"\r"
        found = []
        for line in lines:
            if line.startswith(b"data:"):
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif not line and self._data:
                found.append(b"\n".join(self._data).decode("utf-8", "replace"))
                self._data = []
        if len(self._rest) + sum(map(len, self._data)) > LARGEST:
            raise MeasureError(f"an event of the stream has more than {LARGEST} bytes")
        return found


class Backlog:
    """What has arrived and is not read yet.

    After the first chunk nothing has to be known before the end, and a client that reads JSON between two tokens takes three times the
    processor time that one does which reads all of it at once.

    Attributes:
        reader: Knows what was read.
        parts: What was noted: when it arrived, and what.
        bare: Takes the frames of HTTP off the next part.
    """

    def __init__(self, sent_s: float) -> None:
        self.reader = StreamReader(sent_s)
        self.bare: Callable[[bytes], bytes] = bytes
        self._parser = EventParser()
        self.parts: list[tuple[float, bytes]] = []

    def work(self) -> bool:
        """Read what was noted; return whether there is a chunk with text by now. Raises MeasureError as the reader does."""
        for now_s, part in self.parts:
            for data in self._parser.feed(self.bare(part)):
                self.reader.feed(data, now_s)
        self.parts.clear()
        return self.reader.chunks > 0
