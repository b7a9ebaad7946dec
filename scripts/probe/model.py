"""What a model's `config.json` says that the routing and the gates ask for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "auto": 2}
ALIGNMENT = 16


@dataclass(frozen=True)
class Shape:
    """One kind of attention layer.

    Attributes:
        kind: `full_attention`, `sliding_attention`.
        heads: Query heads, all ranks together.
        kv_heads: KV heads, all ranks together.
        head_size: Of one head.
        window: Sliding window in tokens, 0 where there is none.
    """

    kind: str
    heads: int
    kv_heads: int
    head_size: int
    window: int = 0


@dataclass(frozen=True)
class LinearState:
    """State of a gated-delta-net layer, all ranks together: elements of the convolution (a row) and of the recurrence."""

    conv_row: int
    conv_rows: int
    recurrent: int
    recurrent_bytes: int


@dataclass(frozen=True)
class Model:
    """A model.

    Attributes:
        family: `model_type`.
        shapes: Its kinds of attention layers.
        linear: State of its linear layers; None for a model without them.
        hybrid: Whether some layers keep a state instead of a KV cache.
        sinks: Whether its attention has sinks.
        mla: Whether it has latent attention, with backends of its own.
        context: Longest context in tokens; 0 where the configuration does not say.
    """

    family: str
    shapes: tuple[Shape, ...]
    linear: LinearState | None = None
    hybrid: bool = False
    sinks: bool = False
    mla: bool = False
    context: int = 0

    @property
    def head_sizes(self) -> tuple[int, ...]:
        """The different head sizes, in ascending order."""
        return tuple(sorted({shape.head_size for shape in self.shapes}))


def read_model(config: dict[str, Any]) -> Model:
    """Return what a Hugging Face `config.json` says; a nested `text_config` outweighs it.

    Raises:
        ValueError: It has no attention heads.
    """
    text = {**config, **(config.get("text_config") or {})}
    family = str(text.get("model_type", "")).removesuffix("_text")
    try:
        heads = int(text["num_attention_heads"])
        head_size = int(text.get("head_dim") or text["hidden_size"] // heads)
    except (KeyError, TypeError) as missing:
        raise ValueError(f"this configuration describes no attention: it lacks {missing}") from None
    kv_heads = int(text.get("num_key_value_heads") or heads)
    kinds = list(dict.fromkeys(text.get("layer_types") or ["full_attention"]))
    interval = text.get("full_attention_interval")
    if not text.get("layer_types") and interval and int(interval) > 1:
        kinds.append("linear_attention")
    shapes = []
    for kind in kinds:
        if kind == "sliding_attention":
            shapes.append(Shape(kind, heads, kv_heads, head_size, int(text.get("sliding_window") or 0)))
        elif "full" in kind or kind == "attention":
            wide = int(text.get("global_head_dim") or head_size)
            shapes.append(Shape("full_attention", heads, int(text.get("num_global_key_value_heads") or kv_heads), wide))
    if not shapes:
        raise ValueError(f"this configuration describes no attention layer: its layers are {', '.join(kinds)}")
    return Model(
        family=family,
        shapes=tuple(shapes),
        linear=_read_linear(text),
        hybrid=any("linear" in kind or "mamba" in kind for kind in kinds),
        sinks=family == "gpt_oss",
        mla=bool(text.get("kv_lora_rank")),
        context=int(text.get("max_position_embeddings") or 0),
    )


def _read_linear(text: dict[str, Any]) -> LinearState | None:
    """Return the state of gated-delta-net layers, if the configuration describes them."""
    names = ("linear_num_key_heads", "linear_num_value_heads", "linear_key_head_dim", "linear_value_head_dim", "linear_conv_kernel_dim")
    if any(name not in text for name in names):
        return None
    key_heads, value_heads, key_dim, value_dim, kernel = (int(text[name]) for name in names)
    return LinearState(
        conv_row=2 * key_heads * key_dim + value_heads * value_dim,
        conv_rows=kernel - 1,
        recurrent=value_heads * value_dim * key_dim,
        recurrent_bytes=BYTES.get(str(text.get("mamba_ssm_dtype", "auto")), 2),
    )


def hybrid_block_size(model: Model, ranks: int, speculative: int) -> int | None:
    """Return the KV block size in tokens that vLLM gives a hybrid model, None where the state is not described.

    A block must hold as many bytes as the state of a linear layer, and be a multiple of 16: the cache is paged in one
    size. Speculation adds a row of convolution state for each drafted token.
    """
    if model.linear is None:
        return None
    shape = model.shapes[0]
    linear = model.linear
    conv = linear.conv_row // ranks * (linear.conv_rows + speculative) * BYTES["auto"]
    state = conv + linear.recurrent // ranks * linear.recurrent_bytes
    token = 2 * max(1, shape.kv_heads // ranks) * shape.head_size * BYTES["auto"]
    return ALIGNMENT * math.ceil(state / (ALIGNMENT * token))
