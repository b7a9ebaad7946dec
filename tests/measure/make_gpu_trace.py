"""Profiles a few decoder layers with random weights on a GPU, and shrinks the trace to what a test needs.

    python3 -m tests.measure.make_gpu_trace tests/measure/samples/h200.pt.trace.json.gz

Prompts are read eagerly, tokens are decoded by replaying a captured graph, in steps named as `scripts.measure trace` knows them. FILE is
gzip. What is left out are operators of the processor, flows and metadata; no event that stays is changed. Needs torch and nothing else.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional
from torch.profiler import ProfilerActivity, profile, record_function

CONTEXTS = (1024, 8192)
STEPS = 4
LAYERS, HEADS, WIDTH = 3, 8, 1024
KEPT = ("kernel", "gpu_memcpy", "gpu_memset", "cuda_runtime", "cuda_driver", "user_annotation", "gpu_user_annotation")
DROPPED_HEAD = ("host_name", "traceName", "trace_id")


class Layer(torch.nn.Module):  # type: ignore[misc]  # torch has no types here
    """A decoder layer: attention over a cache of keys and values, then a gated feed-forward part."""

    def __init__(self) -> None:
        super().__init__()
        self.norms = torch.nn.ModuleList(torch.nn.RMSNorm(WIDTH) for _ in range(2))
        self.into, self.out = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.gate, self.down = torch.nn.Linear(WIDTH, 8 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor, cache: torch.Tensor, *, prompt: bool) -> torch.Tensor:
        """Return what the layer makes of x ([tokens, WIDTH]); cache is [2, 1, HEADS, context, WIDTH // HEADS] and is filled by a prompt."""
        tokens = x.shape[0]
        query, key, value = (part.view(1, tokens, HEADS, -1).transpose(1, 2) for part in self.into(self.norms[0](x)).chunk(3, -1))
        cache[0, :, :, -tokens:].copy_(key)
        cache[1, :, :, -tokens:].copy_(value)
        found = functional.scaled_dot_product_attention(query, cache[0], cache[1], is_causal=prompt)
        x = x + self.out(found.transpose(1, 2).reshape(tokens, WIDTH))
        left, right = self.gate(self.norms[1](x)).chunk(2, -1)
        result: torch.Tensor = x + self.down(functional.silu(left) * right)
        return result


def run_layers(layers: torch.nn.ModuleList, x: torch.Tensor, caches: list[torch.Tensor], *, prompt: bool) -> torch.Tensor:
    """Return what all layers make of x."""
    for layer, cache in zip(layers, caches, strict=True):
        x = layer(x, cache, prompt=prompt)
    return x


def take(path: Path) -> None:
    """Profile prompts and decoding at each context, and write the trace."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    kind = torch.bfloat16
    torch.manual_seed(0)
    layers = torch.nn.ModuleList(Layer() for _ in range(LAYERS)).to(device, kind)
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if device == "cuda" else [])]
    prepared: list[tuple[int, torch.Tensor, list[torch.Tensor], Any]] = []
    with torch.inference_mode():
        for context in CONTEXTS:
            caches = [torch.randn(2, 1, HEADS, context, WIDTH // HEADS, device=device, dtype=kind) for _ in range(LAYERS)]
            token = torch.randn(1, WIDTH, device=device, dtype=kind)
            prepared.append((context, torch.randn(context, WIDTH, device=device, dtype=kind), caches, _capture(layers, token, caches, device)))
        # Twice: what is slow at the first call only, the profiler among it, is over before the trace begins.
        for number in range(2):
            with profile(activities=activities) as profiler:
                for context, prompt, caches, decode in prepared:
                    with record_function(f"prefill context={context}"):
                        run_layers(layers, prompt, caches, prompt=True)
                    for _ in range(STEPS):
                        with record_function(f"decode context={context}"):
                            decode()
                if device == "cuda":
                    torch.cuda.synchronize()
            if number:
                profiler.export_chrome_trace(str(path))


def _capture(layers: torch.nn.ModuleList, token: torch.Tensor, caches: list[torch.Tensor], device: str) -> Any:
    """Return what decodes one token: the replay of a captured graph, or the layers themselves where there is no GPU."""
    run_layers(layers, token, caches, prompt=False)
    if device == "cpu":
        return lambda: run_layers(layers, token, caches, prompt=False)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            run_layers(layers, token, caches, prompt=False)
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        run_layers(layers, token, caches, prompt=False)
    return graph.replay


def shrink(data: dict[str, Any], kept: tuple[str, ...] = KEPT) -> dict[str, Any]:
    """Return a trace with the events that count, and a head that names no host."""
    head = {key: value for key, value in data.items() if key not in DROPPED_HEAD}
    return {**head, "traceEvents": [event for event in data["traceEvents"] if event.get("ph") == "X" and event.get("cat") in kept]}


def main() -> None:
    """Take a trace, shrink it, and say what is in it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("out", type=Path, metavar="FILE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "whole.json"
        take(path)
        data = json.loads(path.read_text())
    small = shrink(data, KEPT if torch.cuda.is_available() else (*KEPT, "cpu_op"))
    options.out.write_bytes(gzip.compress(json.dumps(small, separators=(",", ":")).encode(), mtime=0))
    counts: dict[str, int] = {}
    for event in small["traceEvents"]:
        counts[event["cat"]] = counts.get(event["cat"], 0) + 1
    print(f"torch {torch.__version__}: {options.out.stat().st_size} bytes, {counts}")  # noqa: T201 - for whoever runs it


if __name__ == "__main__":
    main()
