"""The peers of the sweep: torch's own attention, and vLLM's kernel out of an unpacked wheel."""

from __future__ import annotations

import importlib.util
import sys
import types
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import triton
import triton.language as tl

from scripts.attention.plan import FIXED_SEGMENTS, MIN_WORKGROUPS_2D
from scripts.attention.shapes import next_power_of_two

if TYPE_CHECKING:
    from collections.abc import Callable

    from scripts.attention.launch import Inputs
    from scripts.attention.shapes import Shape

OPS = "vllm.v1.attention.ops"
SOURCES = ("triton_attention_helpers", "triton_unified_attention")


@dataclass(frozen=True)
class Release:
    """One release of vLLM's launcher.

    Attributes:
        version: As given on the command line.
        launcher: Its ``unified_attention``.
    """

    version: str
    launcher: Callable[..., None]


class _Unused:
    """Stands for an object that the launcher names and plain bf16 attention never asks anything of."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_args, **_kwargs: None


class _Modes:
    """Quantization modes: 0 for none, a number of its own for each other name that is asked for."""

    def __init__(self) -> None:
        self._numbers = {"NONE": 0}

    def __getattr__(self, name: str) -> int:
        return self._numbers.setdefault(name, len(self._numbers))


class _Platform(_Unused):
    """What the launcher asks of a platform: the fp8 type, and whether this is a Blackwell part."""

    @staticmethod
    def fp8_dtype() -> torch.dtype:
        return torch.float8_e4m3fn

    @staticmethod
    def is_device_capability_family(_family: int) -> bool:
        return False


def load_release(version: str, root: Path) -> Release:
    """Return the launcher in an unpacked wheel, loaded from its file beside stand-ins for the rest of the package.

    The stand-ins live in ``sys.modules`` while the files load and are gone afterwards, so that several releases load side by side.

    Args:
        version: Name of the release in the results.
        root: Folder that holds ``vllm/v1/attention/ops``.

    Raises:
        FileNotFoundError: When the folder holds no such file.
        RuntimeError: When a ``vllm`` is imported already.
    """
    if "vllm" in sys.modules:
        raise RuntimeError("a vllm is imported in this process already; its modules would mix with those of the wheel")
    folder = root / Path(*OPS.split("."))
    for name in SOURCES:
        if not (folder / f"{name}.py").is_file():
            raise FileNotFoundError(f"vLLM {version}: no {folder / name}.py; give the folder that the wheel was unpacked to")
    before = set(sys.modules)
    try:
        _install_stand_ins()
        modules = [_load(f"{OPS}.{name}", folder / f"{name}.py") for name in SOURCES]
    finally:
        for name in set(sys.modules) - before:
            if name == "vllm" or name.startswith("vllm."):
                del sys.modules[name]
    return Release(version, modules[-1].unified_attention)


def _install_stand_ins() -> None:
    parts: dict[str, dict[str, Any]] = {
        "vllm": {},
        "vllm.envs": {"VLLM_BATCH_INVARIANT": False},
        "vllm.logger": {"init_logger": lambda _name: _Unused()},
        "vllm.platforms": {"current_platform": _Platform()},
        "vllm.triton_utils": {"tl": tl, "triton": triton},
        "vllm.v1": {},
        "vllm.v1.attention": {},
        OPS: {},
        "vllm.v1.kv_cache_interface": {"KVQuantMode": _Modes()},
    }
    for name, members in parts.items():
        module = types.ModuleType(name)
        module.__dict__.update(members, __path__=[])
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)


def _load(name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def vllm_call(release: Release, inputs: Inputs, out: torch.Tensor, shape: Shape, *, split: bool) -> Callable[[], object]:
    """Return a call of vLLM's launcher that takes the path asked for.

    The 3D path of releases before 0.33.0 is reached by naming one query row: the launcher reads that number in its gate only, the
    kernel takes the real rows from the sequence starts. Scratch is made per query token, as the kernel indexes it.
    """
    tokens, heads, dim = inputs.q.shape
    rows = tokens if not split or release.version >= "0.33" else 1
    scratch: dict[str, Any] = {}
    if split:
        sizes = (tokens, heads, FIXED_SEGMENTS)
        scratch = {
            "seq_threshold_3D": MIN_WORKGROUPS_2D // shape.kv_heads,
            "num_par_softmax_segments": FIXED_SEGMENTS,
            "softmax_segm_output": torch.empty((*sizes, next_power_of_two(dim)), dtype=torch.float32, device=out.device),
            "softmax_segm_max": torch.empty(sizes, dtype=torch.float32, device=out.device),
            "softmax_segm_expsum": torch.empty(sizes, dtype=torch.float32, device=out.device),
        }
    kv_len = inputs.table.shape[1] * inputs.k.shape[1]
    return lambda: release.launcher(
        q=inputs.q, k=inputs.k, v=inputs.v, out=out, cu_seqlens_q=inputs.starts, max_seqlen_q=rows, seqused_k=inputs.lens,
        max_seqlen_k=kv_len, softmax_scale=inputs.scale, causal=True, window_size=(shape.window - 1, 0) if shape.window else (-1, -1),
        block_table=inputs.table, softcap=0, q_descale=None, k_descale=None, v_descale=None, **scratch,
    )  # fmt: skip


def sdpa_call(inputs: Inputs, k: torch.Tensor, v: torch.Tensor, out: list[torch.Tensor]) -> Callable[[], object]:
    """Return a call of torch's attention for one query row over contiguous keys and values, [KV heads, keys, head_dim].

    One row needs no mask, and torch has no paged cache; this is its best case. The answer replaces ``out[0]``.
    """
    query = inputs.q.transpose(0, 1)[None]  # [1, query heads, 1, head_dim]

    def call() -> None:
        out[0] = torch.nn.functional.scaled_dot_product_attention(query, k[None], v[None], scale=inputs.scale, enable_gqa=True)

    return call
