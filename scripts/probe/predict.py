"""What vLLM would decide for a model on a device, each decision with the rule that made it.

The rules are those of `ASSUMED`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .model import hybrid_block_size
from .verdict import TRITON

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .devices import Device
    from .model import Model, Shape

ASSUMED = "vLLM 0.28.0 to 0.32.0, KV cache in 16 bits, AITER off, FlashInfer installed on CUDA"
MLA = "an MLA backend"
ROCM, FLASH, FLASHINFER = "ROCM_ATTN", "FLASH_ATTN", "FLASHINFER"
ROCM_HEAD_SIZES = frozenset({32, 64, 80, 96, 128, 160, 192, 224, 256})
FLASHINFER_HEAD_SIZES = frozenset({64, 128, 256, 512})
FLASH_LIMIT, FA4_LIMIT, SMALLEST_TRITON = 256, 512, 32
GRID_2D, SEGMENTS, BLOCK_ROWS, NATIVE_ROWS = 128, 16, 16, 8
DEFAULT_BLOCK_SIZE = 16
BLACKWELL, OWN_TILING_HEAD_SIZE = 10, 256
CUSTOM_CONTEXT = 128 * 1024


@dataclass(frozen=True)
class Setting:
    """How vLLM is started.

    Attributes:
        ranks: Tensor parallel size.
        speculative: num_speculative_tokens; 0 without speculation.
        backend: Of --attention-backend; empty where vLLM chooses.
        block_size: Of --block-size; 0 where vLLM chooses.
        native: Whether the release is 0.33.0 or later.
    """

    ranks: int = 1
    speculative: int = 1
    backend: str = ""
    block_size: int = 0
    native: bool = False


@dataclass(frozen=True)
class Decision:
    """One decision: what is decided, how, and by which rule."""

    question: str
    answer: str
    rule: str


@dataclass(frozen=True)
class Prediction:
    """All decisions, and what they come to.

    Attributes:
        backend: The backend that would serve.
        admitted: Whether the patch would send verify steps down the 3D path.
        decisions: In the order in which vLLM takes them.
        sentence: The verdict.
    """

    backend: str
    admitted: bool
    decisions: tuple[Decision, ...]
    sentence: str


def predict(model: Model, device: Device, setting: Setting) -> Prediction:
    """Return what the routing and the gates would decide."""
    chosen = route(model, device, setting)
    decisions = [chosen]
    if chosen.answer == TRITON:
        decisions += gates(model, device, setting)
    elif chosen.answer == ROCM:
        decisions += custom_kernel(model, device, setting)
    admitted = chosen.answer == TRITON and setting.speculative > 0 and not setting.native
    return Prediction(chosen.answer, admitted, tuple(decisions), _conclude(chosen.answer, setting))


def _conclude(backend: str, setting: Setting) -> str:
    if setting.speculative == 0:
        return "Idle: no speculation, so no step has a second row; there is nothing to admit."
    if backend == MLA:
        return f"Idle: latent attention never reaches {TRITON}; neither backend nor patch changes that."
    if backend != TRITON:
        return f"Idle: routed to {backend}: change the backend, not the patch (--attention-backend {TRITON})."
    if setting.native:
        return "Idle: from 0.33.0 on vLLM admits up to 8 rows by itself; no patch is needed."
    return f"Active with the patch: verify steps of {1 + setting.speculative} rows reach {TRITON}, whose stock gate keeps them in 2D."


def route(model: Model, device: Device, setting: Setting) -> Decision:
    """Return which backend would be chosen."""
    question = "attention backend"
    if model.mla:
        return Decision(question, MLA, "kv_lora_rank is set, and only MLA backends serve latent attention")
    if setting.backend:
        return Decision(question, setting.backend, "selected with --attention-backend")
    sizes = model.head_sizes
    if model.family.startswith("gemma4") and len(sizes) > 1 and not (device.has_fa4 and sizes[-1] <= FA4_LIMIT):
        lacks = f"{device.name} has no FlashAttention 4 (compute capability 9.x to 11.x)"
        return Decision(question, TRITON, f"gemma-4 has head sizes {_list(sizes)}, and {lacks}: {TRITON} is forced")
    refusals: list[str] = []
    for backend in candidates(device):
        refusal = refuses(backend, model, device)
        if refusal is None:
            passed = f"; before it {'; '.join(refusals)}" if refusals else ""
            return Decision(
                question,
                backend,
                f"the first of {', '.join(candidates(device))} that takes head size{'s' if len(sizes) > 1 else ''} {_list(sizes)}{passed}",
            )
        refusals.append(f"{backend} refuses: {refusal}")
    return Decision(question, "none", "; ".join(refusals))


def candidates(device: Device) -> tuple[str, ...]:
    """Return the backends in the order in which vLLM tries them."""
    if device.vendor == "amd":
        return (ROCM, TRITON)
    return (FLASHINFER, FLASH, TRITON) if device.capability[0] == BLACKWELL else (FLASH, FLASHINFER, TRITON)


def refuses(backend: str, model: Model, device: Device) -> str | None:
    """Return why a backend would not take a model, None where it would."""
    largest = model.head_sizes[-1]
    checks = {
        ROCM: [(not ROCM_HEAD_SIZES.issuperset(model.head_sizes), f"head size {largest}"), (model.sinks, "attention sinks")],
        FLASH: [
            (device.capability < (8, 0), "compute capability below 8.0"),
            (any(size % 8 for size in model.head_sizes), "a head size that 8 does not divide"),
            (largest > (FA4_LIMIT if device.has_fa4 else FLASH_LIMIT), f"head size {largest}"),
            (model.sinks and device.capability < (9, 0), "attention sinks below compute capability 9.0"),
        ],
        FLASHINFER: [
            (device.capability < (8, 0), "compute capability below 8.0"),
            (not FLASHINFER_HEAD_SIZES.issuperset(model.head_sizes), f"head size {largest}"),
            (model.sinks and device.capability[0] < BLACKWELL, "attention sinks below compute capability 10.0"),
        ],
        TRITON: [(model.head_sizes[0] < SMALLEST_TRITON, f"head size {model.head_sizes[0]}")],
    }
    return next((reason for refused, reason in checks[backend] if refused), None)


def gates(model: Model, device: Device, setting: Setting) -> list[Decision]:
    """Return what the gate of the Triton launcher would do with one sequence, for each kind of layer."""
    rows = 1 + setting.speculative
    return [decision for shape in model.shapes for decision in _gate(shape, rows, device, setting)]


def _gate(shape: Shape, rows: int, device: Device, setting: Setting) -> list[Decision]:
    kv_heads = max(1, shape.kv_heads // setting.ranks)
    group = max(1, shape.heads // setting.ranks // kv_heads)
    block_rows = max(BLOCK_ROWS, 1 << (group - 1).bit_length())
    blocks = rows // (block_rows // group) + 1
    flat, split = f"{blocks} x {kv_heads} workgroups", f"{blocks} x {kv_heads} x {SEGMENTS} workgroups"
    name = f"head size {shape.head_size}, {kv_heads} KV heads a rank, {rows} row{'s' if rows > 1 else ''}"
    own_tiling = rows > 1 and device.capability[0] == BLACKWELL and shape.head_size == OWN_TILING_HEAD_SIZE
    stock = rows == 1 or (setting.native and rows <= NATIVE_ROWS and not own_tiling)
    rule = f"max_seqlen_q > {NATIVE_ROWS}, or a tiling of its own" if setting.native else "max_seqlen_q > 1"
    decisions = [
        Decision(f"stock gate, {name}", f"3D, {split}" if stock else f"2D, {flat}", f"{rule} is {'false' if stock else 'true'}"),
    ]
    if rows > 1 and not setting.native:
        admitted = f"max_seqlen_q <= 1 + num_speculative_tokens = {rows}"
        kept_out = f"head size {OWN_TILING_HEAD_SIZE} on compute capability 10.x has a tiling of its own for several rows"
        decisions.append(
            Decision(f"patched gate, {name}", f"2D, {flat}" if own_tiling else f"3D, {split}", kept_out if own_tiling else admitted)
        )
    sequences = GRID_2D // kv_heads
    decisions.append(Decision("sequences up to which 3D is taken", f"{sequences}", f"{GRID_2D} // {kv_heads} KV heads, before graph sizes"))
    return decisions


@dataclass(frozen=True)
class Condition:
    """One condition of ROCm's custom paged attention: what it asks for, what a model has, whether that meets it, and by which rule."""

    name: str
    value: str
    met: bool
    rule: str


