"""Times launches on a device: graph replays over rotated buffers, and the copy bandwidth that a floor needs."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median, quantiles
from typing import TYPE_CHECKING

import torch

from scripts.attention.launch import Inputs
from scripts.attention.shapes import ceil_div

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from scripts.attention.shapes import Shape

ROTATED_BYTES = 512 << 20
"""Keys and values of all buffer sets together, at least: several times the second-level cache of any device of today."""
MAX_SETS = 64
"""Buffer sets at most: at 1K keys and 4 MiB a set they still come to 256 MiB."""
GRAPH_US = 1000.0
"""Device time that one replay should take, in microseconds, so that events resolve it."""
COPY_BYTES = 2 << 30
"""Bytes that the copy reads, and writes again."""


@dataclass(frozen=True)
class Timing:
    """Times of one call, in microseconds, over the repeats.

    Attributes:
        median_us: The middle.
        low_us: The first decile.
        high_us: The last decile.
        repeats: Replays that were timed.
        calls: Calls in one replay.
        sets: Buffer sets that the calls went through in turn.
    """

    median_us: float
    low_us: float
    high_us: float
    repeats: int
    calls: int
    sets: int


def summarize(times_us: Sequence[float], calls: int, sets: int) -> Timing:
    """Return the timing of a list of per-call times; raises ValueError when there are fewer than two."""
    if len(times_us) < 2:  # noqa: PLR2004 - a spread needs two
        raise ValueError(f"a spread needs at least two times, got {len(times_us)}")
    deciles = quantiles(times_us, n=10, method="inclusive")
    return Timing(median(times_us), deciles[0], deciles[-1], len(times_us), calls, sets)


def set_count(kv_bytes: int) -> int:
    """Return how many buffer sets keep a replay out of the cache: at least two."""
    return max(2, min(MAX_SETS, ceil_div(ROTATED_BYTES, kv_bytes)))


def time_calls(calls: Sequence[Callable[[], object]], repeats: int = 20) -> Timing:
    """Return the time of one call from CUDA-graph replays that go through ``calls``, one for each buffer set, in turn."""
    return time_together({"": calls}, repeats)[""]


def time_together(contenders: Mapping[str, Sequence[Callable[[], object]]], repeats: int = 20) -> dict[str, Timing]:
    """Return the time of one call of each contender, measured in turns, so that a drifting clock is no one's advantage.

    Launches are captured in a CUDA graph, so a time holds the gaps that the device leaves between kernels and none of the host's.

    Args:
        contenders: For each name its calls, one for each buffer set.
        repeats: Replays that are timed, after two that are not.
    """
    graphs = {}
    for name, calls in contenders.items():
        for call in calls[:2]:
            call()
        torch.cuda.synchronize()
        rounds = ceil_div(int(GRAPH_US), max(int(_replay(_capture(calls, 1), 3) / 3), 1))
        graphs[name] = (_capture(calls, rounds), rounds * len(calls))
    times: dict[str, list[float]] = {name: [] for name in contenders}
    for repeat in range(-2, repeats):
        for name, (graph, count) in graphs.items():
            per_call_us = _replay(graph, 1) / count
            if repeat >= 0:
                times[name].append(per_call_us)
    return {name: summarize(values, graphs[name][1], len(contenders[name])) for name, values in times.items()}


def _capture(calls: Sequence[Callable[[], object]], rounds: int) -> torch.cuda.CUDAGraph:
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(rounds):
            for call in calls:
                call()
    return graph


def _replay(graph: torch.cuda.CUDAGraph, times: int) -> float:
    """Return the device time of some replays, in microseconds."""
    begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    begin.record()
    for _ in range(times):
        graph.replay()
    end.record()
    end.synchronize()
    return float(begin.elapsed_time(end)) * 1000


def copy_bandwidth(device: torch.device | str, repeats: int = 20) -> float:
    """Return the bandwidth of a device-to-device copy in bytes a second, read and written bytes both counted."""
    source = torch.randint(0, 255, (COPY_BYTES,), dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    times = []
    # Not from a graph: captured, the copy may go to the copy engines, which reach two thirds of what the multiprocessors do.
    for repeat in range(-3, repeats):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        target.copy_(source)
        end.record()
        end.synchronize()
        if repeat >= 0:
            times.append(float(begin.elapsed_time(end)) * 1e-3)
    return 2 * COPY_BYTES / median(times)


def rotated_inputs(
    shape: Shape, rows: int, kv_len: int, device: torch.device | str, block_size: int = 16, *, shuffled: bool = False
) -> list[Inputs]:
    """Return inputs of one sequence for each buffer set: bf16, random numbers.

    The sets are like the layers of a model: each has its own queries, keys and values, all have one table of pages. The pages are in
    the order in which a fresh engine hands them out, or ``shuffled``, as after a long time of service.
    """
    generator = torch.Generator(device=device).manual_seed(kv_len + rows)
    sets = set_count(shape.kv_bytes(kv_len, rows))
    pages = ceil_div(kv_len, block_size)
    size = (sets, pages, block_size, shape.kv_heads, shape.head_dim)
    k, v = (torch.empty(size, dtype=torch.bfloat16, device=device).normal_(generator=generator) for _ in "kv")
    order = torch.randperm(pages, generator=generator, device=device) if shuffled else torch.arange(pages, device=device)
    table = order.to(torch.int32)[None]
    starts = torch.tensor([0, rows], dtype=torch.int32, device=device)
    lens = torch.tensor([kv_len], dtype=torch.int32, device=device)
    q = torch.empty((sets, rows, shape.query_heads, shape.head_dim), dtype=torch.bfloat16, device=device).normal_(generator=generator)
    return [Inputs(q[one], k[one], v[one], table, starts, lens, shape.head_dim**-0.5) for one in range(sets)]
