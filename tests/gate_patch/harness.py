"""Runs vLLM's launcher with its kernels recorded: `python harness.py ROOT OUTPUT < cases.json`, in a process of its own.

Loads the entry points of ROOT as vLLM does, imports the backend, and drives builder, metadata, `forward` and launcher
for each case. OUTPUT gets one JSON object a case; what the patch prints goes to standard output. The repository is on PYTHONPATH.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from tests.gate_patch.stubs import BACKEND, LAUNCHER, CUDAGraphMode, FakeTensor, KVQuantMode, World, put_in_place

BLOCK_SIZE = 16


def main() -> None:
    root, output = Path(sys.argv[1]), Path(sys.argv[2])
    cases = json.loads(sys.stdin.read())
    world = World()
    put_in_place(root, world)
    sys.path.insert(0, str(root))
    importlib.import_module("vllm")
    plugins = [point.load() for point in importlib.metadata.entry_points(group="vllm.general_plugins") if point.name == "gate_patch"]
    for _ in range(2):  # vLLM says that a plugin may be loaded more than once
        for register in plugins:
            register()
    launcher, backend = importlib.import_module(LAUNCHER), importlib.import_module(BACKEND)
    answers = [run_case(case, world, launcher, backend) for case in cases]
    identity = check_objects(launcher, backend) if plugins else {}
    output.write_text(json.dumps({"cases": answers, **identity}), "utf-8")


def run_case(case: dict[str, Any], world: World, launcher: Any, backend: Any) -> dict[str, Any]:
    """Return the grid that one step is launched with, and the sizes that matter."""
    world.blackwell, world.sm120_units = case.get("blackwell", False), case.get("sm120_units", 0)
    launcher.is_batch_invariant = case.get("batch_invariant", False)
    builder = make_builder(case, backend)
    buffers = [builder.softmax_segm_output, builder.softmax_segm_max, builder.softmax_segm_expsum]
    metadata = make_metadata(case, builder)
    impl = backend.TritonAttentionImpl(
        num_heads=case["heads"],
        head_size=case["head_size"],
        scale=1.0,
        num_kv_heads=case["kv_heads"],
        alibi_slopes=None,
        sliding_window=case.get("window"),
        kv_cache_dtype="auto",
    )
    layer = SimpleNamespace(_q_scale=FakeTensor((1,)), _k_scale=FakeTensor((1,)), _v_scale=FakeTensor((1,)))
    query = FakeTensor((metadata.num_actual_tokens, case["heads"], case["head_size"]))
    world.events.clear()
    impl.forward(layer, query, query, query, make_cache(case, backend), metadata, query)
    names = [name for name, _ in world.events]
    grid, kernel = next(what for name, what in world.events if name == "kernel_unified_attention")
    scratch = [kernel[name] for name in ("segm_output_ptr", "segm_max_ptr", "segm_expsum_ptr")]
    return {
        "grid": list(grid),
        "is_3d": kernel["IS_3D"],
        "tokens": query.shape[0],
        "scratch_rows": min(buffer.shape[0] for buffer in scratch) if kernel["IS_3D"] else None,
        "buffers": [list(buffer.shape) for buffer in buffers],
        "threshold": int(builder.seq_threshold_3D),
        "events": names,
    }


def make_builder(case: dict[str, Any], backend: Any) -> Any:
    """Return vLLM's metadata builder for a model, a configuration and a number of speculative tokens."""
    model = SimpleNamespace(
        get_num_attention_heads=lambda _parallel: case["heads"],
        get_num_kv_heads=lambda _parallel: case["kv_heads"],
        get_head_size=lambda: case["head_size"],
        rswa_window=None,
    )
    sizes = case.get("capture_sizes")
    config = SimpleNamespace(
        model_config=model,
        parallel_config=None,
        scheduler_config=SimpleNamespace(max_num_seqs=case.get("max_num_seqs", 256)),
        compilation_config=SimpleNamespace(
            cudagraph_mode=CUDAGraphMode.FULL_AND_PIECEWISE if sizes else CUDAGraphMode.NONE, cudagraph_capture_sizes=sizes
        ),
        speculative_config=None
        if case.get("speculative") is None
        else SimpleNamespace(num_speculative_tokens=case["speculative"], parallel_drafting=False),
    )
    mode = KVQuantMode[case.get("kv_quant_mode", "NONE")]
    spec = SimpleNamespace(block_size=BLOCK_SIZE, kv_quant_mode=mode)
    return backend.TritonAttentionMetadataBuilder(spec, ["layer"], config, "device")


def make_metadata(case: dict[str, Any], builder: Any) -> Any:
    """Return what vLLM's builder makes of one step."""
    sequences = case["sequences"]
    tokens = case.get("tokens", sequences * case["rows"])
    common = SimpleNamespace(
        num_reqs=sequences,
        num_actual_tokens=tokens,
        max_query_len=case["rows"],
        max_seq_len=32768,
        query_start_loc=FakeTensor((sequences + 1,)),
        seq_lens=FakeTensor((sequences,)),
        block_table_tensor=FakeTensor((sequences, 2048)),
        slot_mapping=FakeTensor((tokens,)),
        causal=FakeTensor((sequences,)) if case.get("causal") == "per sequence" else case.get("causal", True),
        mm_req_doc_ranges=None,
        rswa_prefix_lens=None,
    )
    metadata = builder.build(0, common)
    if case.get("mm_prefix"):
        metadata.mm_prefix_range_tensor = FakeTensor((sequences, 1, 2))
    return metadata


def make_cache(case: dict[str, Any], backend: Any) -> FakeTensor:
    """Return a KV cache of the shape that this release uses: since 0.29.0 the backend no longer says it."""
    arguments = (8, BLOCK_SIZE, case["kv_heads"], case["head_size"])
    shape_of = vars(backend.TritonAttentionBackend).get("get_kv_cache_shape")
    if shape_of is None:
        return FakeTensor((8, case["kv_heads"], BLOCK_SIZE, 2 * case["head_size"]))
    return FakeTensor(shape_of(*arguments))


def check_objects(launcher: Any, backend: Any) -> dict[str, Any]:
    """Take the plugin off and put it on again; say whether the very objects came back."""
    plugin = importlib.import_module("vllm_gate_patch")
    builder = backend.TritonAttentionMetadataBuilder
    patched = (launcher.unified_attention, backend.unified_attention, builder.__init__)
    wrapped = getattr(launcher.unified_attention, "__wrapped__", None)
    plugin.unregister()
    stock = (launcher.unified_attention, backend.unified_attention, builder.__init__)
    plugin.unregister()
    return {
        "was_patched": wrapped is not None and patched[0] is patched[1],
        "restored": wrapped is None or (stock[0] is stock[1] is wrapped and stock[2] is not patched[2]),
        "finders_left": sum(type(finder).__module__.startswith("vllm_gate_patch") for finder in sys.meta_path),
    }


if __name__ == "__main__":
    main()
