"""Changes two loaded modules of vLLM: the launcher and the metadata builder. No text is touched.

A verify step is launched as the decode step it is: the launcher reads `max_seqlen_q` only in its gate and in a tiling
that is kept out here, the kernel takes the real lengths from `cu_seqlens_q`. So it is enough to say 1 there, once the
buffers have a row for each token.
"""

from __future__ import annotations

import functools
import sys
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from .admission import SEGMENT_BUFFERS, Step, VerifyThreshold, admits, fits, segment_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

BUILDER = "TritonAttentionMetadataBuilder"
LOWEST_FLOAT32 = -3.4028234663852886e38
_ORIGINALS = "__gate_patch_originals__"


def say(line: str) -> None:
    """Write one line to the log of this process, at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def is_installed(backend: ModuleType) -> bool:
    """Say whether the patch is on."""
    return hasattr(backend, _ORIGINALS)


def install(launcher: ModuleType, backend: ModuleType) -> None:
    """Put the patch on both modules; a second call changes nothing.

    Args:
        launcher: `vllm.v1.attention.ops.triton_unified_attention`.
        backend: `vllm.v1.attention.backends.triton_attn`, which holds the launcher under a name of its own.

    Raises:
        AttributeError: A module lacks what the patch needs; then nothing has been changed.
        TypeError: The two modules do not hold the same launcher; then nothing has been changed.
    """
    if is_installed(backend):
        return
    launch, builder = launcher.unified_attention, getattr(backend, BUILDER)
    if backend.unified_attention is not launch or not isinstance(launch, FunctionType):
        raise TypeError("found another patch on unified_attention")
    patched, init = make_launcher(launch, launcher), make_init(builder)
    setattr(backend, _ORIGINALS, (launch, builder.__init__))
    launcher.unified_attention = patched  # type: ignore[attr-defined]
    backend.unified_attention = patched  # type: ignore[attr-defined]
    builder.__init__ = init


def uninstall(launcher: ModuleType, backend: ModuleType) -> None:
    """Put the very objects back; without the patch this changes nothing."""
    if not is_installed(backend):
        return
    launch, init = getattr(backend, _ORIGINALS)
    launcher.unified_attention = launch  # type: ignore[attr-defined]
    backend.unified_attention = launch  # type: ignore[attr-defined]
    getattr(backend, BUILDER).__init__ = init
    delattr(backend, _ORIGINALS)


def read_decode_query_len(builder: Any) -> int:
    """Return the rows of a verify step of this builder: 1 without speculation, or where another launcher serves."""
    speculative = getattr(builder.vllm_config, "speculative_config", None)
    mode = getattr(getattr(builder, "kv_cache_spec", None), "kv_quant_mode", None)
    if speculative is None or getattr(mode, "name", "") == "INT4_PER_TOKEN_HEAD":
        return 1
    return 1 + int(speculative.num_speculative_tokens or 0)


def make_init(builder: type) -> Callable[..., None]:
    """Return an `__init__` that widens the segment buffers after vLLM's own."""
    original: Callable[..., None] = builder.__init__  # type: ignore[misc]

    @functools.wraps(original)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807  # it is one, for a class made elsewhere
        original(self, *args, **kwargs)
        if type(self) is builder:  # a subclass brings a launcher of its own
            widen(self, read_decode_query_len(self))

    return __init__


def widen(builder: Any, decode_query_len: int) -> None:
    """Give the three segment buffers of a builder a row for each token of as many verify steps as sequences."""
    if decode_query_len == 1:
        return
    for name in SEGMENT_BUFFERS:
        stock = getattr(builder, name)
        setattr(builder, name, stock.new_empty((segment_rows(stock.shape[0], decode_query_len), *stock.shape[1:])))
    builder.seq_threshold_3D = VerifyThreshold(builder.seq_threshold_3D, decode_query_len)
    say(f"GATE_PATCH active decode_query_len={decode_query_len} segment_rows={builder.softmax_segm_max.shape[0]}")


