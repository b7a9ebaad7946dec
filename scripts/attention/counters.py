"""Turns what Nsight Compute counted into rows: what binds a kernel, in counters.

    ncu --clock-control none --csv --page raw --metrics METRICS python -m scripts.attention.sweep --check-only --no-peers ... > ncu.csv
    python -m scripts.attention.counters ncu.csv --out data/h200_profile.csv --shape 8B --kv 131072 --rows 1 --machine ... --stack ...

``python -m scripts.attention.counters --metrics`` prints METRICS.
"""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

METRICS = {
    "duration_us": ("gpu__time_duration.sum", 1e-3),
    "dram_read_bytes": ("dram__bytes_read.sum", 1.0),
    "dram_pct": ("dram__throughput.avg.pct_of_peak_sustained_elapsed", 1.0),
    "occupancy_pct": ("sm__warps_active.avg.pct_of_peak_sustained_active", 1.0),
    "issue_pct": ("smsp__issue_active.avg.pct_of_peak_sustained_active", 1.0),
    "tensor_pct": ("sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active", 1.0),
    "instructions": ("smsp__inst_executed.sum", 1.0),
    "registers": ("launch__registers_per_thread", 1.0),
    "shared_bytes": ("launch__shared_mem_per_block_dynamic", 1.0),
}
"""Column of the data set: counter, and the factor from its base unit (ns, byte, %)."""
KEY = ("machine", "stack", "date", "shape", "kv_len", "query_rows", "kernel")


def read_rows(lines: Sequence[str]) -> list[dict[str, str]]:
    """Return one row for each kernel of ours in Nsight Compute's raw CSV (``--print-units base``), cells by column of the data set.

    Raises:
        ValueError: When the lines hold no table or a counter is missing.
    """
    begin = next((number for number, line in enumerate(lines) if line.startswith('"ID"')), None)
    if begin is None:
        raise ValueError("no table of Nsight Compute: run ncu with --csv --page raw")
    rows = []
    for found in list(csv.DictReader(lines[begin:]))[1:]:  # the first line holds units
        name = found["Kernel Name"]
        if name not in {"attention_kernel", "reduce_kernel"}:
            continue
        missing = [counter for counter, _ in METRICS.values() if counter not in found]
        if missing:
            raise ValueError(f"counters {missing} are missing: run ncu with the metrics that --metrics prints")
        cells = {column: f"{float(found[counter].replace(',', '')) * factor:.6g}" for column, (counter, factor) in METRICS.items()}
        rows.append({"kernel": name.removesuffix("_kernel"), **cells})
    return rows


def main(arguments: Sequence[str] | None = None) -> int:
    """Append the rows of one run; return 0, or 2 when the file holds none."""
    parser = argparse.ArgumentParser(prog="python -m scripts.attention.counters", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("source", nargs="?", type=Path, help="what ncu printed")
    parser.add_argument("--metrics", action="store_true", help="print the counters that ncu should read")
    parser.add_argument("--out", type=Path, default=Path("attention_profile.csv"), help="file that rows are appended to")
    for name in ("machine", "stack", "shape", "kv", "rows"):
        parser.add_argument(f"--{name}", default="", help="goes into the rows")
    parser.add_argument("--date", default=dt.datetime.now(tz=dt.UTC).date().isoformat(), help="day in the rows; today by default")
    options = parser.parse_args(arguments)
    if options.metrics:
        print(",".join(counter for counter, _ in METRICS.values()))  # noqa: T201 - a program for people
        return 0
    if options.source is None:
        parser.error("name the file that ncu printed")
    try:
        rows = read_rows(options.source.read_text(encoding="utf-8").splitlines())
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)  # noqa: T201
        return 2
    key = dict(zip(KEY, (options.machine, options.stack, options.date, options.shape, options.kv, options.rows), strict=False))
    new = not options.out.exists()
    with options.out.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*KEY, *METRICS], lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerows({**key, **row} for row in rows)
    return 0 if rows else 2


if __name__ == "__main__":
    raise SystemExit(main())
