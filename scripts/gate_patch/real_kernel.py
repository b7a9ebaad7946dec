"""Runs vLLM's real kernel, stock against patched: `python -m scripts.gate_patch.real_kernel STOCK PATCHED DEVICE OUTPUT`.

STOCK and PATCHED are folders with a release, the second with the source patch. On `cpu` the kernel is interpreted
(float32; the caller sets TRITON_INTERPRET=1), on `cuda` it is compiled (bfloat16) and timed. torch and Triton are real;
vLLM's other modules are stubs.
"""

from __future__ import annotations

import enum
import hashlib
import importlib.util
import json
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

import torch
import triton
import triton.language as tl

from scripts.gate_patch.plugin.admission import VerifyThreshold
from scripts.gate_patch.plugin.objects import make_launcher


class KVQuantMode(enum.IntEnum):
    """The kinds of quantised cache that the launcher asks for, as numbered by vLLM; the runs here have none."""

    NONE = 0
    FP8_PER_TENSOR = 1
    INT8_PER_TOKEN_HEAD = 2
    FP8_PER_TOKEN_HEAD = 3
    INT4_PER_TOKEN_HEAD = 4


HELPERS = "vllm.v1.attention.ops.triton_attention_helpers"
SEGMENTS, BLOCK_SIZE, THRESHOLD = 16, 16, 4


def put_stubs(root: Path) -> None:
    """Make what the launcher imports: stubs, and the helpers of the kernel as they are."""
    platform = types.SimpleNamespace(fp8_dtype=lambda: torch.float8_e4m3fn, is_device_capability_family=lambda _family: False)
    logger = types.SimpleNamespace(debug_once=lambda *_args: None)
    contents: dict[str, dict[str, Any]] = {
        "vllm": {},
        "vllm.envs": {"VLLM_BATCH_INVARIANT": False},
        "vllm.logger": {"init_logger": lambda _name: logger},
        "vllm.platforms": {"current_platform": platform},
        "vllm.triton_utils": {"tl": tl, "triton": triton},
        "vllm.v1": {},
        "vllm.v1.attention": {},
        "vllm.v1.attention.ops": {},
        "vllm.v1.kv_cache_interface": {"KVQuantMode": KVQuantMode},
    }
    for name, values in contents.items():
        module = types.ModuleType(name)
        vars(module).update(values)
        sys.modules[name] = module
    vars(sys.modules["vllm"])["envs"] = sys.modules["vllm.envs"]
    load(HELPERS, root / f"{HELPERS.replace('.', '/')}.py")


