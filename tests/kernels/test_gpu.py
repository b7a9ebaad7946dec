"""The kernels on a GPU, CUDA or ROCm: `pytest -m gpu tests/kernels`."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the kernels need torch: install the extra 'kernels'")
pytest.importorskip("triton", reason="the kernels need Triton: install the extra 'kernels'")

from scripts.attention.cases import SHAPES, TOLERANCE, Case, build, edge_cases, fixed_cases, reference, relative_error, run  # noqa: E402
from scripts.attention.check import check_case, check_fixed  # noqa: E402
from scripts.attention.device import device_facts  # noqa: E402
from scripts.attention.plan import make_plan  # noqa: E402
from scripts.attention.shapes import Policy, Shape  # noqa: E402

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no GPU that torch can use (CUDA, or ROCm's build of torch)"),
]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=["bf16", "fp16"])
@pytest.mark.parametrize("case", edge_cases(), ids=lambda case: case.name)
def test_edge_case(case: Case, dtype: Any) -> None:
    results = list(check_case(device_facts("cuda"), case, dtype, "cuda"))
    assert not [line for line in results if not line["ok"]]


@pytest.mark.parametrize("case", fixed_cases(), ids=lambda case: case.name)
def test_fixed_case(case: Case) -> None:
    result = check_fixed(device_facts("cuda"), case, "cuda")
    assert result["deterministic_2d"]
    assert result["deterministic_3d"]
    assert result["ok"]


@pytest.mark.parametrize("rows", [1, 8])
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_occupancy_at_full_length(shape: Shape, rows: int) -> None:
    case = Case("long", shape, ((rows, 131072 - 5),), seed=11)
    inputs = build(case, torch.bfloat16, "cuda")
    plan = make_plan(device_facts("cuda"), shape, case.batch, Policy.OCCUPANCY)
    right = reference(case, inputs)
    answers = [run(case, inputs, plan) for _ in range(2)]
    assert torch.equal(*answers)
    assert relative_error(answers[0], right) <= TOLERANCE[torch.bfloat16]


def test_error_is_no_larger_than_that_of_torch() -> None:
    case = Case("8B", SHAPES[-1], ((1, 32768),), seed=3)
    inputs = build(case, torch.bfloat16, "cuda")
    right = reference(case, inputs)
    pages = inputs.table[0].long()
    k, v = (cache[pages].flatten(0, 1).transpose(0, 1)[None] for cache in (inputs.k, inputs.v))
    peer = torch.nn.functional.scaled_dot_product_attention(inputs.q.transpose(0, 1)[None], k, v, scale=inputs.scale, enable_gqa=True)
    limit = 1.2 * relative_error(peer[0].transpose(0, 1), right)
    for policy in Policy:
        plan = make_plan(device_facts("cuda"), case.shape, case.batch, policy)
        assert relative_error(run(case, inputs, plan), right) <= limit


def test_padding_tokens_are_left_alone() -> None:
    case = Case("padded", SHAPES[-1], ((2, 500), (1, 90)))
    inputs = build(case, torch.bfloat16, "cuda")
    inputs.starts[-1] = 2  # the last sequence loses its row, as the padding of a captured graph has none
    for policy in (Policy.STOCK, Policy.OCCUPANCY):
        plan = make_plan(device_facts("cuda"), case.shape, case.batch, policy)
        out = run(case, inputs, plan)
        assert not out[:2].isnan().any()
        assert out[2].isnan().all()
