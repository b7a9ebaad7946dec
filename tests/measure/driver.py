"""An instrument in a process of its own, which a test may kill: `python -m tests.measure.driver INSTRUMENT FOLDER`."""

from __future__ import annotations

import secrets
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tests.measure import test_ab, test_spec
from tests.measure.fake import Behaviour
from tests.measure.harness import measure, serve

if TYPE_CHECKING:
    from tests.measure.fake import FakeServer

BEHAVIOUR = Behaviour(jitter=0.2, chunk=3)
BROKEN = Behaviour(drop_after=3)


def hurry(server: FakeServer) -> FakeServer:
    """Return a server that takes a little real time, and whose clock does not begin where that of the process before did."""
    server.wait_s = 0.01
    server.clock.now = float(secrets.randbelow(1 << 16))
    return server


def ladder(folder: Path) -> int:
    """Run a ladder of which one rung fails."""
    server = serve()
    server.behaviour = lambda tokens: BROKEN if tokens == 128 else BEHAVIOUR
    return measure(hurry(server), folder / "ladder.csv", "ladder", "--contexts", "64", "128", "256", "--rounds", "4")


def ab(folder: Path) -> int:
    """Run a comparison of which one arm wavers, so that there are more rounds than planned, and two modes."""
    bench = test_ab.Bench(folder)

    def rate(arm: str, _: int) -> float:
        # By what is in the file, not by how many requests this process has sent.
        rows = bench.out.read_bytes().count(b"\n") if bench.out.exists() else 0
        return test_ab.RATES[arm] * (1.5 if arm == "patched" and rows // 4 % 2 else 1.0)

    bench.rates = rate
    return bench.run("--rounds", "3", server=hurry(bench.server()))


def spec(folder: Path) -> int:
    """Run a sweep with its bisection."""
    bench = test_spec.Bench(folder)
    return bench.run(server=hurry(bench.server()))


if __name__ == "__main__":
    raise SystemExit({"ladder": ladder, "ab": ab, "spec": spec}[sys.argv[1]](Path(sys.argv[2])))
