"""Time the check over a large generated project, and over one twice as large.

    python -m tools.bench_scale

Each measurement is a process of its own; its seconds are the clock's, since the check may share its work out among several processes, whose
number is printed: run it on a machine that does nothing else. Of some rounds the fastest counts. "Check" is everything after the ledger is
loaded: reading the pages and every rule on them. Exit status: 1 when a bar is missed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from ledgermark import project as projects
from ledgermark.clock import today
from ledgermark.config_file import markdown_extensions, read_config
from ledgermark.examine import examine
from ledgermark.ledger import load_ledger
from ledgermark.processes import processes
from tools.scale_project import write_project

CLAIMS_PER_S: Final = 10_000
PEAK_MIB: Final = 1024
GROWTH: Final = 2.1  # twice the project may take twice the time, and a little for noise
CHECK_SHARE: Final = 1 / 3
AGAIN_S: Final = 1.0
_LOOP: Final = 5_000_000


@dataclass(frozen=True)
class Measured:
    """What one check took."""

    claims: int
    findings: int
    processes: int
    ledger_s: float
    pages_s: float
    rules_s: float
    peak_mib: int

    @property
    def check_s(self) -> float:
        """Everything after the ledger is loaded."""
        return self.pages_s + self.rules_s


def measure(root: Path) -> Measured:
    """Check a project in this process and return what that took."""
    path = root / "mkdocs.yml"
    spent: list[float] = []
    load = load_ledger

    def timed(*arguments: Any, **options: Any) -> Any:
        began = time.perf_counter()
        try:
            return load(*arguments, **options)
        finally:
            spent.append(time.perf_counter() - began)

    projects.load_ledger = timed  # type: ignore[attr-defined]  # so that its part of the time is known
    try:
        began = time.perf_counter()
        project = projects.load_project(path)
        loaded = time.perf_counter()
        count = processes()
        checked = examine(project, today(), *markdown_extensions(read_config(path)))
    finally:
        projects.load_ledger = load  # type: ignore[attr-defined]
    ended = time.perf_counter()
    # What copies of this process share with it counts in each of them.
    peak_mib = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss + (count - 1) * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) >> 10
    claims = sum(len(page.claims.claims) for page in project.all_pages)
    return Measured(claims, len(checked.findings), count, sum(spent), loaded - began - sum(spent), ended - loaded, peak_mib)


def measured(root: Path) -> Measured:
    """Return the same from a new process."""
    command = [sys.executable, "-m", "tools.bench_scale", "--measure", str(root)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).resolve().parents[1])
    return Measured(**json.loads(done.stdout))


def timed_command(root: Path, *command: str) -> tuple[float, float]:
    """Return the wall time and processor time of a command run in a project. Raises CalledProcessError when it fails."""
    before, began = os.times(), time.perf_counter()
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | {"NO_MKDOCS_2_WARNING": "true"}
    environment["PYTHONPYCACHEPREFIX"] = str(root.parent / "pycache")
    subprocess.run([sys.executable, "-m", *command], cwd=root, check=True, env=environment, stdout=subprocess.DEVNULL)
    after, ended = os.times(), time.perf_counter()
    return ended - began, after.children_user - before.children_user + after.children_system - before.children_system


def loop_s() -> float:
    """Return the processor time of a fixed loop: how fast this machine is just now."""
    began = time.process_time()
    total = 0
    for number in range(_LOOP):
        total += number
    return time.process_time() - began


def bar(words: str, *, met: bool) -> bool:
    """Print a bar and whether it is met, and return that."""
    print(f"{'met   ' if met else 'MISSED'} {words}", flush=True)
    return met


def main(arguments: list[str] | None = None) -> int:
    """Run the measurements and return the exit status."""
    parser = argparse.ArgumentParser(description="Time the check of a large generated project.")
    parser.add_argument("--pairs", type=int, default=1000, help="pages in each language (default: %(default)s)")
    parser.add_argument("--rows", type=int, default=100_000, help="rows of the ledger (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="checks of each, of which the fastest counts (default: %(default)s)")
    parser.add_argument("--no-build", action="store_true", help="leave out the whole build, which takes minutes")
    parser.add_argument("--measure", type=Path, metavar="FOLDER", help="check this project and print what it took as JSON")
    options = parser.parse_args(arguments)
    if options.measure:
        print(json.dumps(asdict(measure(options.measure))))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        return int(not _compare(Path(folder), options.pairs, options.rows, options.rounds, build=not options.no_build))


def _compare(folder: Path, pairs: int, rows: int, rounds: int, *, build: bool) -> bool:
    """Print every measurement and return whether all bars are met."""
    found: list[Measured] = []
    for times in (1, 2):
        root = folder / f"x{times}"
        write_project(root, times * pairs, times * rows)
        one = min((measured(root) for _ in range(rounds)), key=lambda item: item.check_s)
        found.append(one)
        print(
            f"{times * pairs} page pairs, {one.claims} claims, {times * rows} rows: ledger {one.ledger_s:.2f} s, pages {one.pages_s:.2f} s, "
            f"rules {one.rules_s:.2f} s; {one.claims / one.check_s:.0f} claims per second ({one.claims / one.rules_s:.0f} by the rules alone), "
            f"peak {one.peak_mib} MiB, {one.findings} findings, {one.processes} processes",
            flush=True,
        )
    print(f"a loop of {_LOOP} additions takes {loop_s():.2f} s here, now")
    small, large = found
    timed_command(folder / "x1", "ledgermark", "check")
    wall_s, processor_s = timed_command(folder / "x1", "ledgermark", "check")
    growth = large.check_s / small.check_s
    bars = [
        bar("no findings", met=not small.findings and not large.findings),
        bar(f"{CLAIMS_PER_S} claims per second after the ledger is loaded", met=small.claims / small.check_s >= CLAIMS_PER_S),
        bar(f"peak memory under {PEAK_MIB} MiB", met=large.peak_mib < PEAK_MIB),
        bar(f"twice the project takes {growth:.2f} times as long, at most {GROWTH}", met=growth <= GROWTH),
        bar(f"checked again without a change in {wall_s:.2f} s (processor {processor_s:.2f} s), under {AGAIN_S:.0f} s", met=wall_s < AGAIN_S),
    ]
    if build:
        _, build_s = timed_command(folder / "x1", "mkdocs", "build", "--quiet", "--site-dir", str(folder / "site"))
        share = (small.ledger_s + small.check_s) / build_s
        bars.append(bar(f"the check is {share:.0%} of a whole build of {build_s:.0f} s, under a third", met=share < CHECK_SHARE))
    return all(bars)


if __name__ == "__main__":
    sys.exit(main())
