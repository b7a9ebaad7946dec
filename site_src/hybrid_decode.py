"""Metrics of the report on hybrid decode: the ladder of July, the profile, what the kernel has to work with, and the kernel chosen instead.

The ladder is that of `radeon-2026-07-25` on two cards; a model stands for its configuration there.
"""

from gate_control import spread
from ladders import Ladder, decode

from ledgermark import Ledger, Quantity, Row, count, largest, mean, metric, smallest

JULY, AUGUST, RERUN = "radeon-2026-07-25", "radeon-2026-08-29", "radeon-2026-09-02c"
HYBRID = "Qwen3.6-27B"
MODELS = {
    HYBRID: "D-27B-tp2",
    "Qwen3-8B": "B-8B-tp2",
    "gemma-4-12B-it": "A-12B-tp2",
    "gemma-4-26B-A4B": "E-26B-tp2",
    "gemma-4-31B-it": "C-31B-tp2",
}
KERNELS = {"ROCM_ATTN": "Q38-tp2", "TRITON_ATTN": "Q38-triton-tp2"}  # what served Qwen3.8-27B on 2026-08-29, without speculation
PAGED = "kernel_paged_attention_2d"
CARDS = 2
ROUTES: dict[str, tuple[str, ...]] = {"route": (), "probe": ()}  # one ladder stands with a run of the control, which says nothing of its kernel
SHALLOW, DEEP = 1024, 32768  # the two contexts of the profile


def july(ledger: Ledger, model: str) -> Ladder:
    """Return the ladder of a model. Raises ValueError for one that was not in the campaign."""
    if model not in MODELS:
        raise ValueError(f"the campaign has no model '{model}'; it has {', '.join(MODELS)}")
    return decode(ledger, JULY, MODELS[model])


def pinned(ledger: Ledger, backend: str, campaign: str = AUGUST) -> Ladder:
    """Return the ladder of Qwen3.8-27B on one of two kernels. Raises ValueError for another."""
    if backend not in KERNELS:
        raise ValueError(f"there is no ladder on '{backend}'; there are {', '.join(KERNELS)}")
    return decode(ledger, campaign, KERNELS[backend] + ("-x16" if campaign == RERUN else ""))


# The ladder


@metric(unit="tok/s", formula="mean of rounds")
def hybrid_rate(ledger: Ledger, model: str, context: int) -> Quantity:
    """Decode rate of a model at one context of the July ladder, mean of its rounds."""
    return july(ledger, model).rate(context)


@metric(unit="ms/tok", formula="1 / mean rate")
def hybrid_time(ledger: Ledger, model: str, context: int) -> Quantity:
    """Time of a generated token at one context of the July ladder."""
    return july(ledger, model).time(context)


@metric(unit="%", formula="rate(32000) / rate(500)")
def hybrid_retained(ledger: Ledger, model: str) -> Quantity:
    """Share of its rate at 500 tokens that a model of the July ladder keeps at 32 000."""
    return july(ledger, model).retained()


@metric(unit="us/tok", formula="(time(32000) − time(500)) / (prompt tokens(32000) − prompt tokens(500))")
def context_slope(ledger: Ledger, model: str) -> Quantity:
    """Time that one more token of context adds to a generated token, over the July ladder; by the prompt tokens that were counted."""
    return july(ledger, model).slope()


@metric(unit="×", formula="slope(Qwen3.6-27B) / slope(model)")
def slope_ratio(ledger: Ledger, model: str) -> Quantity:
    """How many times steeper the hybrid model is than another of the July ladder."""
    return july(ledger, HYBRID).slope() / july(ledger, model).slope()


@metric(unit="%", formula="max (max − min) / mean")
def july_spread(ledger: Ledger) -> Quantity:
    """Widest spread between the rounds of any cell of the July ladder on two cards, as a share of their mean."""
    ladders = [july(ledger, model) for model in MODELS]
    return largest(ladder.apart(context) for ladder in ladders for context in ladder.contexts)


@metric(unit="token", formula="min over contexts")
def july_shortest(ledger: Ledger) -> Quantity:
    """Shortest context of the July ladder, nominal."""
    return smallest(row["context"] for rows in july(ledger, HYBRID).rungs.values() for row in rows)


@metric(unit="rung")
def july_contexts(ledger: Ledger) -> Quantity:
    """Context lengths at which each model of the July ladder was measured."""
    return count((rows[0] for rows in july(ledger, HYBRID).rungs.values()), unit="rung")


@metric(unit="1")
def july_models(ledger: Ledger) -> Quantity:
    """Models of the July campaign that were served on two cards."""
    return count(july(ledger, model).rungs[500][0] for model in MODELS)


