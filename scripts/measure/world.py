"""What an instrument takes from outside, so that a test can bring its own: clocks, the way of bytes, the day."""

from __future__ import annotations

import datetime as dt
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from .wire import Wire


def today() -> str:
    """Return the day in UTC (ISO 8601)."""
    return dt.datetime.now(tz=dt.UTC).date().isoformat()


@dataclass(frozen=True)
class World:
    """The outside.

    Attributes:
        clock: Returns seconds that only differences of are used.
        sleep: Waits so many seconds.
        wire: How bytes travel to a server; None for the network.
        today: Returns the day.
    """

    clock: Callable[[], float] = time.perf_counter
    sleep: Callable[[float], None] = time.sleep
    wire: Wire | None = None
    today: Callable[[], str] = today
