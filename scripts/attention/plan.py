"""Launch plans: a pure function of device facts, shape, batch and policy. No device, no torch."""

from __future__ import annotations

from dataclasses import replace

from scripts.attention.shapes import Batch, Device, Plan, Policy, Shape, Tuning, ceil_div, next_power_of_two

FIXED_SEGMENTS = 16
"""Segments of the released 3D path."""
MIN_BLOCK_M = 16
"""Rows of the smallest matrix instruction."""
MIN_WORKGROUPS_2D = 128
"""The released threshold: with this many workgroups without a split, none is made."""
MAX_ROWS_0_33 = 8
"""Query rows of a sequence that the gate of vLLM 0.33.0 admits."""
WIDE_BLOCK_M = 64
"""Rows of Hopper's matrix instruction."""
MIN_STAGES = 2
"""Stages with which loads and arithmetic overlap at all."""
MAX_BLOCK_M = 64
"""Rows of the largest block of queries: the accumulator must stay in registers."""
NARROW_DIM = 128
"""Columns of a head with which a step of 64 keys still leaves room for two workgroups a compute unit."""
REDUCE_DIMS = 32
"""Columns of a workgroup of the reduction, and its warps: many small ones hide the latency of a read that nothing overlaps."""
REDUCE_WARPS = 1
SHORT_SEGMENT = 96
"""Keys of a segment under which one workgroup a compute unit beats a full device: the reduction would cost more than it saves."""
MIN_SEGMENT = 32
"""Keys of a segment under which none is made."""
MAX_SEGMENTS = 128
"""Segments that one pass of the reduction holds in registers."""


