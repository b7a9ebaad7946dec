"""Times the kernel and its peers over shapes, context lengths, query rows and policies, and appends one row for each.

    python -m scripts.attention.sweep --out data/h200_attention.csv --vllm 0.33.0=DIR

A contender is timed only after its answer has been compared with the float64 reference. Rows are appended as they are measured; a
second run with the same machine, stack and date goes on where the first stopped.
"""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from scripts.attention.bench import copy_bandwidth, rotated_inputs, time_together
from scripts.attention.cases import SHAPES, TOLERANCE, relative_error
from scripts.attention.device import device_facts, stack_name
from scripts.attention.launch import Inputs, attention, make_scratch
from scripts.attention.peers import Release, load_release, sdpa_call, vllm_call
from scripts.attention.plan import make_plan
from scripts.attention.reference import paged_attention
from scripts.attention.shapes import Batch, Device, Plan, Policy, Shape

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

COLUMNS = (
    "machine", "stack", "date", "shape", "kv_len", "query_rows", "contender", "page_order", "path", "segments", "tile", "block_m", "workgroups",
    "scratch_bytes", "median_us", "low_us", "high_us", "repeats", "calls", "sets", "relative_error", "kv_bytes", "copy_gb_s",
)  # fmt: skip
KEY = ("machine", "stack", "date", "shape", "kv_len", "query_rows", "contender", "page_order")
KV_LENS = tuple(1024 << power for power in range(8))
ROWS = (1, 2, 4, 8)


@dataclass(frozen=True)
class Contender:
    """One way to compute a point.

    Attributes:
        name: Policy or peer.
        path: ``2D``, ``3D``, or empty where the peer does not say.
        calls: One call for each buffer set.
        answer: Returns the result of the first call, [tokens, query heads, head_dim].
        plan: The launch plan, for our own kernel.
    """

    name: str
    path: str
    calls: Sequence[Callable[[], object]]
    answer: Callable[[], torch.Tensor]
    plan: Plan | None = None


def own(device: Device, shape: Shape, policy: Policy, sets: Sequence[Inputs], kv_len: int) -> Contender:
    """Return our kernel under one policy. Every call has its own output; scratch is one, as in a serving engine."""
    rows = sets[0].q.shape[0]
    plan = make_plan(device, shape, Batch(rows, 1, rows, kv_len, sets[0].k.shape[1]), policy, speculative_tokens=rows - 1)
    scratch = make_scratch(plan, sets[0].q.device)
    outs = [torch.full_like(inputs.q, float("nan")) for inputs in sets]

    def call(inputs: Inputs, out: torch.Tensor) -> Callable[[], object]:
        return lambda: attention(inputs, out, plan, shape, scratch)

    calls = [call(inputs, out) for inputs, out in zip(sets, outs, strict=True)]
    return Contender(str(policy), "3D" if plan.split else "2D", calls, _constant(outs[0]), plan)


def peers(shape: Shape, sets: Sequence[Inputs], kv_len: int, releases: Sequence[Release]) -> Iterator[Contender]:
    """Yield the peers that can compute the point: vLLM's two paths, and torch's attention for one row without a window."""
    for release in releases:
        for split in (False, True):
            outs = [torch.full_like(inputs.q, float("nan")) for inputs in sets]
            calls = [vllm_call(release, inputs, out, shape, split=split) for inputs, out in zip(sets, outs, strict=True)]
            path = "3D" if split else "2D"
            yield Contender(f"vllm {release.version} {path}", path, calls, _constant(outs[0]))
    if sets[0].q.shape[0] == 1 and not shape.window:
        first: list[torch.Tensor] = []
        calls = []
        for number, inputs in enumerate(sets):
            pages = inputs.table[0].long()
            k, v = (cache[pages].flatten(0, 1)[:kv_len].transpose(0, 1).contiguous() for cache in (inputs.k, inputs.v))
            holder = [inputs.q]
            calls.append(sdpa_call(inputs, k, v, holder))
            if number == 0:
                first = holder
        yield Contender("sdpa", "", calls, lambda: first[0][0].transpose(0, 1))


