"""`collective` on two ranks of the processor, and what surrounds it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from scripts.measure.cli import main
from scripts.measure.collective_link import UNKNOWN, settings, slowest, visible
from scripts.measure.collective_table import ALL_GATHER, ALL_REDUCE, bandwidths, sizes
from tests.measure.harness import read

if TYPE_CHECKING:
    from tests.copies import Copy

ROOT = Path(__file__).resolve().parents[2]
SMALL = ("--bytes", "1000", "65536", "--rounds", "2", "--round-ms", "5", "--dtype", "float32", "--timeout-s", "60")


def torchrun(*words: str, ranks: int = 2) -> subprocess.CompletedProcess[str]:
    """Run an instrument on several ranks, on a machine with torch and nothing else."""
    pytest.importorskip("torch")
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(ranks), "-m", "tests.measure.bare"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "NCCL_NVLS_ENABLE": "0"}
    return subprocess.run([*command, *words], cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=300)


def test_two_ranks(tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    done = torchrun("collective", *SMALL, "--out", str(out))
    assert done.returncode == 0, done.stderr
    rows = read(out)
    # Two operations, two sizes, a warm-up and two rounds: each once, so one rank wrote.
    assert len(rows) == 2 * 2 * 3
    assert {(row["ranks"], row["hosts"], row["backend"], row["mode"], row["status"]) for row in rows} == {("2", "1", "gloo", "eager", "ok")}
    assert {row["message_bytes"] for row in rows} == {"1000", "65536"}
    for row in rows:
        algorithm = float(row["message_bytes"]) / float(row["us_per_call"]) / 1e3
        assert float(row["algorithm_gb_s"]) == pytest.approx(algorithm, rel=1e-4)
        # Of two ranks, 2(n-1)/n is 1 and (n-1)/n is a half.
        assert float(row["bus_gb_s"]) == pytest.approx(algorithm * (1 if row["operation"] == ALL_REDUCE else 0.5), rel=1e-4)
    summary = read(tmp_path / "rows_sizes.csv")
    assert [(row["operation"], row["message_bytes"], row["rounds"]) for row in summary] == [
        (operation, size, "2") for operation in (ALL_REDUCE, ALL_GATHER) for size in ("1000", "65536")
    ]
    (run,) = json.loads((tmp_path / "rows.provenance.json").read_text())["runs"]
    assert run["complete"]
    assert run["identity"]["settings"]["environment"]["NCCL_NVLS_ENABLE"] == "0"
    assert "nccl-tests" in run["facts"]["formula"]
    before = out.read_bytes()
    # Gone on with, it has nothing to do; of what is missing it measures just that.
    assert torchrun("collective", *SMALL, "--out", str(out)).returncode == 0
    assert out.read_bytes() == before
    lines = before.splitlines(keepends=True)
    out.write_bytes(b"".join(lines[:-3]))
    assert torchrun("collective", *SMALL, "--out", str(out)).returncode == 0
    assert [row["round"] for row in read(out)] == [row["round"] for row in rows]
    assert out.read_bytes().startswith(b"".join(lines[:-3]))


@pytest.mark.parametrize("operation", ["all_reduce"])
def test_a_wrong_result_is_never_timed(tmp_path: Path, operation: str) -> None:
    out = tmp_path / "rows.csv"
    done = torchrun("--spoil", operation, "collective", *SMALL, "--operations", operation, ALL_GATHER, "--out", str(out))
    assert done.returncode != 0
    rows = read(out)
    failed = [row for row in rows if row["status"] == "failed"]
    assert [(row["operation"], row["message_bytes"], row["round"], row["us_per_call"]) for row in failed] == [
        (operation, "1000", "0", ""),
        (operation, "65536", "0", ""),
    ]
    assert all("rank 1: wrong result: element" in row["reason"] for row in failed)
    assert sum(row["operation"] == ALL_GATHER and row["status"] == "ok" for row in rows) == 6
    assert {row["status"] for row in read(tmp_path / "rows_sizes.csv") if row["operation"] == operation} == {"failed"}


def test_three_ranks_share_a_size_evenly(tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    words = ("--bytes", "1000", "--rounds", "1", "--round-ms", "5", "--operations", ALL_GATHER, "--dtype", "float32", "--timeout-s", "60")
    done = torchrun("collective", *words, "--out", str(out), ranks=3)
    assert done.returncode == 0, done.stderr
    assert {(row["message_bytes"], row["status"]) for row in read(out)} == {("1008", "ok")}


def test_a_graph_needs_a_gpu(tmp_path: Path) -> None:
    done = torchrun("collective", *SMALL, "--backend", "gloo", "--modes", "graph", "--out", str(tmp_path / "rows.csv"))
    assert done.returncode != 0
    assert "--modes graph: a processor has no graphs" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_without_torchrun_it_says_how(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.delenv("RANK", raising=False)
    assert main(["collective", "--out", str(tmp_path / "rows.csv")]) == 2
    assert "start it with torchrun" in capsys.readouterr().err


def test_the_plan(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["collective", "--dry-run", "--out", str(tmp_path / "rows.csv")]) == 0
    said = capsys.readouterr().out
    assert "all_gather, bfloat16, graph, 268435456: 6 cells" in said
    assert "in all: 240 cells in 40 rungs" in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("operation", "ranks", "bus"),
    [(ALL_REDUCE, 2, 1.0), (ALL_REDUCE, 8, 1.75), (ALL_GATHER, 2, 0.5), (ALL_GATHER, 8, 0.875), (ALL_REDUCE, 1, 0.0)],
)
def test_bandwidths_are_those_of_nccl_tests(operation: str, ranks: int, bus: float) -> None:
    assert bandwidths(operation, 2_000_000, ranks, 1000.0) == pytest.approx((2.0, 2.0 * bus))


def test_a_bandwidth_needs_a_time() -> None:
    with pytest.raises(ValueError, match="a time above 0"):
        bandwidths(ALL_REDUCE, 1, 2, 0.0)


def test_no_rows_no_sizes() -> None:
    assert sizes([]) == []


NVIDIA = """\
\tGPU0\tGPU1\tGPU2\tNIC0\tCPU Affinity\tNUMA Affinity
GPU0\t X \tNV18\tSYS\tPIX\t0-47\t0
GPU1\tNV18\t X \tPHB\tSYS\t0-47\t0
GPU2\tSYS\tPHB\t X \tSYS\t48-95\t1
NIC0\tPIX\tSYS\tSYS\t X \t\t

