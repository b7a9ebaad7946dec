"""Inputs with a known answer, and the rules by which an answer is right."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from scripts.attention.launch import Inputs, attention, make_scratch
from scripts.attention.plan import assemble, fit, make_plan
from scripts.attention.reference import paged_attention
from scripts.attention.shapes import Batch, Device, Plan, Policy, Shape, Tuning

TOLERANCE = {
    # Relative error in the Euclidean norm. A bf16 result keeps 8 bits, so rounding alone costs 2**-9 / sqrt(3) = 1.1e-3 and the
    # weights, rounded before they meet the values, as much again at most.
    torch.bfloat16: 4e-3,
    # fp16 keeps 11 bits: an eighth of that.
    torch.float16: 5e-4,
    # float32 sums of up to thousands of terms, in an order of our own.
    torch.float32: 1e-5,
}

SHAPES = (
    Shape("31B-tp2 global", 16, 8, 512),
    Shape("31B-tp2 sliding", 16, 8, 256, window=1024),
    Shape("31B-tp2 global 2kv", 16, 2, 512),
    Shape("31B-tp2 d256", 16, 8, 256),
    Shape("31B-tp1", 32, 16, 256),
    Shape("27B hybrid", 24, 4, 256),
    Shape("8B", 32, 8, 128),
)
"""The layers that are measured, per rank. ``31B-tp2 d256`` is the sliding layer read to its full length.
``31B-tp2 global 2kv`` has the KV heads that the model's configuration gives its global layers, 4 over two ranks."""


@dataclass(frozen=True)
class Case:
    """One set of inputs.

    Attributes:
        name: How a test or table calls it.
        shape: Heads and window.
        sequences: (query rows, keys) of each sequence.
        block_size: Keys of a page.
        strided: Whether queries, cache and output are slices of larger tensors.
        seed: Of the random numbers.
    """

    name: str
    shape: Shape
    sequences: tuple[tuple[int, int], ...]
    block_size: int = 16
    strided: bool = False
    seed: int = 0

    @property
    def batch(self) -> Batch:
        """What the case amounts to as work."""
        return Batch(
            query_tokens=sum(rows for rows, _ in self.sequences),
            sequences=len(self.sequences),
            max_query_rows=max((rows for rows, _ in self.sequences), default=0),
            max_kv_len=max((keys for _, keys in self.sequences), default=0),
            block_size=self.block_size,
        )