def _constant(answer: torch.Tensor) -> Callable[[], torch.Tensor]:
    return lambda: answer


def check(contender: Contender, right: torch.Tensor) -> float:
    """Return the relative error of a contender's answer; raises ValueError when it is beyond the tolerance."""
    contender.calls[0]()
    error = relative_error(contender.answer(), right)
    limit = TOLERANCE[contender.answer().dtype]
    if not error <= limit:
        raise ValueError(f"relative error {error:.2e}, at most {limit:.0e} is right")
    return error


def row_of(contender: Contender) -> dict[str, object]:
    """Return the cells that say what was launched; empty for peers, which do not say."""
    if contender.plan is None:
        return {"contender": contender.name, "path": contender.path}
    plan = contender.plan
    return {
        "contender": contender.name,
        "path": contender.path,
        "segments": plan.segments,
        "tile": plan.tuning.tile,
        "block_m": plan.block_m,
        "workgroups": plan.grid[0] * plan.grid[1],
        "scratch_bytes": plan.scratch_bytes,
    }


class Sweep:
    """Measures point after point and appends the rows.

    Args:
        options: What the command line gave.
        releases: Releases of vLLM to run beside our kernel.
    """

    def __init__(self, options: argparse.Namespace, releases: Sequence[Release]) -> None:
        self.options = options
        self.releases = releases
        self.order = "shuffled" if options.shuffled else "in order"
        self.device = device_facts("cuda")
        self.key = {"machine": self.device.name, "stack": stack_name(), "date": options.date}
        self.path: Path = options.out
        self.done = self._measured()
        self.failures = 0
        self.copy_gb_s = 0.0 if options.check_only else copy_bandwidth("cuda", options.repeats) / 1e9
        self.say(f"{self.device.name}: {self.device.compute_units} compute units, copy {self.copy_gb_s:.0f} GB/s")

    def run(self) -> int:
        """Measure every point; return the number of contenders that failed."""
        shapes = [shape for shape in SHAPES if shape.name in self.options.shapes]
        points = [(shape, kv_len, rows) for shape in shapes for kv_len in self.options.kv for rows in self.options.rows]
        for number, (shape, kv_len, rows) in enumerate(points, 1):
            where = f"[{number}/{len(points)}] {shape.name}, {kv_len} keys, {rows} rows"
            try:
                self.point(shape, kv_len, rows, where)
            except (RuntimeError, ValueError) as error:  # torch.OutOfMemoryError is a RuntimeError
                self.fail(where, error)
            torch.cuda.empty_cache()
        return self.failures

    def point(self, shape: Shape, kv_len: int, rows: int, where: str) -> None:
        """Check, then time together, all contenders of one point that have no row yet."""
        sets = rotated_inputs(shape, rows, kv_len, "cuda", self.options.block_size, shuffled=self.order == "shuffled")
        one = sets[0]
        right = paged_attention(one.q, one.k, one.v, one.table, one.starts, one.lens, scale=one.scale, window=shape.window)
        fit, errors = {}, {}
        for contender in [*(own(self.device, shape, policy, sets, kv_len) for policy in self.options.policies),
                          *(() if self.options.no_peers else peers(shape, sets, kv_len, self.releases))]:  # fmt: skip
            if self.identity(shape, kv_len, rows, contender.name) in self.done:
                continue
            try:
                errors[contender.name] = check(contender, right)
            except Exception as error:  # noqa: BLE001 - a peer may fail in any way; the rest goes on
                self.fail(f"{where}, {contender.name}", error)
                continue
            fit[contender.name] = contender
        del right
        if self.options.check_only or not fit:
            self.say(f"{where}: {len(fit)} right" if self.options.check_only else f"{where}: measured before")
            return
        timings = time_together({name: contender.calls for name, contender in fit.items()}, self.options.repeats)
        kv_bytes = shape.kv_bytes(kv_len, rows)
        rows_out = []
        for name, timing in timings.items():
            cells = {**self.key, "shape": shape.name, "kv_len": kv_len, "query_rows": rows, "page_order": self.order}
            cells.update(row_of(fit[name]))
            cells.update(median_us=f"{timing.median_us:.3f}", low_us=f"{timing.low_us:.3f}", high_us=f"{timing.high_us:.3f}")
            cells.update(repeats=timing.repeats, calls=timing.calls, sets=timing.sets, relative_error=f"{errors[name]:.3e}")
            cells.update(kv_bytes=kv_bytes, copy_gb_s=f"{self.copy_gb_s:.1f}")
            rows_out.append(cells)
        self.append(rows_out)
        floor_us = kv_bytes / self.copy_gb_s / 1e3
        shown = ", ".join(f"{name} {timing.median_us:.1f}" for name, timing in timings.items())
        self.say(f"{where}: floor {floor_us:.1f} us; {shown}")

    def identity(self, shape: Shape, kv_len: int, rows: int, name: str) -> tuple[str, ...]:
        """Return the key of a row as the file spells it."""
        return (*self.key.values(), shape.name, str(kv_len), str(rows), name, self.order)

    def append(self, rows: Sequence[dict[str, object]]) -> None:
        """Append rows to the file, with the header when it is new."""
        new = not self.path.exists()
        with self.path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
            if new:
                writer.writeheader()
            writer.writerows(rows)

    def _measured(self) -> set[tuple[str, ...]]:
        if not self.path.exists():
            return set()
        with self.path.open(encoding="utf-8", newline="") as file:
            return {tuple(row[column] for column in KEY) for row in csv.DictReader(file)}

    def fail(self, where: str, error: Exception) -> None:
        """Say in one line what failed, and count it."""
        self.failures += 1
        first = (str(error).strip() or type(error).__name__).splitlines()[0]
        self.say(f"FAILED {where}: {type(error).__name__}: {first}")

    @staticmethod
    def say(line: str) -> None:
        """Show progress."""
        print(line, file=sys.stderr, flush=True)  # noqa: T201 - a program for people


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the sweep; return 0 when all went well, 1 when a contender failed, 2 when nothing could run."""
    options = parse(arguments)
    if not torch.cuda.is_available():
        Sweep.say("no GPU that torch can use: nothing to measure")
        return 2
    try:
        releases = [load_release(version, Path(root)) for version, _, root in (item.partition("=") for item in options.vllm)]
    except (OSError, RuntimeError) as error:
        Sweep.say(str(error))
        return 2
    return 1 if Sweep(options, releases).run() else 0


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(prog="python -m scripts.attention.sweep", description=(__doc__ or "").splitlines()[0])
    names = [shape.name for shape in SHAPES]
    parser.add_argument("--out", type=Path, default=Path("attention_sweep.csv"), help="file that rows are appended to")
    parser.add_argument("--shapes", nargs="+", choices=names, default=names, help="layers; all by default")
    parser.add_argument("--kv", nargs="+", type=int, default=list(KV_LENS), help="keys of the one sequence; 1K to 128K by default")
    parser.add_argument("--rows", nargs="+", type=int, default=list(ROWS), help="query rows; 1 2 4 8 by default")
    policies = [Policy.STOCK, Policy.VLLM_0_33, Policy.OCCUPANCY]
    parser.add_argument("--policies", nargs="+", type=Policy, choices=list(Policy), default=policies, help="policies of our launcher")
    parser.add_argument("--vllm", nargs="+", default=[], metavar="VERSION=DIR", help="unpacked wheels of vLLM to run as peers")
    parser.add_argument("--no-peers", action="store_true", help="our kernel alone")
    parser.add_argument("--shuffled", action="store_true", help="pages in random order, as after a long time of service")
    parser.add_argument("--block-size", type=int, default=16, help="keys of a page; 16 by default")
    parser.add_argument("--repeats", type=int, default=20, help="replays that are timed; 20 by default")
    parser.add_argument("--date", default=dt.datetime.now(tz=dt.UTC).date().isoformat(), help="day in the rows; today by default")
    parser.add_argument(
        "--check-only", action="store_true", help="compare with the reference and time nothing (this also fills Triton's cache)"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    raise SystemExit(main())
