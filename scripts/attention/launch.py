"""The launcher: checks what it is given, then launches a plan. Importing it touches no device."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from scripts.attention.kernel import attention_kernel, reduce_kernel
from scripts.attention.shapes import Plan, Shape, next_power_of_two

if TYPE_CHECKING:
    from collections.abc import Sequence

DTYPES = (torch.bfloat16, torch.float16, torch.float32)


@dataclass(frozen=True)
class Scratch:
    """Where the segments leave their parts, all float32.

    Attributes:
        part: Weighted values, [tokens, query heads, segments, head_dim].
        top: Maxima of the scores in base 2, [tokens, query heads, segments].
        total: Sums of the weights, [tokens, query heads, segments].
    """

    part: torch.Tensor
    top: torch.Tensor
    total: torch.Tensor


@dataclass(frozen=True)
class Inputs:
    """What attention reads.

    Attributes:
        q: Queries, [tokens, query heads, head_dim]; tokens and heads may be strided.
        k: Keys, [pages, block size, KV heads, head_dim]; all but the last dimension may be strided.
        v: Values, like ``k``.
        table: Page of each block of a sequence, [sequences, blocks], int32.
        starts: First query token of each sequence and the end of the last, [sequences + 1], int32.
        lens: Keys of each sequence, its own query rows included, [sequences], int32.
        scale: Factor on the scores.
    """

    q: torch.Tensor
    k: torch.Tensor
    v: torch.Tensor
    table: torch.Tensor
    starts: torch.Tensor
    lens: torch.Tensor
    scale: float


def make_scratch(plan: Plan, device: torch.device | str) -> Scratch | None:
    """Return scratch of the size that ``plan`` asks for, or None when it needs none."""
    if not plan.split:
        return None
    return Scratch(
        torch.empty(plan.part_shape, dtype=torch.float32, device=device),
        torch.empty(plan.stat_shape, dtype=torch.float32, device=device),
        torch.empty(plan.stat_shape, dtype=torch.float32, device=device),
    )


def attention(inputs: Inputs, out: torch.Tensor, plan: Plan, shape: Shape, scratch: Scratch | None = None) -> None:
    """Write causal paged attention to ``out`` as ``plan`` says.

    Args:
        inputs: Queries, cache and lengths.
        out: Result, [tokens, query heads, head_dim], dtype of the queries; tokens and heads may be strided. Tokens at or after
            ``starts[-1]`` are left alone.
        plan: From `scripts.attention.plan.make_plan`, for at least this many query tokens.
        shape: Heads and window.
        scratch: From `make_scratch` of this or a larger plan with the same segments; needed when ``plan.split``.

    Raises:
        ValueError: When a shape, dtype or stride is not as said above, or scratch is missing or too small for the query tokens.
    """
    _check_inputs(inputs, out, shape)
    tokens, heads, dim = inputs.q.shape
    if tokens > plan.part_shape[0]:
        raise ValueError(f"the plan is for {plan.part_shape[0]} query tokens, q has shape {list(inputs.q.shape)}")
    split = plan.split
    if split:
        scratch = _check_scratch(scratch, (tokens, heads, plan.segments, dim))
    if tokens == 0 or inputs.lens.shape[0] == 0:
        return
    part, top, total = (scratch.part, scratch.top, scratch.total) if split and scratch else (None, None, None)
    q, k, v, table = inputs.q, inputs.k, inputs.v, inputs.table
    early = q.is_cuda and torch.version.hip is None and torch.cuda.get_device_capability(q.device) >= (9, 0)
    options = {"launch_pdl": True} if early else {}
    attention_kernel[plan.grid](
        q, k, v, out, part, top, total, table, inputs.starts, inputs.lens, inputs.lens.shape[0], inputs.scale * math.log2(math.e),
        q.stride(0), q.stride(1), k.stride(0), k.stride(1), k.stride(2), v.stride(0), v.stride(1), v.stride(2),
        out.stride(0), out.stride(1), table.stride(0),
        KV_HEADS=shape.kv_heads, GROUP=shape.group, HEAD_DIM=dim, PADDED_DIM=next_power_of_two(dim), BLOCK_SIZE=k.shape[1],
        PACKED=k.stride() == v.stride() and k.stride(0) == k.shape[1] * k.stride(1), WINDOW=shape.window, BLOCK_M=plan.block_m,
        BLOCK_Q=plan.block_q, TILE=plan.tuning.tile, CHUNK=plan.tuning.chunk or next_power_of_two(dim), EXACT=plan.tuning.exact,
        SEGMENTS=plan.segments, SPLIT=split, PDL=early, num_warps=plan.tuning.warps, num_stages=plan.tuning.stages, **options,
    )  # fmt: skip
    if plan.reduce_grid is not None:
        # The plan may be for more tokens than there are.
        reduce_kernel[(tokens, *plan.reduce_grid[1:])](
            out, part, top, total, inputs.starts, inputs.lens.shape[0], out.stride(0), out.stride(1),
            QUERY_HEADS=heads, HEAD_DIM=dim, DIMS=plan.reduce_dims, SEGMENTS=plan.segments,
            PADDED_SEGMENTS=next_power_of_two(plan.segments), PDL=early, num_warps=plan.reduce_warps, **options,
        )  # fmt: skip


def _check_inputs(inputs: Inputs, out: torch.Tensor, shape: Shape) -> None:
    tokens = inputs.q.shape[0]
    sequences = inputs.lens.shape[0] if inputs.lens.dim() else 0
    pages, block_size = inputs.k.shape[:2]
    _check_shape("q", inputs.q, (tokens, shape.query_heads, shape.head_dim))
    _check_shape("k", inputs.k, (pages, block_size, shape.kv_heads, shape.head_dim))
    _check_shape("v", inputs.v, (pages, block_size, shape.kv_heads, shape.head_dim))
    _check_shape("out", out, (tokens, shape.query_heads, shape.head_dim))
    _check_shape("lens", inputs.lens, (sequences,))
    _check_shape("starts", inputs.starts, (sequences + 1,))
    _check_shape("table", inputs.table, (sequences, inputs.table.shape[-1]))
    if not inputs.scale > 0:
        raise ValueError(f"scale must be positive, got {inputs.scale}")
    if inputs.q.dtype not in DTYPES or any(tensor.dtype != inputs.q.dtype for tensor in (inputs.k, inputs.v, out)):
        found = [str(tensor.dtype) for tensor in (inputs.q, inputs.k, inputs.v, out)]
        raise ValueError(f"q, k, v and out must have one dtype of {[str(dtype) for dtype in DTYPES]}, got {found}")
    for name, tensor in (("table", inputs.table), ("starts", inputs.starts), ("lens", inputs.lens)):
        if tensor.dtype != torch.int32:
            raise ValueError(f"{name} must be torch.int32, got {tensor.dtype}")
    for name, tensor in (("q", inputs.q), ("k", inputs.k), ("v", inputs.v), ("out", out), ("table", inputs.table)):
        if tensor.numel() and tensor.stride(-1) != 1:
            raise ValueError(f"the last dimension of {name} must be contiguous, got strides {list(tensor.stride())}")


def _check_shape(name: str, tensor: torch.Tensor, expected: Sequence[int]) -> None:
    if tuple(tensor.shape) != tuple(expected):
        raise ValueError(f"{name} must have shape {list(expected)}, got {list(tensor.shape)}")


def _check_scratch(scratch: Scratch | None, needed: tuple[int, int, int, int]) -> Scratch:
    """Return ``scratch`` when each of its tensors holds ``needed``, which is sized per query token."""
    if scratch is None:
        raise ValueError(f"the split path needs scratch of shape {list(needed)}, got none")
    for name, tensor, shape in (("part", scratch.part, needed), ("top", scratch.top, needed[:3]), ("total", scratch.total, needed[:3])):
        if tensor.dim() != len(shape) or tensor.shape[0] < shape[0] or tuple(tensor.shape[1:]) != shape[1:]:
            raise ValueError(f"scratch {name} must have shape {list(shape)} or more tokens, got {list(tensor.shape)}")
        if tensor.dtype != torch.float32 or not tensor.is_contiguous():
            raise ValueError(f"scratch {name} must be contiguous torch.float32, got {tensor.dtype}, strides {list(tensor.stride())}")
    return scratch
