"""Compiles every launch of the sweep for devices that are not there, and writes what the compiler says of it.

    python -m scripts.compile_check --out data/kernel_compile.csv

Exit code 0: no kernel spills, each fits the shared memory of its device and uses its matrix instruction. 1: one does not. Needs Triton and
no GPU.
"""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from scripts.attention.cases import SHAPES
from scripts.attention.compile import TARGETS, Compiled, compile_attention, compile_reduce
from scripts.attention.plan import make_plan
from scripts.attention.shapes import Batch, Device, Plan, Policy, Shape

if TYPE_CHECKING:
    from collections.abc import Sequence

KV_LEN = 32768
ROWS = (1, 8)
POLICIES = (Policy.STOCK, Policy.VLLM_0_33, Policy.OCCUPANCY)
COLUMNS = (
    "machine", "stack", "date", "kernel", "shape", "query_rows", "policy", "path", "block_m", "tile", "warps", "stages", "chunk",
    "registers", "spilled", "shared_bytes", "shared_limit_bytes", "matrix_instruction",
)  # fmt: skip


@dataclass(frozen=True)
class Job:
    """One kernel to compile, for the first of the launches that share it."""

    device: Device
    shape: Shape
    rows: int
    policy: Policy
    plan: Plan
    kernel: str


def jobs(devices: Sequence[Device], shapes: Sequence[Shape], rows: Sequence[int] = ROWS) -> list[Job]:
    """Return the different kernels behind the launches of ``shapes``, one job each, in the order of the arguments."""
    found: dict[tuple[object, ...], Job] = {}
    for device in devices:
        for shape in shapes:
            for policy in POLICIES:
                for count in rows:
                    plan = make_plan(device, shape, Batch(count, 1, count, KV_LEN), policy)
                    tuning = replace(plan.tuning, residents=0)
                    heads = (shape.group, shape.head_dim, bool(shape.window))
                    found.setdefault((device, *heads, plan.block_m, plan.split, tuning), Job(device, shape, count, policy, plan, "attention"))
                    if plan.split and policy is Policy.OCCUPANCY:
                        found.setdefault((device, shape.head_dim, "reduce"), Job(device, shape, count, policy, plan, "reduce"))
    return list(found.values())


def compile_job(job: Job) -> Compiled:
    """Return what the compiler made of a job."""
    os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")  # the default of today, said aloud
    if job.kernel == "reduce":
        return compile_reduce(job.device, job.shape, job.plan)
    return compile_attention(job.device, job.shape, job.plan)


def faults(job: Job, compiled: Compiled) -> list[str]:
    """Return what is wrong with a kernel; empty when nothing is."""
    found = []
    if compiled.spilled:
        found.append(f"spills {compiled.spilled}")
    if compiled.shared_bytes > job.device.shared_bytes:
        found.append(f"{compiled.shared_bytes} bytes of shared memory, {job.device.arch} has {job.device.shared_bytes}")
    if job.kernel == "attention" and not compiled.matrix:
        found.append("no matrix instruction")
    return found


def row_of(job: Job, compiled: Compiled, stack: str, date: str) -> dict[str, object]:
    """Return the row of the data set."""
    tuning = job.plan.tuning
    attends = job.kernel == "attention"
    return {
        "machine": f"{job.device.name} ({job.device.arch})",
        "stack": stack,
        "date": date,
        "kernel": job.kernel,
        "shape": job.shape.name,
        "query_rows": job.rows,
        "policy": str(job.policy),
        "path": "3D" if job.plan.split else "2D",
        "block_m": job.plan.block_m if attends else "",
        "tile": tuning.tile if attends else "",
        "warps": tuning.warps if attends else job.plan.reduce_warps,
        "stages": tuning.stages if attends else "",
        "chunk": (tuning.chunk or job.shape.head_dim) if attends else job.plan.reduce_dims,
        "registers": compiled.registers,
        "spilled": compiled.spilled,
        "shared_bytes": compiled.shared_bytes,
        "shared_limit_bytes": job.device.shared_bytes,
        "matrix_instruction": compiled.matrix,
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Compile, write the rows, and return 1 when a kernel has a fault."""
    parser = argparse.ArgumentParser(prog="python -m scripts.compile_check", description=(__doc__ or "").splitlines()[0])
    archs = [device.arch for device in TARGETS]
    names = [shape.name for shape in SHAPES]
    parser.add_argument("--out", type=Path, help="CSV file to write")
    parser.add_argument("--arch", nargs="+", choices=archs, default=archs, help="architectures; all by default")
    parser.add_argument("--shapes", nargs="+", choices=names, default=names, help="layers; all by default")
    parser.add_argument("--rows", nargs="+", type=int, default=list(ROWS), help="query rows of the one sequence")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1, help="compilers that run side by side")
    parser.add_argument("--date", default=dt.datetime.now(tz=dt.UTC).date().isoformat(), help="day in the rows")
    options = parser.parse_args(arguments)
    import triton  # noqa: PLC0415 - only for its version

    todo = jobs([device for device in TARGETS if device.arch in options.arch], [s for s in SHAPES if s.name in options.shapes], options.rows)
    rows, wrong = [], 0
    with ProcessPoolExecutor(options.processes, mp_context=get_context("spawn")) as pool:
        for job, compiled in zip(todo, pool.map(compile_job, todo), strict=True):
            found = faults(job, compiled)
            wrong += bool(found)
            rows.append(row_of(job, compiled, f"Triton {triton.__version__}", options.date))
            where = f"{job.device.arch} {job.shape.name}, {job.rows} rows, {job.policy}, {job.kernel}"
            print(f"{where}: {', '.join(found) or f'{compiled.registers} registers, {compiled.matrix}'}", file=sys.stderr)  # noqa: T201
    if options.out:
        with options.out.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    print(f"{len(todo)} kernels, {wrong} with a fault", file=sys.stderr)  # noqa: T201
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
