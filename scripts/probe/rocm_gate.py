"""Asks ROCm's custom paged attention for some models as they are, and with each condition that they fail held to be met.

    python -m scripts.probe.rocm_gate --out data/rocm_gate.csv

The rules are those of `predict.ASSUMED`; nothing runs. A relaxed condition counts as met, whatever the model has, so that a row shows what the
others say without it. Exit code 0.
"""

from __future__ import annotations

import argparse
import csv
import datetime as dt
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from .devices import find_device
from .model import LinearState, Model, Shape
from .predict import ROCM, Setting, conditions, route

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .predict import Condition

DEVICE = "RX 7900 XT"
RULES = "vLLM 0.28.0 to 0.32.0, rules"
NONE, ALL = "none", "all"
COLUMNS = (
    "machine", "stack", "date", "model", "relaxed", "backend", "head_size", "block_size", "query_heads_per_kv_head", "head_size_met",
    "block_size_met", "power_of_two_met", "ratio_met", "window_met", "architecture_met", "failed", "admitted",
)  # fmt: skip


@dataclass(frozen=True)
class Case:
    """A model on two cards, without speculation; a block size where it was read from a running engine and is not worked out."""

    name: str
    model: Model
    block_size: int = 0


_HYBRID = Shape("full_attention", 24, 4, 256)
# State of the linear layers of Qwen3.8-27B: 16 key heads and 48 value heads of 128, a convolution over 4 rows, recurrence in 32 bits.
_STATE = LinearState(conv_row=2 * 16 * 128 + 48 * 128, conv_rows=3, recurrent=48 * 128 * 128, recurrent_bytes=4)
CASES = (
    Case("Qwen3.6-27B", Model("qwen3_5", (_HYBRID,), hybrid=True), block_size=784),
    Case("Qwen3.8-27B", Model("qwen3_5", (_HYBRID,), linear=_STATE, hybrid=True)),
    Case("Qwen3-8B", Model("qwen3", (Shape("full_attention", 32, 8, 128),))),
    Case("gemma-4-31B-it", Model("gemma4", (Shape("sliding_attention", 32, 16, 256, 1024), Shape("full_attention", 32, 4, 512)))),
)
"""Heads, sizes and states by the models' configurations; the block size of Qwen3.6-27B as its engine reported it (cache_config.block_size)."""


def rows_of(case: Case, date: str) -> list[dict[str, object]]:
    """Return the rows of one model: as it is, and where its backend asks at all, with each failed condition relaxed alone, then all of them."""
    device, setting = find_device(DEVICE), Setting(ranks=2, speculative=0, block_size=case.block_size)
    asked = conditions(case.model, device, setting)
    failed = [_key(each.name) for each in asked if not each.met]
    backend = route(case.model, device, setting).answer
    about = {"machine": f"{DEVICE} ({device.gfx})", "stack": RULES, "date": date, "model": case.name, "backend": backend}
    return [{**about, **_answers(asked, relaxed)} for relaxed in (NONE, *([*failed, ALL] if failed and backend == ROCM else []))]


def _answers(asked: Sequence[Condition], relaxed: str) -> dict[str, object]:
    met = [each.met or relaxed in (_key(each.name), ALL) for each in asked]
    values = {each.name: each.value for each in asked}
    names = ("head_size_met", "block_size_met", "power_of_two_met", "ratio_met", "window_met", "architecture_met")
    return {
        "relaxed": relaxed,
        "head_size": values["head size"],
        "block_size": values["block size"],
        "query_heads_per_kv_head": values["query heads a KV head"],
        **{name: str(each).lower() for name, each in zip(names, met, strict=True)},
        "failed": met.count(False),
        "admitted": str(all(met)).lower(),
    }


def _key(name: str) -> str:
    """Return the name of a condition as a value of the column."""
    return name.replace(" ", "_")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the rows, to a file or to standard output."""
    parser = argparse.ArgumentParser(prog="python -m scripts.probe.rocm_gate", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, help="CSV file to write; standard output without it")
    parser.add_argument("--date", default=dt.datetime.now(tz=dt.UTC).date().isoformat(), help="day in the rows")
    options = parser.parse_args(arguments)
    rows = [row for case in CASES for row in rows_of(case, options.date)]
    if options.out is None:
        _write(sys.stdout, rows)
        return 0
    with options.out.open("w", encoding="utf-8", newline="") as file:
        _write(file, rows)
    return 0


def _write(file: TextIO, rows: list[dict[str, object]]) -> None:
    writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)


if __name__ == "__main__":
    raise SystemExit(main())