def make_launcher(original: FunctionType, module: ModuleType) -> Callable[..., Any]:
    """Return a launcher that sends verify steps down the 3D path and everything else to vLLM's own."""
    # The same code over a copy of its globals, in which only the reduction differs: single rows keep vLLM's own.
    names = {**vars(module), "reduce_segments": _Reduction(module.reduce_segments)}
    for_verify = FunctionType(original.__code__, names, original.__name__, original.__defaults__, original.__closure__)
    for_verify.__kwdefaults__ = original.__kwdefaults__
    tiles_rows = "tuned_large_head" in original.__code__.co_varnames
    fired = False

    @functools.wraps(original)
    def unified_attention(*args: Any, **kwargs: Any) -> Any:
        nonlocal fired
        if args or "max_seqlen_q" not in kwargs:  # the backend names every argument; other callers are not ours
            return original(*args, **kwargs)
        step = read_step(kwargs, module, tiles_rows=tiles_rows)
        if admits(step):
            if not fired:
                fired = True
                say(f"PROBE_3D_SPEC_ACTIVE max_seqlen_q={step.rows}")
            return for_verify(**{**kwargs, "max_seqlen_q": 1})
        if step.rows <= 1 and step.threshold is not None and not fits(step):
            return original(**{**kwargs, "seq_threshold_3D": None})
        return original(**kwargs)

    return unified_attention


def read_step(call: Mapping[str, Any], module: ModuleType, *, tiles_rows: bool) -> Step:
    """Return what a call of the launcher asks for.

    Args:
        call: Its arguments by name.
        module: The launcher's module.
        tiles_rows: Whether this release has a tiling of its own for several rows, as it has since 0.24.0.
    """
    query, keys, threshold = call["q"], call["k"], call.get("seq_threshold_3D")
    buffers = [call.get(name) for name in SEGMENT_BUFFERS]
    mode = getattr(call.get("kv_quant_mode"), "name", "")
    return Step(
        rows=call["max_seqlen_q"],
        tokens=query.shape[0],
        sequences=len(call["seqused_k"]),
        threshold=threshold,
        decode_query_len=getattr(threshold, "decode_query_len", 1),
        scratch_rows=None
        if call.get("num_par_softmax_segments") is None or any(buffer is None for buffer in buffers)
        else min(buffer.shape[0] for buffer in buffers if buffer is not None),
        plain_causal=call["causal"] is True and call.get("mm_prefix_range") is None,
        own_tiling=mode == "INT4_PER_TOKEN_HEAD" or (tiles_rows and has_own_tiling(query.shape[1:], keys.shape[2], module)),
        batch_invariant=bool(module.is_batch_invariant),
    )


def has_own_tiling(query_shape: tuple[int, int], kv_heads: int, module: ModuleType) -> bool:
    """Say whether the launcher tiles several rows of this shape by itself, as it does on Blackwell.

    Args:
        query_shape: Query heads and head size.
        kv_heads: KV heads.
        module: The launcher's module, which knows its platform.
    """
    heads, head_size = query_shape
    ask = getattr(module.current_platform, "is_device_capability_family", None)
    return head_size == 256 and heads // kv_heads <= 16 and ask is not None and bool(ask(100))  # noqa: PLR2004  # vLLM's own limits


class _Reduction:
    """The reduction of vLLM, with segments that a row cannot see taken out first.

    Before 0.33.0 a segment whose keys lie after a row writes 0 as that row's maximum. With several rows this happens
    at the end of the context, and when all scores lie far below zero the sum underflows. The mask puts the lowest
    number there, so that such a segment weighs nothing.
    """

    def __init__(self, original: Any) -> None:
        self.original = original

    def __getitem__(self, grid: tuple[int, ...]) -> Callable[..., Any]:
        launch = self.original[grid]
        tokens = grid[0]

        def reduce(*args: Any, **kwargs: Any) -> Any:
            maxima, sums = kwargs["segm_max_ptr"][:tokens], kwargs["segm_expsum_ptr"][:tokens]
            maxima.masked_fill_(sums == 0, LOWEST_FLOAT32)
            return launch(*args, **kwargs)

        return reduce