def make_plan(device: Device, shape: Shape, batch: Batch, policy: Policy, speculative_tokens: int = 0) -> Plan:
    """Return the launch plan of ``policy``.

    Args:
        device: Facts of the device.
        shape: Heads of the layer.
        batch: Work of the launch.
        policy: Gate and sizes.
        speculative_tokens: Draft tokens of a verify step; read by ``decode_query_len`` only.

    Returns:
        The plan; the same arguments give the same plan.

    Raises:
        ValueError: When a count of the batch is negative or the longest query is longer than all of them.
    """
    _check(batch, speculative_tokens)
    if policy is Policy.OCCUPANCY:
        return _occupancy(device, shape, batch)
    block_m = max(MIN_BLOCK_M, next_power_of_two(shape.group))
    split, reason = _fixed_gate(shape, batch, policy, block_m // shape.group, speculative_tokens)
    # The sizes of the released kernel: 16 keys a step when split, else 32, and the compiler's own warps and stages.
    tuning = _registers(device, shape, block_m, Tuning(tile=16 if split else 32, warps=4, stages=3, residents=0))
    return assemble(shape, batch, policy, (split, reason), block_m, FIXED_SEGMENTS if split else 1, tuning)


def assemble(shape: Shape, batch: Batch, policy: Policy, decision: tuple[bool, str], block_m: int, segments: int, tuning: Tuning) -> Plan:
    """Return the plan that the decisions amount to: grids and scratch."""
    split, reason = decision
    block_q = block_m // shape.group
    # Each sequence may waste up to block_q - 1 rows of its last block.
    query_blocks = (batch.query_tokens + batch.sequences * (block_q - 1)) // block_q
    return Plan(
        policy=policy,
        split=split,
        reason=reason,
        block_m=block_m,
        block_q=block_q,
        query_blocks=query_blocks,
        segments=segments,
        tuning=tuning,
        grid=(query_blocks * shape.kv_heads, segments),
        reduce_grid=(batch.query_tokens, shape.query_heads, ceil_div(shape.head_dim, REDUCE_DIMS)) if split else None,
        reduce_dims=REDUCE_DIMS,
        reduce_warps=REDUCE_WARPS,
        part_shape=(batch.query_tokens, shape.query_heads, segments, shape.head_dim),
        stat_shape=(batch.query_tokens, shape.query_heads, segments),
    )


def shared_bytes(shape: Shape, block_m: int, tuning: Tuning) -> int:
    """Return an estimate of the shared memory of a workgroup, in bytes: keys and values under way, queries, weights."""
    padded_dim = next_power_of_two(shape.head_dim)
    # Measured on compiled kernels: the old matrix instruction frees a buffer before the next load, Hopper's (64 rows) does not.
    buffers = max(tuning.stages - (0 if block_m >= WIDE_BLOCK_M else 1), 1)
    step = 2 * tuning.tile * padded_dim * shape.itemsize
    return buffers * step + block_m * (padded_dim + tuning.tile) * shape.itemsize


def fit(device: Device, shape: Shape, block_m: int, tuning: Tuning) -> Tuning:
    """Return ``tuning`` with stages, then tile, reduced until a workgroup has the shared memory it needs."""
    while shared_bytes(shape, block_m, tuning) > device.shared_bytes:
        if tuning.stages > MIN_STAGES:
            tuning = replace(tuning, stages=tuning.stages - 1)
        elif tuning.tile > MIN_BLOCK_M:
            tuning = replace(tuning, tile=tuning.tile // 2)
        elif tuning.stages > 1:
            tuning = replace(tuning, stages=1)
        else:
            break
    return tuning


def _check(batch: Batch, speculative_tokens: int) -> None:
    if min(batch.query_tokens, batch.sequences, batch.max_query_rows, batch.max_kv_len, speculative_tokens) < 0 or batch.block_size < 1:
        raise ValueError(f"a batch has no negative counts and pages of at least one key, got {batch}")
    if batch.max_query_rows > batch.query_tokens:
        raise ValueError(f"the longest query ({batch.max_query_rows}) exceeds all queries together ({batch.query_tokens})")


def _fixed_gate(shape: Shape, batch: Batch, policy: Policy, block_q: int, speculative_tokens: int) -> tuple[bool, str]:
    """Return whether a released gate splits, and the rule that said so."""
    limit = MIN_WORKGROUPS_2D // shape.kv_heads
    rows, blocks = batch.max_query_rows, batch.sequences
    most = 1
    if policy is Policy.DECODE_QUERY_LEN:
        most = 1 + speculative_tokens
    elif policy is Policy.VLLM_0_33:
        most = MAX_ROWS_0_33
        blocks *= ceil_div(rows, block_q)
    if rows > most:
        return False, f"{rows} query rows, at most {most} may split"
    if blocks > limit:
        return False, f"{blocks} blocks of queries, at most {limit} may split"
    return True, f"{rows} query rows of at most {most}"


def occupancy_block(device: Device, shape: Shape, batch: Batch) -> int:
    """Return the rows of a block of queries that reads the keys of a verify step once, as far as the registers go."""
    wanted = next_power_of_two(max(batch.max_query_rows, 1) * shape.group)
    most = MAX_BLOCK_M
    if device.backend == "cuda" and device.arch != "sm_90" and next_power_of_two(shape.head_dim) > 2 * NARROW_DIM:
        most //= 2  # the accumulator of the older matrix instruction would spill
    return max(MIN_BLOCK_M, next_power_of_two(shape.group), min(wanted, most))


def _occupancy(device: Device, shape: Shape, batch: Batch) -> Plan:
    """Return a plan whose workgroups fill the compute units of the device."""
    block_m = occupancy_block(device, shape, batch)
    block_q = block_m // shape.group
    work = max(shape.kv_heads * ((batch.query_tokens + batch.sequences * (block_q - 1)) // block_q), 1)
    tuning = occupancy_tuning(device, shape, block_m, work)
    keys = batch.max_kv_len
    if shape.window:
        keys = min(keys, shape.window + min(block_q, batch.max_query_rows) - 1)
    room = device.compute_units * tuning.residents
    segments = count_segments(device, tuning, work, keys)
    reason = f"{work} workgroups, {room} places, {keys} keys: {segments} segments"
    return assemble(shape, batch, Policy.OCCUPANCY, (segments > 1, reason), block_m, segments, tuning)


def count_segments(device: Device, tuning: Tuning, work: int, keys: int) -> int:
    """Return how many segments make ``work`` workgroups fill the device, fewer where the keys are few; at least one.

    With few keys the reduction costs more than a fuller device saves: one workgroup a compute unit is enough then, and a segment is
    whole tiles, so that none does a step for a remainder.
    """
    segments = min(device.compute_units * tuning.residents // work, MAX_SEGMENTS)
    if keys < segments * SHORT_SEGMENT:
        least = max(tuning.tile, MIN_SEGMENT)
        share = keys // max(device.compute_units // work, 1) // least * least
        segments = min(segments, ceil_div(keys, max(share, least)))
    return max(segments, 1)


def occupancy_tuning(device: Device, shape: Shape, block_m: int, work: int) -> Tuning:
    """Return tile, warps, stages and residents for a device, heads, a block of queries and ``work`` workgroups without a split."""
    padded_dim = next_power_of_two(shape.head_dim)
    if device.arch == "sm_90":
        return fit(device, shape, block_m, _hopper(padded_dim, block_m, crowded=2 * device.compute_units // work > MAX_SEGMENTS))
    tile = 64 if padded_dim <= NARROW_DIM else 32
    warps = 8 if block_m * padded_dim > 64 * NARROW_DIM else 4
    return _registers(device, shape, block_m, Tuning(tile=tile, warps=warps, stages=3, residents=2))


def _registers(device: Device, shape: Shape, block_m: int, tuning: Tuning) -> Tuning:
    """Return ``tuning`` with what keeps the registers of a device from spilling; found with the compiler, not measured."""
    if device.backend == "hip":
        wide = block_m * next_power_of_two(shape.head_dim) > 32 * 256
        tuning = replace(tuning, stages=2)
        if device.arch.startswith(("gfx10", "gfx11", "gfx12")):
            # A wavefront of 32 holds every operand of the matrix instruction whole, on gfx11 twice.
            tuning = replace(tuning, tile=min(tuning.tile, 16 if wide else 32), warps=8 if wide else 4, stages=1, chunk=32 if wide else 64)
        elif wide:
            tuning = replace(tuning, tile=16, warps=8, stages=1, chunk=64)
    elif device.arch != "sm_90" and next_power_of_two(shape.head_dim) > 2 * NARROW_DIM:
        # The queries, read again in each step, are under way like keys: with more rows they leave room for one step only.
        many = block_m > MIN_BLOCK_M
        tuning = replace(tuning, tile=MIN_BLOCK_M, warps=8 if many else tuning.warps, stages=2 if many else tuning.stages, chunk=NARROW_DIM)
    return fit(device, shape, block_m, tuning)


def _hopper(padded_dim: int, block_m: int, *, crowded: bool) -> Tuning:
    """Return the sizes that were fastest on an H200, measured at 1K to 128K keys and 1 to 8 rows.

    ``crowded``: two workgroups a compute unit would need more segments than the reduction holds.
    """
    if padded_dim <= NARROW_DIM:
        return Tuning(tile=64, warps=4, stages=3, residents=2)
    if padded_dim <= 2 * NARROW_DIM:
        return Tuning(tile=32, warps=4, stages=3, residents=2) if block_m < WIDE_BLOCK_M else Tuning(tile=32, warps=4, stages=4, residents=1)
    if block_m <= MIN_BLOCK_M:
        # Few queries leave the matrix unit idle: exact weights cost at most a twentieth.
        tile, residents = (32, 1) if crowded else (16, 2)
        return Tuning(tile=tile, warps=4, stages=3, residents=residents, exact=True)
    return Tuning(tile=32, warps=8, stages=4 if block_m < WIDE_BLOCK_M else 2, residents=1)