def build(case: Case, dtype: torch.dtype, device: torch.device | str) -> Inputs:
    """Return random inputs, the same for the same case and device.

    Pages lie in random order. Every slot that no key fills, and page 0, which no sequence owns, hold NaN: whoever reads them
    shows it.
    """
    shape = case.shape
    generator = torch.Generator(device=device).manual_seed(case.seed)
    tokens = case.batch.query_tokens
    counts = [-(-keys // case.block_size) for _, keys in case.sequences]
    order = torch.randperm(sum(counts), generator=generator, device=device).to(torch.int32) + 1
    table = torch.zeros(len(counts), max([*counts, 1]), dtype=torch.int32, device=device)
    extra = 1 if case.strided else 0
    q = _normal((tokens, shape.query_heads + extra, shape.head_dim), dtype, generator)
    caches = []
    for _ in "kv":
        cache = _normal((sum(counts) + 1, case.block_size + extra, shape.kv_heads + extra, shape.head_dim), dtype, generator)
        cache[0] = float("nan")
        caches.append(cache)
    begin = 0
    for sequence, (count, (_, keys)) in enumerate(zip(counts, case.sequences, strict=True)):
        pages = order[begin : begin + count]
        begin += count
        table[sequence, :count] = pages
        filled = keys % case.block_size
        if filled:
            for cache in caches:
                cache[pages[-1].long(), filled:] = float("nan")
    lens = torch.tensor([keys for _, keys in case.sequences], dtype=torch.int32, device=device)
    rows = torch.tensor([0, *(rows for rows, _ in case.sequences)], device=device)
    k, v = (cache[:, : case.block_size, : shape.kv_heads] for cache in caches)
    return Inputs(q[:, : shape.query_heads], k, v, table, rows.cumsum(0).to(torch.int32), lens, shape.head_dim**-0.5)


def _normal(size: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    return torch.randn(size, generator=generator, device=generator.device, dtype=torch.float32).to(dtype)


def poisoned_output(case: Case, inputs: Inputs) -> torch.Tensor:
    """Return an output tensor full of NaN, strided when the case is."""
    tokens, heads, dim = inputs.q.shape
    extra = 1 if case.strided else 0
    return torch.full((tokens, heads + extra, dim), float("nan"), dtype=inputs.q.dtype, device=inputs.q.device)[:, :heads]


def run(case: Case, inputs: Inputs, plan: Plan) -> torch.Tensor:
    """Return the kernel's answer; output and scratch hold NaN before the launch."""
    out = poisoned_output(case, inputs)
    scratch = make_scratch(plan, inputs.q.device)
    if scratch is not None:
        for tensor in (scratch.part, scratch.top, scratch.total):
            tensor.fill_(float("nan"))
    attention(inputs, out, plan, case.shape, scratch)
    return out


def reference(case: Case, inputs: Inputs, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    """Return the right answer in ``dtype``."""
    return paged_attention(
        inputs.q, inputs.k, inputs.v, inputs.table, inputs.starts, inputs.lens, scale=inputs.scale, window=case.shape.window, dtype=dtype
    )


def both_paths(device: Device, case: Case, segments: int = 5) -> tuple[Plan, Plan]:
    """Return a 2D and a 3D plan of one tile, whatever a policy would choose, so that each path can be tested on each case."""
    block_m = max(16, 1 << (case.shape.group - 1).bit_length())
    tuning = fit(device, case.shape, block_m, Tuning(tile=32, warps=4, stages=2, residents=1))
    plans = []
    for split in (False, True):
        decision = (split, "asked for")
        plans.append(assemble(case.shape, case.batch, Policy.OCCUPANCY, decision, block_m, segments if split else 1, tuning))
    return plans[0], plans[1]


def every_plan(device: Device, case: Case) -> dict[str, Plan]:
    """Return the plans a case is tested with: both paths, and each policy."""
    two, three = both_paths(device, case)
    plans = {"2D": two, "3D": three}
    for policy in Policy:
        if device.backend != "cpu" or policy is Policy.OCCUPANCY:  # the interpreter is slow, and a policy changes numbers only
            plans[str(policy)] = make_plan(device, case.shape, case.batch, policy, max(case.batch.max_query_rows - 1, 0))
    # Policies often agree; one launch then speaks for all of them.
    different: dict[Plan, str] = {}
    for name, plan in plans.items():
        different.setdefault(replace(plan, policy=Policy.STOCK, reason=""), name)
    return {name: plans[name] for name in different.values()}


def relative_error(answer: torch.Tensor, right: torch.Tensor) -> float:
    """Return ``|answer - right| / |right|`` in the Euclidean norm; NaN when the answer holds one, 0 for two empty tensors."""
    difference = torch.linalg.vector_norm(answer.to(right.dtype) - right)
    size = torch.linalg.vector_norm(right)
    return float(difference / size) if float(size) else float(difference)


def ulps_apart(one: torch.Tensor, other: torch.Tensor) -> float:
    """Return the largest difference of two bf16 answers, in units in the last place of the head vector's largest element.

    An element near zero is a sum of large terms that cancel; its own last place says nothing about either answer.
    """
    if not one.numel():
        return 0.0
    one, other = one.double(), other.double()
    size = torch.maximum(one.abs(), other.abs()).amax(-1, keepdim=True)
    _, exponent = torch.frexp(size)
    return float(((one - other).abs() / torch.ldexp(torch.ones_like(size), exponent - 8)).max())


def fixed_cases() -> tuple[Case, ...]:
    """Return the 18 cases with fixed inputs: 1, 2, 4 rows x 1K, 8K, 32K keys x the global and the sliding layer."""
    return tuple(
        Case(f"{shape.name} {keys} keys {rows} rows", shape, ((rows, keys),), seed=7)
        for shape in SHAPES[:2]
        for keys in (1024, 8192, 32768)
        for rows in (1, 2, 4)
    )


def edge_cases(*, small: bool = False) -> tuple[Case, ...]:
    """Return cases that a kernel gets wrong first; ``small`` keeps them fit for the interpreter."""
    one = Shape("group 1", 2, 2, 64)
    four = Shape("group 4", 8, 2, 64)
    six = Shape("group 6", 6, 1, 64)
    window = Shape("window 40", 4, 2, 64, window=40)
    odd = Shape("head 80", 2, 1, 80)
    cases = [
        Case("one token, one key", one, ((1, 1),)),
        Case("length does not divide the tile", four, ((1, 77),)),
        Case("verify step", six, ((4, 131),)),
        Case("prefill", four, ((9, 9),)),
        Case("mixed batch", four, ((1, 40), (6, 6), (3, 35), (0, 0), (2, 2))),
        Case("empty sequence", one, ((0, 0), (2, 33), (0, 12))),
        Case("no sequence", one, ()),
        Case("more rows than keys", one, ((5, 3),)),
        Case("window", window, ((3, 90), (9, 20), (1, 12))),
        Case("head of 80", odd, ((2, 45),)),
        Case("pages of 784", six, ((2, 801), (1, 5)), block_size=784),
        Case("pages of 1072", odd, ((1, 1080),), block_size=1072),
        Case("strided", four, ((2, 70), (1, 31)), strided=True),
    ]
    if not small:
        cases += [
            Case(f"{shape.name} mixed", shape, ((1, 1500), (300, 300), (4, 4097), (9, 2000), (0, 0), (1, 1)), block_size=size, strided=strided)
            for shape in SHAPES
            for size, strided in ((16, False), (784, True), (1072, False))
        ]
        cases += [
            Case("group 32, head 128", Shape("group 32", 32, 1, 128), ((3, 5000), (1, 100))),
            Case("group 3, head 192", Shape("group 3", 6, 2, 192), ((8, 3000), (17, 40))),
            Case("group 7, head 64", Shape("group 7", 28, 4, 64, window=128), ((2, 3000), (200, 260))),
        ]
    return tuple(cases)
