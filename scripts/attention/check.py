"""Compares the kernel with the reference, case by case, and prints one JSON line for each launch.

python -m scripts.attention.check                                       on the GPU
TRITON_INTERPRET=1 python -m scripts.attention.check --device cpu       in Triton's interpreter, without one
"""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import torch

from scripts.attention.cases import (
    TOLERANCE,
    Case,
    both_paths,
    build,
    edge_cases,
    every_plan,
    fixed_cases,
    reference,
    relative_error,
    run,
    ulps_apart,
)
from scripts.attention.device import device_facts, stack_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from scripts.attention.shapes import Device

DTYPES = {"bfloat16": torch.bfloat16, "float16": torch.float16, "float32": torch.float32}
REPEATS = 3
"""Runs of which the answers must have the same bits."""


def check_case(device: Device, case: Case, dtype: torch.dtype, target: str) -> Iterator[dict[str, object]]:
    """Yield what each plan of a case gave: its relative error against float64, and whether that is within the tolerance."""
    inputs = build(case, dtype, target)
    right = reference(case, inputs)
    for name, plan in every_plan(device, case).items():
        error = relative_error(run(case, inputs, plan), right)
        yield {"case": case.name, "dtype": str(dtype).removeprefix("torch."), "plan": name, "error": error, "ok": error <= TOLERANCE[dtype]}


def check_fixed(device: Device, case: Case, target: str) -> dict[str, object]:
    """Return what the two paths give on a fixed input in bf16: same bits each time, at most one unit in the last place apart."""
    inputs = build(case, torch.bfloat16, target)
    right = reference(case, inputs)
    answers = [[run(case, inputs, plan) for _ in range(REPEATS)] for plan in both_paths(device, case)]
    same = [all(torch.equal(path[0], other) for other in path) for path in answers]
    apart = ulps_apart(answers[0][0], answers[1][0])
    return {
        "shape": case.shape.name,
        "kv_len": case.batch.max_kv_len,
        "query_rows": case.batch.max_query_rows,
        "deterministic_2d": same[0],
        "deterministic_3d": same[1],
        "bit_equal": torch.equal(answers[0][0], answers[1][0]),
        "max_abs_diff": float((answers[0][0].double() - answers[1][0].double()).abs().max()),
        "ulps_apart": apart,
        "error_2d": relative_error(answers[0][0], right),
        "error_3d": relative_error(answers[1][0], right),
        "ok": all(same) and apart <= 1,
    }


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.4g}" if isinstance(value, float) else value


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the cases; return 0 when all are right, 1 when one is not, 2 when they could not run."""
    parser = argparse.ArgumentParser(prog="python -m scripts.attention.check", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--device", default="cuda", help="cuda (ROCm, too) or cpu")
    parser.add_argument("--dtypes", nargs="+", choices=DTYPES, help="bfloat16 and float16 on a GPU, float32 and float16 in the interpreter")
    parser.add_argument("--out", type=Path, help="with --fixed: CSV file to write the results to")
    parser.add_argument("--date", default=dt.datetime.now(tz=dt.UTC).date().isoformat(), help="day in the rows; today by default")
    parser.add_argument("--fixed", action="store_true", help="the 18 cases with fixed inputs instead")
    options = parser.parse_args(arguments)
    interpreted = options.device == "cpu"
    if interpreted and os.environ.get("TRITON_INTERPRET") != "1":
        print("the CPU needs TRITON_INTERPRET=1 in the environment", file=sys.stderr)  # noqa: T201
        return 2
    if not interpreted and not torch.cuda.is_available():
        print("no GPU that torch can use", file=sys.stderr)  # noqa: T201
        return 2
    device = device_facts(options.device)
    if options.fixed:
        results = [check_fixed(device, case, options.device) for case in fixed_cases()]
    else:
        # bf16 arithmetic of the interpreter is wrong.
        names = options.dtypes or (["float32", "float16"] if interpreted else ["bfloat16", "float16"])
        cases = edge_cases(small=interpreted)
        results = [line for name in names for case in cases for line in check_case(device, case, DTYPES[name], options.device)]
    if options.fixed and options.out:
        key = {"machine": device.name, "stack": stack_name(), "date": options.date}
        with options.out.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, [*key, *results[0]], lineterminator="\n")
            writer.writeheader()
            writer.writerows({**key, **{name: _cell(value) for name, value in line.items()}} for line in results)
    for line in results:
        print(json.dumps(line))  # noqa: T201
    return 0 if all(line["ok"] for line in results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
