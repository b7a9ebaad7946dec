"""Launch plans are numbers: none of this needs a device, torch or Triton."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scripts.attention.plan import FIXED_SEGMENTS, MAX_SEGMENTS, make_plan
from scripts.attention.shapes import Batch, Device, Policy, Shape

H200 = Device("NVIDIA H200", "cuda", "sm_90", 132, 232448, 233472, 32)
RADEON = Device("RX 7900 XT", "hip", "gfx1100", 42, 65536, 65536, 32)
EIGHT_B = Shape("8B", 32, 8, 128)
HYBRID = Shape("27B hybrid", 24, 4, 256)
WINDOW = Shape("sliding", 16, 8, 256, window=1024)


def one(rows: int, kv_len: int = 32768, block_size: int = 16) -> Batch:
    return Batch(rows, 1, rows, kv_len, block_size)


@pytest.mark.parametrize(
    ("policy", "rows", "speculative", "split"),
    [
        (Policy.STOCK, 1, 0, True),
        (Policy.STOCK, 2, 1, False),
        (Policy.STOCK, 4096, 0, False),
        (Policy.DECODE_QUERY_LEN, 1, 0, True),
        (Policy.DECODE_QUERY_LEN, 2, 0, False),
        (Policy.DECODE_QUERY_LEN, 2, 1, True),
        (Policy.DECODE_QUERY_LEN, 16, 15, True),
        (Policy.DECODE_QUERY_LEN, 17, 15, False),
        (Policy.VLLM_0_33, 8, 0, True),
        (Policy.VLLM_0_33, 9, 0, False),
        (Policy.OCCUPANCY, 1, 0, True),
        (Policy.OCCUPANCY, 8, 0, True),
        (Policy.OCCUPANCY, 4096, 0, False),
    ],
)
def test_gate(policy: Policy, rows: int, speculative: int, *, split: bool) -> None:
    plan = make_plan(H200, EIGHT_B, one(rows), policy, speculative)
    assert plan.split is split
    assert (plan.reduce_grid is not None) is split
    assert (plan.scratch_bytes > 0) is split


def test_released_gates_count_sequences() -> None:
    limit = 128 // EIGHT_B.kv_heads
    full = Batch(limit, limit, 1, 32768)
    assert make_plan(H200, EIGHT_B, full, Policy.STOCK).split
    assert not make_plan(H200, EIGHT_B, replace(full, query_tokens=limit + 1, sequences=limit + 1), Policy.STOCK).split
    # 0.33.0 counts blocks of queries: four rows of a group of six are two blocks of two.
    assert make_plan(H200, HYBRID, Batch(64, 16, 4, 4096), Policy.VLLM_0_33).split
    assert not make_plan(H200, HYBRID, Batch(68, 17, 4, 4096), Policy.VLLM_0_33).split


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 8, 16])
def test_scratch_has_a_row_for_every_query_token(rows: int) -> None:
    for policy in Policy:
        plan = make_plan(H200, HYBRID, one(rows), policy, speculative_tokens=rows - 1)
        assert plan.part_shape == (rows, 24, plan.segments, 256)
        assert plan.stat_shape == (rows, 24, plan.segments)
        if plan.split:
            assert plan.scratch_bytes == 4 * rows * 24 * plan.segments * (256 + 2)


def test_stock_grid_is_the_released_one() -> None:
    plan = make_plan(H200, EIGHT_B, one(1), Policy.STOCK)
    assert (plan.block_m, plan.block_q, plan.tuning.tile) == (16, 4, 16)
    assert plan.grid == (8, FIXED_SEGMENTS)
    two = make_plan(H200, EIGHT_B, one(2), Policy.STOCK)
    assert two.grid == (8, 1)
    assert two.tuning.tile == 32


def test_occupancy_fills_the_device_and_not_more() -> None:
    plan = make_plan(H200, EIGHT_B, one(1, 131072), Policy.OCCUPANCY)
    places = H200.compute_units * plan.tuning.residents
    assert plan.grid[0] * plan.grid[1] == places
    assert make_plan(RADEON, EIGHT_B, one(1, 131072), Policy.OCCUPANCY).grid == (8, 84 // 8)


def test_occupancy_reads_the_keys_of_a_verify_step_once() -> None:
    for shape in (EIGHT_B, HYBRID, WINDOW):
        for rows in (1, 2, 4, 8):
            assert make_plan(H200, shape, one(rows), Policy.OCCUPANCY).query_blocks == 1


@pytest.mark.parametrize("kv_len", [0, 1, 31, 32, 33, 100, 1024, 5000, 131072, 1 << 20])
def test_occupancy_makes_no_segment_of_next_to_nothing(kv_len: int) -> None:
    for shape in (EIGHT_B, HYBRID, WINDOW):
        plan = make_plan(H200, shape, one(1, kv_len), Policy.OCCUPANCY)
        assert 1 <= plan.segments <= MAX_SEGMENTS
        if plan.split:
            assert min(kv_len, shape.window or kv_len) > 32 * (plan.segments - 1)


def test_a_window_is_as_much_work_as_its_keys() -> None:
    near = make_plan(H200, WINDOW, one(1, 1024), Policy.OCCUPANCY)
    assert make_plan(H200, WINDOW, one(1, 131072), Policy.OCCUPANCY).segments == near.segments


def test_enough_sequences_need_no_split() -> None:
    assert not make_plan(H200, EIGHT_B, Batch(256, 256, 1, 8192), Policy.OCCUPANCY).split


@pytest.mark.parametrize("group", [1, 2, 3, 4, 6, 7, 8, 12, 16, 24, 32, 64])
@pytest.mark.parametrize("lengths", [(1,), (8,), (1, 1, 1), (0, 5, 0, 17), (4096, 1, 3)])
def test_every_row_has_a_block(group: int, lengths: tuple[int, ...]) -> None:
    shape = Shape("any", group * 2, 2, 128)
    for policy in Policy:
        plan = make_plan(H200, shape, Batch(sum(lengths), len(lengths), max(lengths), 4096), policy)
        starts = [sum(lengths[:index]) for index in range(len(lengths) + 1)]
        firsts = [(start + index * (plan.block_q - 1)) // plan.block_q for index, start in enumerate(starts)]
        for index, length in enumerate(lengths):
            assert firsts[index + 1] - firsts[index] >= -(-length // plan.block_q)
        assert firsts[-1] == plan.query_blocks
        assert plan.block_q * group <= plan.block_m


@pytest.mark.parametrize("batch", [Batch(-1, 1, 0, 0), Batch(1, -1, 1, 0), Batch(1, 1, 2, 8), Batch(1, 1, 1, 8, 0)])
def test_impossible_batches_are_refused(batch: Batch) -> None:
    with pytest.raises(ValueError, match=r"batch|longest query"):
        make_plan(H200, EIGHT_B, batch, Policy.STOCK)


def test_heads_must_divide() -> None:
    with pytest.raises(ValueError, match="24 and 5"):
        Shape("bad", 24, 5, 128)


def test_bytes_of_a_window() -> None:
    assert EIGHT_B.kv_bytes(32768) == 2 * 32768 * 8 * 128 * 2
    assert WINDOW.kv_bytes(32768, rows=3) == 2 * (1024 + 2) * 8 * 256 * 2
    assert WINDOW.kv_bytes(100) == 2 * 100 * 8 * 256 * 2
