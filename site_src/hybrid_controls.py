"""Metrics of the report on hybrid decode: another engine, reading the prompt, deeper ladders elsewhere, and the split-KV kernel."""

from hybrid_decode import AUGUST, HYBRID, JULY, RERUN, july
from ladders import Ladder, decode, prefill

from ledgermark import Ledger, Quantity, count, largest, mean, metric, smallest

LINES = {
    "q36_july": (JULY, "D-27B-tp2"),
    "b8_july": (JULY, "B-8B-tp2"),
    "g12_july": (JULY, "A-12B-tp2"),
    "g31_july": (JULY, "C-31B-tp2"),
    "g26_july": (JULY, "E-26B-tp2"),
    "g26_august": ("radeon-2026-08-24", "E-26B-tp2"),
    "q38_august": ("radeon-2026-08-24", "D8-27B-tp2"),
    "q38_narrow": (AUGUST, "Q38-tp2"),
    "q38_wide": (RERUN, "Q38-tp2-x16"),
    "q38_triton": (RERUN, "Q38-triton-tp2-x16"),
    "q38_a100": ("a100-2026-08-30", "Q38"),
    "q38_h100": ("h100-2026-09-03", "Q38"),
    "g31_h200": ("h200-2026-09-03", "G31"),
}
DEPTHS = (512, 32768)  # of llama.cpp, shallowest and deepest
RUNGS = (1024, 8192, 32768)  # of the comparison with vllm#45916
FIRST_TWO = (1, 2)


def prefill_line(ledger: Ledger, name: str) -> Ladder:
    """Return a prefill ladder by its short name. Raises ValueError for another."""
    return prefill(ledger, *_named(name))


def _named(name: str) -> tuple[str, str]:
    if name not in LINES:
        raise ValueError(f"there is no line '{name}'; there are {', '.join(LINES)}")
    return LINES[name]


# Another engine


def _llama(ledger: Ledger, backend: str, context: int) -> Quantity:
    return ledger.one("llamacpp_depth", backend=backend, context=context)["tok_s"]


def llama_time(ledger: Ledger, backend: str, context: int) -> Quantity:
    """Return the time of a generated token under llama.cpp, in ms/tok."""
    return (1 / _llama(ledger, backend, context)).to("ms/tok")


@metric(unit="%", formula="rate(32768) / rate(512)")
def llama_retained(ledger: Ledger, backend: str) -> Quantity:
    """Share of its rate at 512 tokens that the hybrid model keeps at 32K under llama.cpp."""
    return _llama(ledger, backend, DEPTHS[1]) / _llama(ledger, backend, DEPTHS[0])


def rise(shallow: tuple[Quantity, Quantity], deep: tuple[Quantity, Quantity]) -> Quantity:
    """Return the slope between two pairs of context and time of a token, in us/tok: the unit names the tokens of context."""
    return ((deep[1] - shallow[1]) * Quantity.of(1, "tok") / (deep[0] - shallow[0])).to("us/tok")


@metric(unit="us/tok", formula="(time(32768) − time(512)) / (32768 − 512)")
def llama_slope(ledger: Ledger, backend: str) -> Quantity:
    """Time that one more token of context adds to a generated token of the hybrid model under llama.cpp."""
    return rise(*((ledger.one("llamacpp_depth", backend=backend, context=at)["context"], llama_time(ledger, backend, at)) for at in DEPTHS))


@metric(unit="×", formula="slope(vLLM) / slope(llama.cpp)")
def llama_slope_ratio(ledger: Ledger, backend: str) -> Quantity:
    """How many times steeper the hybrid model is under vLLM, July ladder, than under llama.cpp."""
    return july(ledger, HYBRID).slope() / llama_slope(ledger, backend)


@metric(unit="tok/s", formula="max standard deviation over the other cells")
def llama_quiet(ledger: Ledger) -> Quantity:
    """Largest standard deviation of the two runs of any llama.cpp cell but the disturbed one."""
    rows = ledger.rows("llamacpp_depth")
    return largest(row["stddev_tok_s"] for row in rows if (row.text("backend"), row.text("context")) != ("ROCm", "16384"))


# Reading the prompt


@metric(unit="%", formula="prefill rate(last) / prefill rate(first) − 1")
def prefill_change(ledger: Ledger, line: str, first: int = 1000, last: int = 32000) -> Quantity:
    """Change of the prefill rate between two contexts; a rate is the prompt over the mean time to its first token."""
    return prefill_line(ledger, line).retained(first, last) - 1


@metric(unit="tok/s", formula="prompt tokens / mean time to the first token")
def prefill_rate(ledger: Ledger, line: str, context: int) -> Quantity:
    """Prefill rate at one context."""
    return prefill_line(ledger, line).rate(context)


@metric(unit="%", formula="(max − min) / mean")
def prefill_apart(ledger: Ledger, line: str, context: int) -> Quantity:
    """Distance between the two rounds of a prefill cell, as a share of their mean."""
    return prefill_line(ledger, line).apart(context)


@metric(unit="%", formula="rate(128000) / rate(first) − 1")
def deep_change(ledger: Ledger, line: str, first: int) -> Quantity:
    """Change in decode rate from one context to 128 000 tokens, on a rented card."""
    return decode(ledger, *_named(line)).retained(first, 128000) - 1


