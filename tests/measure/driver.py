"""A ladder in a process of its own, which a test may kill: `python -m tests.measure.driver FILE`."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path

from tests.measure.fake import Behaviour, Clock, FakeServer
from tests.measure.harness import measure

BEHAVIOUR = Behaviour(jitter=0.2, chunk=3)
BROKEN = Behaviour(drop_after=3)
WORDS = ("ladder", "--contexts", "64", "128", "256", "--rounds", "4")


def main() -> int:
    """Run the ladder; one of its rungs fails, and each request takes a little real time."""
    # Not from 0: a process that goes on does not begin when the first one did.
    clock = Clock(float(secrets.randbelow(1 << 16)))
    server = FakeServer(clock, lambda tokens: BROKEN if tokens == 128 else BEHAVIOUR, wait_s=0.01)
    return measure(server, Path(sys.argv[1]), *WORDS)


if __name__ == "__main__":
    raise SystemExit(main())