@metric(unit="1")
def july_measurements(ledger: Ledger) -> Quantity:
    """Decode and prefill measurements of the July campaign, on one card and on two."""
    return count(_campaign(ledger))


@metric(unit="1")
def july_single_card(ledger: Ledger) -> Quantity:
    """Measurements of the July campaign that were made on a single card."""
    return count(row for row in _campaign(ledger) if row.text("machine").startswith("1x"))


def _campaign(ledger: Ledger) -> list[Row]:
    return [row for dataset in ("decode_ladder", "prefill_ladder") for row in ledger.rows(dataset, campaign=JULY)]


# The profile


def _profile(ledger: Ledger, kernel: str, context: int) -> Row:
    return ledger.one("hybrid_profile", kernel=kernel, context=context)


@metric(unit="×", formula="time(32768) / time(1024)")
def call_growth(ledger: Ledger, kernel: str) -> Quantity:
    """Time of one call of a kernel at 32K, against one at 1K."""
    return _profile(ledger, kernel, DEEP)["us_per_call"] / _profile(ledger, kernel, SHALLOW)["us_per_call"]


@metric(unit="call", formula="calls / steps")
def calls_per_step(ledger: Ledger, kernel: str, context: int) -> Quantity:
    """Calls of a kernel in one decode step."""
    row = _profile(ledger, kernel, context)
    return row["calls"] / (row["steps"] / Quantity.of(1, "step"))


@metric(unit="ms", formula="time of a call × calls / steps")
def paged_time(ledger: Ledger, context: int) -> Quantity:
    """Time of a decode step that goes into the paged-attention kernel."""
    calls = calls_per_step(ledger, PAGED, context) / Quantity.of(1, "call")
    return (_profile(ledger, PAGED, context)["us_per_call"] * calls).to("ms")


@metric(unit="ms", formula="paged attention(32768) − paged attention(1024)")
def paged_growth(ledger: Ledger) -> Quantity:
    """Growth of the paged-attention kernel's part of a decode step, from 1K to 32K."""
    return paged_time(ledger, DEEP) - paged_time(ledger, SHALLOW)


@metric(unit="ms", formula="step(32768) − step(1024)")
def step_growth(ledger: Ledger) -> Quantity:
    """Growth of the whole decode step, from 1K to 32K."""
    deep, shallow = (ledger.one("hybrid_step", context=context)["step_ms"] for context in (DEEP, SHALLOW))
    return deep - shallow


@metric(unit="ms", formula="(step − paged attention)(32768) − (step − paged attention)(1024)")
def rest_growth(ledger: Ledger) -> Quantity:
    """Growth of all the rest of a decode step, from 1K to 32K."""
    return step_growth(ledger) - paged_growth(ledger)


@metric(unit="%", formula="paged attention / step")
def paged_share(ledger: Ledger, context: int) -> Quantity:
    """Share of a decode step that goes into the paged-attention kernel."""
    return paged_time(ledger, context) / ledger.one("hybrid_step", context=context)["step_ms"]


# What the kernel has to work with


@metric(unit="workgroup", formula="KV heads / cards")
def fallback_workgroups(ledger: Ledger) -> Quantity:
    """Workgroups that the fallback starts on a card for one sequence of the hybrid model: one for each KV head that the card holds."""
    heads = ledger.one("model_geometry", model=HYBRID)["kv_heads"]
    if heads.value % CARDS:
        raise ValueError(f"{heads.value} KV heads cannot be shared out evenly among {CARDS} cards")
    return heads / CARDS * Quantity.of(1, "workgroup")


@metric(unit="1", formula="linear layers + full-attention layers")
def hybrid_layers(ledger: Ledger) -> Quantity:
    """Attention layers of the hybrid model, linear and full."""
    row = ledger.one("model_geometry", model=HYBRID)
    return row["linear_layers"] + row["full_layers"]


@metric(unit="W", formula="mean of rounds")
def card_power(ledger: Ledger, model: str, card: int, context: int) -> Quantity:
    """Power of one card while a model of the July ladder decodes, mean of the rounds."""
    return mean(row[f"power_gpu{card}_w"] for row in july(ledger, model).rungs[context])


@metric(unit="W", formula="mean of rounds")
def pair_power(ledger: Ledger, model: str, context: int) -> Quantity:
    """Power of both cards together while a model of the July ladder decodes, mean of the rounds."""
    return mean(row["power_w"] for row in july(ledger, model).rungs[context])