@metric(unit="%", formula="(max − min) / mean")
def deep_apart(ledger: Ledger, line: str, context: int) -> Quantity:
    """Distance between the two rounds of a decode cell on a rented card, as a share of their mean."""
    return decode(ledger, *_named(line)).apart(context)


# The split


def split_rounds(ledger: Ledger, arm: str, context: int, rounds: tuple[int, ...] = ()) -> list[Quantity]:
    """Return the rates of a cell of the comparison, in the order of its rounds; all of them unless some are named."""
    keys: dict[str, str | int] = {"arm": arm, "context": context}
    found = ledger.rows("hybrid_splitkv", **keys, round=rounds) if rounds else ledger.rows("hybrid_splitkv", **keys)
    if not found:
        raise ValueError(f"the comparison has no cell {arm} at {context}")
    return [row["tok_s"] for row in found]


def split_rate(ledger: Ledger, arm: str, context: int) -> Quantity:
    """Return the mean rate of a cell of the comparison."""
    return mean(split_rounds(ledger, arm, context))


@metric(unit="×", formula="mean rate(split-KV) / mean rate(stock)")
def splitkv_speedup(ledger: Ledger, context: int) -> Quantity:
    """How many times the rate of the shipped file vllm#45916 reaches, each rate the mean of all its rounds."""
    return split_rate(ledger, "splitkv", context) / split_rate(ledger, "stock", context)


@metric(unit="tok/s", formula="mean of rounds")
def splitkv_rate(ledger: Ledger, arm: str, context: int) -> Quantity:
    """Decode rate of one arm of the comparison with vllm#45916, mean of its rounds."""
    return split_rate(ledger, arm, context)


@metric(unit="ms/tok", formula="1 / mean rate")
def splitkv_time(ledger: Ledger, arm: str, context: int) -> Quantity:
    """Time of a generated token in one arm of the comparison with vllm#45916."""
    return (1 / split_rate(ledger, arm, context)).to("ms/tok")


@metric(unit="us/tok", formula="(time(32768) − time(1024)) / (32768 − 1024)")
def splitkv_slope(ledger: Ledger, arm: str) -> Quantity:
    """Time that one more token of context adds to a generated token, with or without vllm#45916."""
    ends = (RUNGS[0], RUNGS[-1])
    return rise(*((ledger.one("hybrid_splitkv", arm=arm, context=at, round=1)["context"], splitkv_time(ledger, arm, at)) for at in ends))


@metric(unit="%", formula="rate(32768) / rate(1024)")
def splitkv_retained(ledger: Ledger, arm: str) -> Quantity:
    """Share of its rate at 1K that an arm of the comparison with vllm#45916 keeps at 32K."""
    return split_rate(ledger, arm, RUNGS[-1]) / split_rate(ledger, arm, RUNGS[0])


@metric(unit="%", formula="(max − min) / mean")
def splitkv_apart(ledger: Ledger, arm: str, context: int, rounds: tuple[int, ...] = FIRST_TWO) -> Quantity:
    """Distance between the lowest and the highest of the rounds named, as a share of their mean."""
    values = split_rounds(ledger, arm, context, rounds)
    return (largest(values) - smallest(values)) / mean(values)


@metric(unit="run")
def splitkv_count(ledger: Ledger, arm: str, context: int) -> Quantity:
    """Runs of one cell of the comparison with vllm#45916."""
    return count(ledger.rows("hybrid_splitkv", arm=arm, context=context), unit="run")


@metric(unit="tok/s", formula="mean of the two lower or the two higher rounds")
def splitkv_mode(ledger: Ledger, mode: str) -> Quantity:
    """Mean of the two lower rounds, or of the two higher ones, of the cell at 8K with vllm#45916."""
    if mode not in ("low", "high"):
        raise ValueError(f"a mode is low or high, not '{mode}'")
    values = sorted(split_rounds(ledger, "splitkv", RUNGS[1]))
    return mean(values[:2] if mode == "low" else values[2:])


@metric(unit="%", formula="mean(high) / mean(low) − 1")
def splitkv_mode_gap(ledger: Ledger) -> Quantity:
    """Distance between the two groups of rounds of the cell at 8K with vllm#45916."""
    return splitkv_mode(ledger, "high") / splitkv_mode(ledger, "low") - 1


@metric(unit="%", formula="(third − second, sorted) / (max − min)")
def splitkv_middle_gap(ledger: Ledger) -> Quantity:
    """Share of the whole range of the cell at 8K that lies between its second and third rounds, sorted."""
    values = sorted(split_rounds(ledger, "splitkv", RUNGS[1]))
    return (values[2] - values[1]) / (values[-1] - values[0])


@metric(unit="×", formula="time(July ladder, 32000) / time(vllm#45916, 32768)")
def first_trial_speedup(ledger: Ledger) -> Quantity:
    """How many times the rate of the July ladder the first trial of vllm#45916 reached, at a slightly longer context."""
    return july(ledger, HYBRID).time(32000) / ledger.one("hybrid_splitkv_july", context=RUNGS[-1])["ms_per_token"]


@metric(unit="us/tok", formula="(time(32768) − time(1024)) / (32768 − 1024)")
def first_trial_slope(ledger: Ledger) -> Quantity:
    """Time that one more token of context adds to a generated token in the first trial of vllm#45916."""
    rows = [ledger.one("hybrid_splitkv_july", context=at) for at in (RUNGS[0], RUNGS[-1])]
    return rise(*((row["context"], row["ms_per_token"]) for row in rows))
