"""Work shared out among processes: much of the same, each piece by itself, with everything it looks at already in memory."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import sys
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from multiprocessing.connection import Connection

Item = TypeVar("Item")
Answer = TypeVar("Answer")

MANY_PAGES: Final = 200  # from which on copies of a process are worth making: they cost some 0.1 s
_MOST: Final = 8  # processes: beyond, taking in the answers costs what the next one brings
_PIECES: Final = 250  # that work is cut into: at the end a process waits for one of them at most; a byte holds the number of each
_HELD: Final = 1 << 20  # bytes of answers that a copy may have sent before they are taken in: what Linux lets anyone have


def processes() -> int:
    """Return how many processes may share a piece of work; 1 where a copy of this one would be no safe place to work in.

    A copy has one thread only: a lock that another held stays locked in it. Beside Python's own there are pyarrow's. Only on Linux do the
    libraries of the system bear being copied, so that elsewhere one process does all.
    """
    if sys.platform != "linux" or threading.active_count() > 1 or "pyarrow" in sys.modules:
        return 1
    return min(len(os.sched_getaffinity(0)), _MOST)


def share_out(work: Callable[[Sequence[Item]], list[Answer]], items: Sequence[Item], count: int) -> list[Answer]:
    """Return what `work` makes of each item, in their order.

    Args:
        work: returns an answer for each of some items. It is called in copies of this process: what it changes there is lost, but for the
            answers, which are pickled. What a copy that fails, for whatever reason, leaves undone this process does.
        items: what to work on. Each process takes the next few when it is done with those it had, so that all end together.
        count: how many processes, this one included.
    """
    size = -(-len(items) // _PIECES) or 1
    pieces = [items[at : at + size] for at in range(0, len(items), size)]
    turns = _Turns(len(pieces))
    context = multiprocessing.get_context("fork")
    copies = []
    made: dict[int, list[Answer]] = {}
    for _ in range(min(count, len(pieces)) - 1):
        receiver, sender = context.Pipe(duplex=False)
        _widen(sender)
        process = context.Process(target=_send, args=(sender, turns, work, pieces), daemon=True)
        process.start()
        sender.close()  # so that the end of the copy is the end of what can be received
        copies.append((process, receiver))
    try:
        for turn in turns:
            made[turn] = work(pieces[turn])
            for _, receiver in copies:
                made |= _received(receiver)
    finally:
        turns.close()
    for process, receiver in copies:
        made |= _received(receiver, to_the_end=True)
        receiver.close()
        process.join()
    return [answer for turn, piece in enumerate(pieces) for answer in (made[turn] if turn in made else work(piece))]


def _widen(pipe: Connection) -> None:
    """Let a pipe hold enough that a copy goes on while this process works; one that may hold no more than it does makes the copy wait."""
    import fcntl  # noqa: PLC0415  (there is none where no copies are made)

    with suppress(OSError):
        fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _HELD)


class _Turns:
    """The numbers up to some count, each given once to one of the processes that ask. No lock: whoever dies holds none."""

    def __init__(self, count: int) -> None:
        self._numbers, writer = os.pipe()
        os.write(writer, bytes(range(count)))
        os.close(writer)

    def __iter__(self) -> Iterator[int]:
        while number := os.read(self._numbers, 1):
            yield number[0]

    def close(self) -> None:
        """Give no more of them to this process."""
        os.close(self._numbers)


def _send(sender: Connection, turns: Iterable[int], work: Callable[[Sequence[Item]], list[Answer]], pieces: Sequence[Sequence[Item]]) -> None:
    """Send the answers for the pieces that fall to this process, until one fails: whoever waits then finds out why by doing it."""
    try:
        for turn in turns:
            sender.send_bytes(pickle.dumps((turn, work(pieces[turn])), pickle.HIGHEST_PROTOCOL))
    except BaseException:  # noqa: BLE001  (also what a metric raises)
        sender.close()


def _received(receiver: Connection, *, to_the_end: bool = False) -> dict[int, Any]:
    """Return what a copy has sent since it was asked last, by turn; at the end all that is still to come, until it is done or has failed."""
    made: dict[int, Any] = {}
    while to_the_end or receiver.poll():
        try:
            sent = receiver.recv_bytes()
        except (EOFError, OSError):  # the end, or a copy that was killed
            break
        with suppress(Exception):  # an object that cannot be made anew
            turn, answers = pickle.loads(sent)  # noqa: S301  (from our own copy)
            made[turn] = answers
    return made


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no objects that refer to each other: a check makes many that stay, hardly one such, and each look passes over all of them."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        # Both together count all there is as looked at: else the next object would set off a look at everything.
        gc.freeze()
        gc.unfreeze()
        gc.enable()