def conditions(model: Model, device: Device, setting: Setting) -> list[Condition]:
    """Return the conditions of ROCm's custom paged attention, in the order in which vLLM asks them, for the last kind of layer."""
    shape = model.shapes[-1]
    block_size, why = find_block_size(model, setting)
    group = max(1, shape.heads // shape.kv_heads)
    sizes, blocks, ratios = ((64, 128), (16, 32), (1, 16)) if device.is_cdna else ((128,), (16,), (3, 16))
    block, power = f"{block_size or 'unknown'}", block_size > 0 and block_size & (block_size - 1) == 0
    return [
        Condition("head size", f"{shape.head_size}", shape.head_size in sizes, f"must be {_list(sizes, 'or')}"),
        Condition("block size", block, block_size in blocks, f"must be {_list(blocks, 'or')}; {why}"),
        Condition("power of two", block, power, "asked again where the kernel is called"),
        Condition("query heads a KV head", f"{group}", ratios[0] <= group <= ratios[1], f"must be {ratios[0]} to {ratios[1]}"),
        Condition("sliding window", f"{shape.window}", shape.window == 0, "must be off"),
        Condition("architecture", device.gfx, device.is_cdna or device.is_rdna, "must be gfx9, gfx11 or gfx12"),
    ]


def custom_kernel(model: Model, device: Device, setting: Setting) -> list[Decision]:
    """Return which conditions of ROCm's custom paged attention a model meets, and which kernel follows."""
    asked = conditions(model, device, setting)
    failed = [each.name for each in asked if not each.met]
    kernel = f"the Triton fallback, because of {_list(failed)}" if failed else f"ROCm's custom kernel, up to {CUSTOM_CONTEXT} tokens"
    return [
        *(Decision(f"custom paged attention: {each.name}", f"{each.value}: {'passes' if each.met else 'fails'}", each.rule) for each in asked),
        Decision(
            "decode kernel", kernel, "all conditions must pass; relaxing one is not enough" if len(failed) > 1 else "all conditions must pass"
        ),
    ]


def find_block_size(model: Model, setting: Setting) -> tuple[int, str]:
    """Return the KV block size in tokens, 0 where it cannot be known, and where it comes from."""
    if setting.block_size:
        return setting.block_size, "set with --block-size"
    if not model.hybrid:
        return DEFAULT_BLOCK_SIZE, "the default"
    size = hybrid_block_size(model, setting.ranks, setting.speculative)
    if size is None:
        return 0, "a hybrid model's block holds the state of a linear layer, which this configuration does not describe: say --block-size"
    return size, "a hybrid model's block must hold the state of a linear layer"


def _list(items: Sequence[object], joint: str = "and") -> str:
    """Return items as a reader would say them."""
    words = [str(item) for item in items]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {joint} {words[-1]}"
