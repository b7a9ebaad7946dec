"""Work shared out among processes: much of the same, each piece by itself, with everything it looks at already in memory."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection

Item = TypeVar("Item")
Answer = TypeVar("Answer")

_MOST: Final = 8  # processes: beyond, taking in the answers costs what the next one brings


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
            answers, which are pickled. Where a copy fails, for whatever reason, this process does its part.
        items: what to work on; neighbours go to different processes, for they cost alike.
        count: how many processes, this one included.
    """
    parts = [items[at::count] for at in range(count)]
    context = multiprocessing.get_context("fork")
    copies = []
    for part in parts[1:]:
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=_send, args=(sender, work, part), daemon=True)
        process.start()
        sender.close()  # so that the end of the copy is the end of what can be received
        copies.append((process, receiver))
    made: dict[int, Answer] = dict(zip(range(0, len(items), count), work(parts[0]), strict=True))
    for at, (process, receiver) in enumerate(copies, 1):
        sent: list[Answer] | None = _received(receiver)
        made |= zip(range(at, len(items), count), work(parts[at]) if sent is None else sent, strict=True)
        process.join()
    return [made[at] for at in range(len(items))]


def _send(sender: Connection, work: Callable[[Sequence[Item]], list[Answer]], part: Sequence[Item]) -> None:
    """Send the answers for some items, or nothing where that fails: whoever waits then finds out why by doing it."""
    try:
        sender.send_bytes(pickle.dumps(work(part), pickle.HIGHEST_PROTOCOL))
    except BaseException:  # noqa: BLE001  (also what a metric raises)
        sender.close()


def _received(receiver: Connection) -> Any:
    """Return what a copy sent; None where it sent nothing that can be read."""
    try:
        return pickle.loads(receiver.recv_bytes())  # noqa: S301  (from our own copy)
    except Exception:  # noqa: BLE001  (a copy that was killed, or an object that cannot be made anew)
        return None


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