def load(name: str, path: Path) -> Any:
    """Load one file as a module."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def make_case(shape: tuple[int, int, int], rows: int, lengths: list[int], device: str, *, deep: bool) -> dict[str, Any]:
    """Return the arguments of a launch: `rows` queries for each of `lengths` contexts, buffers poisoned with NaN.

    With `deep` every score is -200, so that a wrong maximum of 0 underflows.
    """
    heads, kv_heads, head_size = shape
    torch.manual_seed(7)
    dtype = torch.float32 if device == "cpu" else torch.bfloat16
    blocks_each = -(-max(lengths) // BLOCK_SIZE)
    query = torch.randn(rows * len(lengths), heads, head_size)
    cache = torch.randn(2, blocks_each * len(lengths), BLOCK_SIZE, kv_heads, head_size)
    if deep:
        query, cache[0] = torch.ones_like(query), -200 / head_size**0.5
    query, cache = query.to(device, dtype), cache.to(device, dtype)
    wide = (THRESHOLD * rows, heads, SEGMENTS)
    return {
        "q": query,
        "k": cache[0],
        "v": cache[1],
        "out": torch.full_like(query, float("nan")),
        "cu_seqlens_q": torch.arange(len(lengths) + 1, dtype=torch.int32, device=device) * rows,
        "max_seqlen_q": rows,
        "seqused_k": torch.tensor(lengths, dtype=torch.int32, device=device),
        "max_seqlen_k": max(lengths),
        "softmax_scale": head_size**-0.5,
        "causal": True,
        "window_size": (-1, -1),
        "block_table": torch.arange(blocks_each * len(lengths), dtype=torch.int32, device=device).view(len(lengths), -1),
        "softcap": 0,
        "q_descale": None,
        "k_descale": None,
        "v_descale": None,
        "seq_threshold_3D": THRESHOLD,
        "num_par_softmax_segments": SEGMENTS,
        "softmax_segm_output": torch.full((*wide, triton.next_power_of_2(head_size)), float("nan"), device=device),
        "softmax_segm_max": torch.full(wide, float("nan"), device=device),
        "softmax_segm_expsum": torch.full(wide, float("nan"), device=device),
    }


def reference(call: dict[str, Any]) -> torch.Tensor:
    """Return causal attention over the paged cache in float64."""
    lengths, rows = call["seqused_k"].tolist(), call["max_seqlen_q"]
    group = call["q"].shape[1] // call["k"].shape[2]
    parts = []
    for index, length in enumerate(lengths):
        pages = call["block_table"][index].long()
        keys, values = (call[name][pages].flatten(0, 1)[:length].double().repeat_interleave(group, 1) for name in "kv")
        query = call["q"][index * rows : (index + 1) * rows].double()
        scores = torch.einsum("rhd,khd->hrk", query, keys) * call["softmax_scale"]
        hidden = torch.ones(rows, length, dtype=torch.bool, device=scores.device).triu(length - rows + 1)
        parts.append(torch.einsum("hrk,khd->rhd", scores.masked_fill(hidden, float("-inf")).softmax(-1), values))
    return torch.cat(parts)


def error(call: dict[str, Any]) -> float:
    """Return the largest distance from the reference; NaN counts as infinite."""
    return float((call["out"].double() - reference(call)).abs().nan_to_num(float("inf")).max().item())


def time_us(launch: Any) -> float:
    """Return the median time of a launch in microseconds, by replaying a captured graph."""
    for _ in range(3):
        launch()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        launch()
    times = []
    for _ in range(30):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1000)
    return float(sorted(times)[len(times) // 2])


def main() -> None:
    """Run every case in each way and write the answers."""
    stock_root, patched_root, device, output = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4])
    put_stubs(stock_root)
    file = "vllm/v1/attention/ops/triton_unified_attention.py"
    stock, edited = load("stock_launcher", stock_root / file), load("patched_launcher", patched_root / file)
    wrapped = make_launcher(stock.unified_attention, stock)

    def run_all(case: dict[str, Any]) -> dict[str, Any]:
        rows = case["max_seqlen_q"]
        ways: dict[str, Callable[[], Any]] = {
            "stock": lambda: stock.unified_attention(**case),
            "source": lambda: edited.unified_attention(**case, decode_query_len=rows),
            "entry-point": lambda: wrapped(**{**case, "seq_threshold_3D": VerifyThreshold(THRESHOLD, rows)}),
            "naive": lambda: stock.unified_attention(**{**case, "max_seqlen_q": 1}),
        }
        answer: dict[str, Any] = {}
        for way, launch in ways.items():
            for name in ("out", "softmax_segm_output", "softmax_segm_max", "softmax_segm_expsum"):
                case[name].fill_(float("nan"))
            launch()
            answer[way] = {"error": error(case), "in_3d": not bool(case["softmax_segm_max"].isnan().all())}
            answer[way]["sha256"] = hashlib.sha256(case["out"].float().cpu().numpy().tobytes()).hexdigest()
            if device == "cuda":
                answer[way]["us"] = time_us(launch)
        return answer

    if device == "cpu":
        plans = [((4, 2, 32), 1, [50, 17], False), ((6, 1, 64), 2, [33], False), ((4, 2, 32), 4, [50, 17], False)]
        plans += [((4, 2, 32), 2, [33], True), ((4, 2, 32), 4, [65], True)]
    else:
        shapes = [(16, 8, 256), (16, 8, 512), (32, 16, 256), (24, 4, 256), (32, 8, 128)]
        plans = [(shape, rows, [length], False) for shape in shapes for rows in (1, 2, 4) for length in (8192, 32768)]
        plans += [(shapes[-1], 2, [33], True), (shapes[-1], 4, [1000, 77], False)]
    answers = []
    for shape, rows, lengths, deep in plans:
        answers.append({"shape": shape, "rows": rows, "lengths": lengths, "deep": deep})
        answers[-1]["ways"] = run_all(make_case(shape, rows, lengths, device, deep=deep))
    output.write_text(json.dumps(answers, indent=1), "utf-8")


if __name__ == "__main__":
    main()