Legend:

  X    = Self
"""
AMD = """\
=============== Link Type between two GPUs ===============
       GPU0         GPU1
GPU0   0            PCIE
GPU1   PCIE         0
"""


@pytest.mark.parametrize(
    ("said", "devices", "link"),
    [
        ({"nvidia_topology": NVIDIA}, [0, 1], "NV18"),
        ({"nvidia_topology": NVIDIA}, [0, 1, 2], "SYS"),
        ({"nvidia_topology": NVIDIA}, [1, 2], "PHB"),
        ({"nvidia_topology": NVIDIA}, [0, 5], UNKNOWN),
        ({"nvidia_topology": NVIDIA}, [0], UNKNOWN),
        ({"amd_topology": AMD}, [0, 1], "PCIE"),
        ({}, [0, 1], UNKNOWN),
        ({"nvidia_topology": "no devices were found"}, [0, 1], UNKNOWN),
    ],
)
def test_the_link_is_the_slowest_of_the_devices(said: dict[str, str], devices: list[int], link: str) -> None:
    assert slowest(said, devices) == link


def test_devices_have_the_numbers_of_the_driver() -> None:
    assert visible({"CUDA_VISIBLE_DEVICES": "3,5"}, [0, 1]) == [3, 5]
    assert visible({"HIP_VISIBLE_DEVICES": "1"}, [0]) == [1]
    assert visible({"CUDA_VISIBLE_DEVICES": "GPU-1234"}, [0, 1]) == [0, 1]
    assert settings({"NCCL_ALGO": "Ring", "HOME": "/", "RCCL_X": "1"}) == {"NCCL_ALGO": "Ring", "RCCL_X": "1"}


def test_rows_join_the_ledger_untouched(tiny: Copy, tmp_path: Path) -> None:
    out = tmp_path / "links.csv"
    done = torchrun("collective", *SMALL, "--operations", ALL_REDUCE, "--out", str(out))
    assert done.returncode == 0, done.stderr
    for name in ("links.csv", "links_sizes.csv"):
        status, lines = tiny.run("add-dataset", str(tmp_path / name))
        assert status == 0, lines
    assert tiny.check()[0] == 0
