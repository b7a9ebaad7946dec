"""The kernels on a machine without a GPU: interpreted, and compiled for devices that are elsewhere."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the kernels need torch: install the extra 'kernels'")
triton = pytest.importorskip("triton", reason="the kernels need Triton: install the extra 'kernels'")

ROOT = Path(__file__).parents[2]


def start(*command: str, **environment: str) -> subprocess.Popen[str]:
    settings = {**os.environ, "TRITON_DEFAULT_FP_FUSION": "1", **environment}
    return subprocess.Popen([sys.executable, "-m", *command], cwd=ROOT, env=settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_interpreter_agrees_with_the_reference() -> None:
    # A process of its own, because an interpreted kernel cannot be compiled; one for each dtype, because it is slow.
    running = [start("scripts.attention.check", "--device", "cpu", "--dtypes", dtype, TRITON_INTERPRET="1") for dtype in ("float32", "float16")]
    for process in running:
        out, err = process.communicate(timeout=600)
        results = [json.loads(line) for line in out.splitlines()]
        assert process.returncode == 0, [line for line in results if not line["ok"]] or err
        assert {line["plan"] for line in results} == {"2D", "3D", "occupancy"}
        assert len({line["case"] for line in results}) == 13


def test_check_says_why_it_cannot_run() -> None:
    process = start("scripts.attention.check", "--device", "cpu", TRITON_INTERPRET="0")
    _, err = process.communicate(timeout=120)
    assert (process.returncode, err) == (2, "the CPU needs TRITON_INTERPRET=1 in the environment\n")


@pytest.mark.parametrize("arch", ["gfx1100", "gfx1201", "gfx942", "gfx950", "sm_80", "sm_90"])
def test_compiles_without_spills(arch: str, tmp_path: Path) -> None:
    if arch == "gfx1100" and tuple(int(part) for part in triton.__version__.split(".")[:2]) < (3, 9):
        pytest.skip(f"Triton {triton.__version__} spills on gfx1100 with heads of 256, whatever the sizes; 3.9.0 does not")
    out = tmp_path / "rows.csv"
    process = start(
        "scripts.compile_check", "--arch", arch, "--shapes", "27B hybrid", "--rows", "1", "8", "--processes", "2", "--out", str(out)
    )  # fmt: skip
    _, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    rows = list(csv.DictReader(out.read_text(encoding="utf-8").splitlines()))
    assert {row["path"] for row in rows} == {"2D", "3D"}
    assert {row["kernel"] for row in rows} == {"attention", "reduce"}
    for row in rows:
        assert row["spilled"] == "0"
        assert int(row["shared_bytes"]) <= int(row["shared_limit_bytes"])
        assert row["matrix_instruction"] or row["kernel"] == "reduce"
