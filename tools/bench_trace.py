"""Times how fast `trace` reads, and in how much memory: writes a large trace of a GPU, reads it in a process of its own, says both.

    python -m tools.bench_trace --gigabytes 2 [--packed]

The trace has the events and the layout of a real one (operators, runtime calls, flows, kernels, graph replays), and its times are known.
"""

from __future__ import annotations

import argparse
import gzip
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[1]
EPOCH_NS = 1790857026000000000
FIRST_US = 5177272561527.141
LAG_US = 400.0
"""How far the device is behind the processor: more than a step of decoding takes there, so that kernels run in the next step's window."""
NAMES = (
    "void cutlass::Kernel2<cutlass_80_wmma_tensorop_bf16_s161616gemm_bf16_16x16_128x2_tn_align8>(Params)",
    "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int)",
    "kernel_unified_attention",
    "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps<float, float, float, float>, unsigned int> >",
)
HOST = "4321"
LAUNCHED = """"External id": {number},
      "queued": 0, "device": 0, "context": 1,
      "stream": 7, "correlation": {correlation},
      "registers per thread": 128,
      "shared memory": 49152,
      "blocks per SM": 1.939394,
      "warps per SM": 7.757576,
      "grid": [256, 1, 1],
      "block": [128, 1, 1],
      "est. achieved occupancy %": 12"""
HEAD = """{{
  "schemaVersion": 1,
  "deviceProperties": [
    {{
      "id": 0, "name": "NVIDIA H200", "totalGlobalMem": 150000000000
    }}
  ],
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": {base},
  "traceEvents": ["""
TAIL = """
  ],
  "traceName": "made.json"
}
"""


@dataclass(frozen=True)
class Kind:
    """A kind of step whose times are known.

    Attributes:
        name: Its annotation; `{context}` stands for the context.
        calls: Kernels in it.
        kernel_us: How long each takes.
        gap_us: Time between two.
        graph: Whether all of them are replayed by one launch.
    """

    name: str
    calls: int
    kernel_us: float
    gap_us: float
    graph: bool


PREFILL = Kind("execute_context_1(2048)_generation_0(0)", 40, 50.0, 2.0, graph=False)
MIXED = Kind("execute_context_1(1024)_generation_1(1)", 40, 30.0, 2.0, graph=False)
DECODE = Kind("execute_context_0(0)_generation_1(1)", 40, 5.0, 1.0, graph=True)
CYCLE = (PREFILL, MIXED, *(DECODE,) * 6)


def events(kinds: Iterator[Kind]) -> Iterator[str]:
    """Yield the events of steps, as text, without what separates them."""
    host_us, device_us, number, correlation = FIRST_US, FIRST_US + LAG_US, 0, 0
    for kind in kinds:
        length_us = kind.calls * 4.0
        yield _complete("user_annotation", kind.name, (HOST, HOST), host_us, length_us, f'"External id": {number},"Record function id": 0')
        for call in range(kind.calls):
            number += 1
            at_us = host_us + 1 + call * 3
            more = f'"External id": {number},"Record function id": 0, "Ev Idx": {number}'
            yield _complete("cpu_op", "aten::mm", (HOST, HOST), at_us, 2.5, more)
            if call == 0 or not kind.graph:
                correlation = number
                name = "cudaGraphLaunch" if kind.graph else "cudaLaunchKernel"
                more = f'"External id": {number}, "cbid": 211, "correlation": {correlation}'
                yield _complete("cuda_runtime", name, (HOST, HOST), at_us + 0.5, 1.5, more)
                yield _flow("s", correlation, (HOST, HOST), at_us + 0.5, "")
            device_us = max(device_us, host_us + LAG_US)
            more = LAUNCHED.format(number=number, correlation=correlation)
            yield _complete("kernel", NAMES[call % len(NAMES)], ("0", "7"), device_us, kind.kernel_us, more)
            yield _flow("f", correlation, ("0", "7"), device_us, ', "bp": "e"')
            device_us += kind.kernel_us + kind.gap_us
        host_us += length_us + 20


def _complete(category: str, name: str, place: tuple[str, str], at_us: float, length_us: float, more: str) -> str:
    return (
        f'{{\n    "ph": "X", "cat": "{category}", "name": "{name}", "pid": {place[0]}, "tid": {place[1]},\n'
        f'    "ts": {at_us:.3f}, "dur": {length_us:.3f},\n    "args": {{\n      {more}\n    }}\n  }}'
    )


def _flow(phase: str, number: int, place: tuple[str, str], at_us: float, more: str) -> str:
    return (
        f'{{\n    "ph": "{phase}", "id": {number}, "pid": {place[0]}, "tid": {place[1]}, "ts": {at_us:.3f},\n'
        f'    "cat": "ac2g", "name": "ac2g"{more}\n  }}'
    )


def write_trace(file: TextIO, least_bytes: int, cycle: tuple[Kind, ...] = CYCLE) -> int:
    """Write a trace of at least so many bytes, in whole cycles; return how many cycles."""
    file.write(HEAD.format(base=EPOCH_NS))
    cycles, written = 0, 0

    def kinds() -> Iterator[Kind]:
        nonlocal cycles
        while written < least_bytes:
            cycles += 1
            yield from cycle

    for number, event in enumerate(events(kinds())):
        text = f"{',' if number else ''}\n  {event}"
        written += len(text)
        file.write(text)
    file.write(TAIL)
    return cycles


def main() -> None:
    """Write, read, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=2.0, help="unpacked size (default 2)")
    parser.add_argument("--packed", action="store_true", help="write gzip")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / ("made.json.gz" if options.packed else "made.json")
        with gzip.open(path, "wt", 1) if options.packed else path.open("w") as file:
            write_trace(file, int(options.gigabytes * 1e9))
        command = [sys.executable, "-m", "scripts.measure", "trace", str(path), "--stack", "none", "--out", str(Path(name) / "rows.csv")]
        began = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True)
        passed = time.perf_counter() - began
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        busy = used.ru_utime + used.ru_stime
        size = options.gigabytes * 1e3
        print(f"{path.stat().st_size / 1e6:.0f} MB on disk, {size:.0f} MB unpacked: {passed:.1f} s by the clock, {busy:.1f} s of one core")
        print(
            f"{size / passed:.0f} MB/s by the clock, {size / busy:.0f} MB/s of a core's time; {used.ru_maxrss / 1024:.0f} MiB of memory at most"
        )


if __name__ == "__main__":
    main()
