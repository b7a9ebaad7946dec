"""The nouns of a launch: a device, the heads of a layer, a batch, a policy and the plan that comes out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


def ceil_div(number: int, by: int) -> int:
    """Return ``number / by``, rounded up."""
    return -(-number // by)


def next_power_of_two(number: int) -> int:
    """Return the smallest power of two that is at least ``number``; 1 for 0."""
    return 1 << max(number - 1, 0).bit_length()


@dataclass(frozen=True)
class Device:
    """What a launch plan needs to know of a device.

    Attributes:
        name: As the driver calls it.
        backend: ``cuda``, ``hip`` or ``cpu`` (the interpreter).
        arch: ``sm_90``, ``gfx1100``, ...
        compute_units: Streaming multiprocessors, or compute units, that run workgroups side by side.
        shared_bytes: Shared memory (LDS) that one workgroup may have, in bytes.
        shared_bytes_unit: Shared memory of one compute unit, in bytes.
        warp_size: Threads of a warp or wavefront.
    """

    name: str
    backend: str
    arch: str
    compute_units: int
    shared_bytes: int
    shared_bytes_unit: int
    warp_size: int


@dataclass(frozen=True)
class Shape:
    """The heads of one attention layer on one rank.

    Attributes:
        name: How a table calls it.
        query_heads: Query heads; a multiple of ``kv_heads``.
        kv_heads: KV heads.
        head_dim: Elements of a head.
        window: Keys a row sees at most; 0 for all.
        itemsize: Bytes of an element of queries, keys and values.
    """

    name: str
    query_heads: int
    kv_heads: int
    head_dim: int
    window: int = 0
    itemsize: int = 2

    def __post_init__(self) -> None:
        if self.kv_heads < 1 or self.query_heads % self.kv_heads:
            raise ValueError(f"query heads must be a multiple of KV heads, got {self.query_heads} and {self.kv_heads}")

    @property
    def group(self) -> int:
        """Query heads of one KV head."""
        return self.query_heads // self.kv_heads

    def kv_bytes(self, kv_len: int, rows: int = 1) -> int:
        """Return the bytes of keys and values that ``rows`` rows at the end of ``kv_len`` keys must read, each once."""
        seen = min(kv_len, self.window + rows - 1) if self.window else kv_len
        return 2 * seen * self.kv_heads * self.head_dim * self.itemsize


@dataclass(frozen=True)
class Batch:
    """How much work one launch has.

    Attributes:
        query_tokens: Query tokens of all sequences.
        sequences: Number of sequences.
        max_query_rows: Query tokens of the longest query.
        max_kv_len: Keys of the longest sequence.
        block_size: Keys of a page; any positive number.
    """

    query_tokens: int
    sequences: int
    max_query_rows: int
    max_kv_len: int
    block_size: int = 16


class Policy(StrEnum):
    """Who may take the split path, and in how many segments."""

    STOCK = "stock"
    DECODE_QUERY_LEN = "decode_query_len"
    VLLM_0_33 = "vllm_0_33"
    OCCUPANCY = "occupancy"


@dataclass(frozen=True)
class Tuning:
    """The sizes inside a workgroup, and how it rounds.

    Attributes:
        tile: Keys of one step, a power of two of at least 16.
        warps: Warps of a workgroup.
        stages: Steps of keys and values that are under way at once.
        residents: Workgroups that one compute unit is meant to hold.
        exact: Whether the weights of the values have twice the precision of the dtype. The rounding of the weights is half of the
            error of a bf16 kernel; where torch computes in float32 (heads over 256), its error is only to be met without it.
        chunk: Columns of one product of queries and keys; 0 for all of them. Fewer where registers do not hold the queries.
    """

    tile: int
    warps: int
    stages: int
    residents: int
    exact: bool = False
    chunk: int = 0


@dataclass(frozen=True)
class Plan:
    """Everything a launch needs, as numbers.

    Attributes:
        policy: The policy that made it.
        split: True for the 3D path (segments, then a reduction), False for the 2D path.
        reason: The rule that chose the path, for people.
        block_m: Rows of a block of queries, padding included.
        block_q: Query tokens of a block of queries.
        query_blocks: Blocks of queries, an upper bound that needs no length from the device.
        segments: Parts that the keys of a block are divided into; 1 when not ``split``.
        tuning: Tile, warps, stages and residents.
        grid: Workgroups of the attention kernel: (blocks of queries x KV heads, segments).
        reduce_grid: Workgroups of the reduction: (tokens, query heads, column chunks); None when not ``split``.
        reduce_dims: Columns of one workgroup of the reduction.
        reduce_warps: Warps of one workgroup of the reduction.
        part_shape: Float32 scratch for outputs, [tokens, query heads, segments, head_dim].
        stat_shape: Float32 scratch for maxima, and again for sums, [tokens, query heads, segments].
    """

    policy: Policy
    split: bool
    reason: str
    block_m: int
    block_q: int
    query_blocks: int
    segments: int
    tuning: Tuning
    grid: tuple[int, int]
    reduce_grid: tuple[int, int, int] | None
    reduce_dims: int
    reduce_warps: int
    part_shape: tuple[int, int, int, int]
    stat_shape: tuple[int, int, int]

    @property
    def scratch_bytes(self) -> int:
        """Bytes of float32 scratch: outputs, maxima and sums; 0 on the 2D path."""
        if not self.split:
            return 0
        tokens, heads, segments, dim = self.part_shape
        return 4 * tokens * heads * segments * (dim + 2)