@metric(unit="%", formula="power(32000) / power(500) − 1")
def power_change(ledger: Ledger, model: str) -> Quantity:
    """Change of the power of both cards from 500 tokens of context to 32 000."""
    return pair_power(ledger, model, 32000) / pair_power(ledger, model, 500) - 1


@metric(unit="×", formula="(slope / KV bytes)(Qwen3.6-27B) / (slope / KV bytes)(model)")
def per_byte_ratio(ledger: Ledger, model: str) -> Quantity:
    """Slope per byte of KV cache that a token of context holds: the hybrid model's against another's, by the author's bytes."""
    return _per_byte(ledger, HYBRID, _bytes(ledger, HYBRID)) / _per_byte(ledger, model, _bytes(ledger, model))


@metric(unit="KiB/tok", formula="layers × KV heads × head size × (K and V) × bytes of a value")
def global_kv_bytes(ledger: Ledger) -> Quantity:
    """KV cache that one more token of context adds to gemma-4-31B-it: its global layers alone, keys and values in 16 bits."""
    row = ledger.one("launch_geometry", layers="global")
    values = row["layer_count"] * row["kv_heads"] * row["tensor_parallel"] * row["head_dim"]
    return (values * 2 * Quantity.of(2, "byte/tok")).to("KiB/tok")


@metric(unit="1", formula="KV heads a card × cards")
def global_kv_heads(ledger: Ledger) -> Quantity:
    """KV heads of a global layer of gemma-4-31B-it, both cards together."""
    row = ledger.one("launch_geometry", layers="global")
    return row["kv_heads"] * row["tensor_parallel"]


@metric(unit="×", formula="(slope / KV bytes)(Qwen3.6-27B) / (slope / KV bytes)(gemma-4-31B-it, global layers)")
def per_byte_ratio_global(ledger: Ledger) -> Quantity:
    """Slope per byte of KV cache that a token of context adds: the hybrid model's against that of gemma-4-31B-it by its global layers."""
    return _per_byte(ledger, HYBRID, _bytes(ledger, HYBRID)) / _per_byte(ledger, "gemma-4-31B-it", global_kv_bytes(ledger))


def _bytes(ledger: Ledger, model: str) -> Quantity:
    return ledger.one("model_geometry", model=model)["kv_kib_per_token"]


def _per_byte(ledger: Ledger, model: str, size: Quantity) -> Quantity:
    return july(ledger, model).slope() / size


# The kernel chosen instead


@metric(unit="%", formula="rate(32000) / rate(500)", subjects=ROUTES)
def kernel_retained(ledger: Ledger, backend: str) -> Quantity:
    """Share of its rate at 500 tokens that Qwen3.8-27B keeps at 32 000 on one of two kernels, both with the split of vllm#45916 in place."""
    return pinned(ledger, backend).retained()


@metric(unit="%", formula="1 − rate(32000) / rate(500)", subjects=ROUTES)
def kernel_loss(ledger: Ledger, backend: str) -> Quantity:
    """Share of its rate at 500 tokens that Qwen3.8-27B loses by 32 000 on one of two kernels."""
    return 1 - pinned(ledger, backend).retained()


@metric(unit="pp", formula="retained(TRITON_ATTN) − retained(ROCM_ATTN)", subjects=ROUTES)
def kernel_points(ledger: Ledger) -> Quantity:
    """Points of retention between the two kernels that can serve Qwen3.8-27B."""
    return kernel_retained(ledger, "TRITON_ATTN") - kernel_retained(ledger, "ROCM_ATTN")


@metric(unit="%", formula="rate(TRITON_ATTN) / rate(ROCM_ATTN) − 1", subjects=ROUTES)
def kernel_gain(ledger: Ledger, context: int, campaign: str = AUGUST) -> Quantity:
    """Change in decode rate when Qwen3.8-27B is pinned to TRITON_ATTN."""
    return pinned(ledger, "TRITON_ATTN", campaign).rate(context) / pinned(ledger, "ROCM_ATTN", campaign).rate(context) - 1


@metric(unit="%", formula="max (max − min) / mean", subjects=ROUTES)
def kernel_spread(ledger: Ledger) -> Quantity:
    """Widest spread between the rounds of any cell of the two ladders of Qwen3.8-27B without speculation."""
    ladders = [pinned(ledger, backend) for backend in KERNELS]
    return largest(spread(ladder.rounds(context)) for ladder in ladders for context in ladder.contexts)


@metric(unit="tok/s", formula="mean of rounds", subjects=ROUTES)
def kernel_rate(ledger: Ledger, backend: str, context: int) -> Quantity:
    """Decode rate of Qwen3.8-27B on one of two kernels, mean of its rounds."""
    return pinned(ledger, backend).rate(context)
