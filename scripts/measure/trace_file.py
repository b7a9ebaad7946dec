"""A trace as the torch profiler writes it, plain or gzip, read in batches of events.

The file is never held whole. Pieces are cut where an event seems to end, and a strict parser then says whether the cut was right: a
batch that is cut inside an event, or inside a text that looks like the end of one, is no JSON list. So nothing has to look at single
characters, and nothing has to guess.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import re
import zlib
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import msgspec

from .errors import SetupError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CHUNK_BYTES = 1 << 20
LONGEST_BYTES = 16 << 20
"""Longest head of a file, or single event; what is longer is no trace."""
LOOK_BACK_BYTES = 1 << 16
TRIES = 32
"""Places, from the end of a piece, that are tried as the end of an event before more is read."""
GZIP_MAGIC = b"\x1f\x8b"
CUT = re.compile(rb"\}\s*,\s*(?=\{)")
LIST_HEAD = re.compile(rb'"traceEvents"\s*:\s*\[')
MALFORMED_AT = re.compile(r"\(byte ([0-9]+)\)")
TRUNCATED = "truncated"
Word: TypeAlias = int | float | str | bool | None


class Event(msgspec.Struct, gc=False):
    """What is read of an event; times in microseconds. Its arguments stay bytes until somebody asks."""

    ph: str = ""
    cat: str = ""
    name: str = ""
    ts: float | None = None
    dur: float | None = None
    pid: Word = None
    tid: Word = None
    args: msgspec.Raw = msgspec.Raw(b"{}")


_BATCH = msgspec.json.Decoder(list[Event])


class _Hashing(io.RawIOBase):
    """A file that takes the digest of what is read from it."""

    def __init__(self, file: io.FileIO) -> None:
        self.file = file
        self.digest = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self.file.readinto(buffer) or 0
        self.digest.update(memoryview(buffer)[:count])
        return count


class TraceFile:
    """A trace that is read once, from its beginning to its end.

    Attributes:
        path: The file.
        bytes: How many bytes have been read, unpacked.
        head: What the file says besides its events; whole after `batches` has ended.
        devices: Names of the devices that the head of the file names; None where it does not say. Known from the first batch on.

    Args:
        path: The file.

    Raises:
        OSError: It cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.bytes = 0
        self.head: dict[str, Any] = {}
        self.devices: list[str] | None = None
        self._raw = io.FileIO(path)
        self._hashing = _Hashing(self._raw)
        buffered = io.BufferedReader(self._hashing, CHUNK_BYTES)
        packed = buffered.peek(2)[:2] == GZIP_MAGIC
        self._file: io.BufferedIOBase = gzip.GzipFile(fileobj=buffered) if packed else buffered
        self._before = b""
        self._buffer = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()

    @property
    def digest(self) -> str:
        """SHA-256 of the file as it lies on the disk, once all of it is read."""
        return self._hashing.digest.hexdigest()

    def batches(self) -> Iterator[list[Event]]:
        """Yield the events in the order of the file.

        Raises:
            SetupError: It is no trace, ends early, or is damaged; the message says where.
            OSError: The disk refuses.
        """
        self._find_list()
        while True:
            piece = self._read()
            self._buffer += piece
            if not piece:
                events, rest = self._last()
                yield events
                self._end(rest)
                return
            cut = self._cut()
            if isinstance(cut, list):
                yield cut
            elif cut:
                events, rest = self._last()
                yield events
                self._end(rest)
                return
            elif len(self._buffer) > LONGEST_BYTES:
                raise self._error(self._place(0), f"no event ends within {LONGEST_BYTES >> 20} MiB")

    def _find_list(self) -> None:
        """Read up to the list of events."""
        while True:
            piece = self._read()
            self._buffer += piece
            if self._buffer.lstrip()[:1] == b"[":
                found: int | None = self._buffer.index(b"[") + 1
            else:
                match = LIST_HEAD.search(self._buffer)
                found = match.end() if match else None
            if found is not None:
                self._before, self._buffer = self._buffer[:found], self._buffer[found:]
                self.devices = _device_names(self._before)
                return
            if not piece or len(self._buffer) > LONGEST_BYTES:
                raise SetupError(f'{self.path}: found no "traceEvents"; expected a trace of torch.profiler (Chrome JSON, plain or gzip)')

    def _read(self) -> bytes:
        try:
            piece = self._file.read(CHUNK_BYTES)
        except EOFError:
            raise SetupError(f"{self.path}: the gzip file is cut off after {self.bytes} bytes of trace; profile once more") from None
        except (zlib.error, gzip.BadGzipFile) as error:
            raise SetupError(f"{self.path}: the gzip file is damaged after {self.bytes} bytes of trace: {error}") from None
        self.bytes += len(piece)
        return piece

    def _cut(self) -> list[Event] | bool:
        """Return the events that are whole and take them from the buffer; False when none is, True when the list ends in it."""
        for end in self._ends():
            body = b"[" + self._buffer[:end] + b"]"
            try:
                events = _BATCH.decode(body)
            except msgspec.ValidationError as error:
                raise self._error(self._place(0), f"in a batch of events from there on: {error}") from None
            except msgspec.DecodeError as error:
                place = MALFORMED_AT.search(str(error))
                # Not the end of an event: then it is the closing bracket of ours that is out of place, or nothing is but the end.
                if place is None or int(place[1]) >= len(body) - 1:
                    continue
                return True
            self._buffer = self._buffer[end:].lstrip()[1:]
            return events
        return False

    def _ends(self) -> Iterator[int]:
        """Yield where the last event of the buffer may end, the most likely first."""
        start = max(0, len(self._buffer) - LOOK_BACK_BYTES)
        found = [match.start() + 1 for match in CUT.finditer(self._buffer, start)]
        if not found and start:
            found = [match.start() + 1 for match in CUT.finditer(self._buffer)]
        yield from found[: -TRIES - 1 : -1]

    def _last(self) -> tuple[list[Event], bytes]:
        """Return the events up to the end of the list, and what follows it."""
        try:
            text = "[" + self._buffer.decode()
            _, end = json.JSONDecoder().raw_decode(text)
        except UnicodeDecodeError as error:
            raise self._error(self._place(error.start), "not UTF-8") from None
        except json.JSONDecodeError as error:
            if self._truncated():
                raise self._error(self.bytes, "the file ends inside an event: it is cut off") from None
            raise self._error(self._place(len(text[: error.pos].encode()) - 1), f"no JSON: {error.msg}") from None
        except RecursionError:
            raise self._error(self._place(0), "an event is nested too deeply") from None
        body = text[:end].encode()
        try:
            return _BATCH.decode(body), self._buffer[len(body) - 1 :]
        except msgspec.DecodeError as error:
            raise self._error(self._place(0), f"in a batch of events from there on: {error}") from None

    def _truncated(self) -> bool:
        """Say whether the buffer would be right if more of it were there."""
        try:
            _BATCH.decode(b"[" + self._buffer)
        except msgspec.DecodeError as error:
            place = MALFORMED_AT.search(str(error))
            # Cut off within a number, it is malformed at its last byte.
            return TRUNCATED in str(error) or (place is not None and int(place[1]) >= len(self._buffer.rstrip()))
        return False

    def _end(self, rest: bytes) -> None:
        """Read what follows the list, and then the head of the file is whole."""
        while piece := self._read():
            rest += piece
            if len(rest) > LONGEST_BYTES:
                raise self._error(self.bytes - len(rest), "too much follows the list of events")
        try:
            head = json.loads(self._before + b"]" + rest)
        except (ValueError, RecursionError):
            raise self._error(self.bytes - len(rest), "what surrounds the list of events is no JSON; the file is cut off or damaged") from None
        self.head = head if isinstance(head, dict) else {}

    def _place(self, offset: int) -> int:
        return self.bytes - len(self._buffer) + offset

    def _error(self, place: int, what: str) -> SetupError:
        return SetupError(f"{self.path}: at byte {place} of the trace: {what}")


def _device_names(head: bytes) -> list[str] | None:
    """Return the devices that the beginning of a trace names; None where it does not say."""
    try:
        said = json.loads(head + b"]}").get("deviceProperties")
    except (ValueError, AttributeError):
        return None
    if not isinstance(said, list):
        return None
    return [str(item.get("name", "device")) for item in said if isinstance(item, dict)]
