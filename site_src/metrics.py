"""The metrics of this site: every number in the pages that is not a cell of the ledger.

The first line of a docstring is the sentence a reader sees; its Chinese stands in the catalogue. A gain is `after / before − 1`, a speed-up
`after / before`.
"""

from decimal import Decimal

from draft_methods import *  # noqa: F403  (the metrics of the draft methods, likewise)
from gate_control import *  # noqa: F403  (the metrics of the control, which fill a file of their own)
from h200 import *  # noqa: F403  (those of the kernel on an H200)
from hybrid_controls import *  # noqa: F403  (the report on hybrid decode: what it is held against, and the split)
from hybrid_decode import *  # noqa: F403  (the report on hybrid decode: ladder, profile, kernel)
from measure import *  # noqa: F403  (the page on the instruments)
from random_weights import *  # noqa: F403  (a ladder on random weights)
from restated import *  # noqa: F403
from second_card import *  # noqa: F403
from step_parts import *  # noqa: F403

from ledgermark import Ledger, Quantity, count, largest, metric, smallest
from ledgermark.units import parse_unit

DEEPEST = 32768  # the deepest rung of the ladder and of the direct kernel calls, in tokens


# The ladder: gemma-4-31B on the two Radeons


def _ladder(ledger: Ledger, arm: str, context: int) -> Quantity:
    return ledger.one("spec_ladder", arm=arm, context=context)["tok_s"]


@metric(unit="%", formula="rate(MTP) / rate(no speculation) − 1")
def mtp_gain(ledger: Ledger, context: int) -> Quantity:
    """Change in decode rate when MTP is switched on, with the gate as shipped."""
    return _ladder(ledger, "mtp_stock", context) / _ladder(ledger, "no_speculation", context) - 1


@metric(unit="%", formula="rate(MTP, second run) / rate(no speculation) − 1")
def mtp_gain_replicate(ledger: Ledger, context: int) -> Quantity:
    """Change in decode rate when MTP is switched on, with the gate as shipped, from the second run of the MTP arm."""
    return _ladder(ledger, "mtp_stock_replicate", context) / _ladder(ledger, "no_speculation", context) - 1


@metric(unit="%", formula="rate(second run) / rate(first run) − 1")
def replicate_change(ledger: Ledger, context: int) -> Quantity:
    """Difference between the second run of the MTP arm and the first."""
    return _ladder(ledger, "mtp_stock_replicate", context) / _ladder(ledger, "mtp_stock", context) - 1


@metric(unit="%", formula="max |rate(second run) / rate(first run) − 1|")
def replicate_spread(ledger: Ledger, contexts: tuple[int, ...]) -> Quantity:
    """Largest difference between the two runs of the MTP arm, over the contexts named."""
    return largest(abs(replicate_change(ledger, context)) for context in contexts)


# Both arms of the first session have its date, so the sentence may speak of either.
@metric(unit="day", formula="date(second run) − date(first run)", subjects={"arm": ()})
def replicate_gap_days(ledger: Ledger) -> Quantity:
    """Days between the two runs of the MTP arm."""
    return _day(ledger, "mtp_stock_replicate") - _day(ledger, "mtp_stock")


def _day(ledger: Ledger, arm: str) -> Quantity:
    """Return the day an arm of the ladder was measured. Raises ValueError when its rows do not agree on one."""
    days = [row["date"] for row in ledger.rows("spec_ladder", arm=arm)]
    if smallest(days) < largest(days):
        msg = f"the rows of {arm} are of several days"
        raise ValueError(msg)
    return largest(days)


@metric(unit="%", formula="max |rate(no speculation, vllm#45916) / rate(no speculation) − 1|")
def baseline_spread(ledger: Ledger, contexts: tuple[int, ...]) -> Quantity:
    """Largest difference between the two arms without speculation; the patch between them edits a path this model does not take."""
    return largest(abs(_ladder(ledger, "no_speculation_splitkv45916", at) / _ladder(ledger, "no_speculation", at) - 1) for at in contexts)


@metric(unit="%", formula="rate(32768) / rate(1024)")
def rate_retained(ledger: Ledger, arm: str) -> Quantity:
    """Share of its rate at 1K that an arm of the ladder keeps at 32K."""
    return _ladder(ledger, arm, DEEPEST) / _ladder(ledger, arm, 1024)


@metric(unit="%", formula="rate(MTP) / rate(no speculation) − 1 ≤ acceptance")
def min_acceptance(ledger: Ledger, context: int) -> Quantity:
    """Least acceptance that explains the gain: a step yields one token and the accepted draft, and costs at least one ordinary step."""
    return mtp_gain(ledger, context)


@metric(unit="×", formula="rate(no speculation) / rate(MTP)")
def step_cost_floor(ledger: Ledger, context: int) -> Quantity:
    """Least that an MTP step costs in ordinary steps: a step yields at least one token, even when the draft is rejected."""
    return _ladder(ledger, "no_speculation", context) / _ladder(ledger, "mtp_stock", context)


@metric(unit="×", formula="rate(admitted) / rate(stock, same session)")
def admitted_speedup(ledger: Ledger, context: int) -> Quantity:
    """How many times the rate of the stock gate the admission reaches, MTP on in both, same session."""
    return _ladder(ledger, "mtp_admitted", context) / _ladder(ledger, "mtp_stock_replicate", context)


@metric(unit="%", formula="rate(admitted) / rate(no speculation) − 1")
def admitted_gain(ledger: Ledger, context: int) -> Quantity:
    """Change in decode rate from no speculation to MTP with the admission."""
    return _ladder(ledger, "mtp_admitted", context) / _ladder(ledger, "no_speculation", context) - 1


@metric(unit="×", formula="rate(widened by hand) / rate(stock)")
def widened_speedup(ledger: Ledger) -> Quantity:
    """How many times the rate of the stock gate the buffers widened by hand reach at 32K."""
    return _ladder(ledger, "mtp_widened_by_hand", DEEPEST) / _ladder(ledger, "mtp_stock", DEEPEST)


@metric(unit="%", formula="rate(widened by hand) / rate(no speculation) − 1")
def widened_gain(ledger: Ledger) -> Quantity:
    """Change in decode rate from no speculation to MTP with the buffers widened by hand, at 32K."""
    return _ladder(ledger, "mtp_widened_by_hand", DEEPEST) / _ladder(ledger, "no_speculation", DEEPEST) - 1


@metric(unit="%", formula="|rate(widened by hand) / rate(admitted) − 1|")
def widened_gap(ledger: Ledger) -> Quantity:
    """Distance at 32K between the buffers widened by hand and the admission."""
    return abs(_ladder(ledger, "mtp_widened_by_hand", DEEPEST) / _ladder(ledger, "mtp_admitted", DEEPEST) - 1)


@metric(unit="%", formula="rate(BLOCK_M = 32) / rate(stock) − 1")
def block_m_32_change(ledger: Ledger) -> Quantity:
    """Change in decode rate at 32K when the tile made for Blackwell is used with MTP."""
    return _ladder(ledger, "mtp_block_m_32", DEEPEST) / _ladder(ledger, "mtp_stock", DEEPEST) - 1


# The kernel: launch geometry, direct calls, trace, numerics


def _grid(ledger: Ledger, query_rows: int, layers: str, *, split: bool) -> Quantity:
    shape = ledger.one("launch_geometry", layers=layers)
    block = shape["min_block_m"] * shape["kv_heads"] / shape["query_heads"]  # rows that one block of queries holds: BLOCK_Q
    if block < 1:
        raise ValueError(f"{layers}: more query heads a KV head than rows in a block; the launcher then takes a larger BLOCK_M")
    blocks = Quantity(Decimal(query_rows // int(block.value) + 1), parse_unit("workgroup"), block.evidence)
    return blocks * shape["kv_heads"] * (shape["segments"] / Quantity.of(1, "segment") if split else 1)


@metric(unit="workgroup", formula="(rows // BLOCK_Q + 1) × KV heads")
def workgroups_2d(ledger: Ledger, query_rows: int, layers: str = "sliding") -> Quantity:
    """Workgroups that the kernel without segments launches for one sequence, per rank and layer."""
    return _grid(ledger, query_rows, layers, split=False)


@metric(unit="workgroup", formula="(rows // BLOCK_Q + 1) × KV heads × segments")
def workgroups_3d(ledger: Ledger, query_rows: int, layers: str = "sliding") -> Quantity:
    """Workgroups that the kernel with segments launches for one sequence, per rank and layer."""
    return _grid(ledger, query_rows, layers, split=True)


@metric(unit="workgroup", formula="workgroups(3D) − workgroups(2D)")
def workgroups_idle(ledger: Ledger, query_rows: int, layers: str = "sliding") -> Quantity:
    """Workgroups that the kernel without segments leaves out, per rank and layer."""
    return workgroups_3d(ledger, query_rows, layers) - workgroups_2d(ledger, query_rows, layers)


def _call_time(ledger: Ledger, construction: int, kv_len: int, query_rows: int) -> Quantity:
    return ledger.one("kernel_sweep", construction=construction, kv_len=kv_len, query_rows=query_rows)["us_per_call"]


@metric(unit="%", formula="time(rows) / time(1 row) − 1")
def kernel_row_cost(ledger: Ledger, construction: int, kv_len: int, query_rows: int) -> Quantity:
    """Time of a direct kernel call against one query row in the same sweep."""
    return _call_time(ledger, construction, kv_len, query_rows) / _call_time(ledger, construction, kv_len, 1) - 1


@metric(unit="%", formula="max |time(construction 1) / time(construction 2) − 1|")
def construction_gap(ledger: Ledger, kv_len: int, query_rows: tuple[int, ...]) -> Quantity:
    """Largest difference between the two constructions at one length, over the numbers of query rows named."""
    return largest(abs(_call_time(ledger, 1, kv_len, rows) / _call_time(ledger, 2, kv_len, rows) - 1) for rows in query_rows)


@metric(unit="×", formula="time(MTP) / time(no speculation)")
def trace_ratio(ledger: Ledger, statistic: str) -> Quantity:
    """A statistic of the time of one kernel call at 32K, with MTP against without."""
    column = f"{statistic}_us"
    return ledger.one("kernel_trace_32k", arm="mtp")[column] / ledger.one("kernel_trace_32k", arm="no_speculation")[column]


@metric(unit="case")
def correctness_cases(ledger: Ledger) -> Quantity:
    """Cases of the comparison on fixed inputs."""
    return count(ledger.rows("kernel_correctness"), unit="case")


@metric(unit="case")
def deterministic_cases(ledger: Ledger) -> Quantity:
    """Cases in which both kernels repeat their own result bit for bit."""
    return count(ledger.rows("kernel_correctness", deterministic_2d=True, deterministic_3d=True), unit="case")


@metric(unit="case")
def bit_equal_cases(ledger: Ledger) -> Quantity:
    """Cases in which the two kernels give the same bits."""
    return count(ledger.rows("kernel_correctness", bit_equal=True), unit="case")


@metric(unit="1", formula="max |2D − 3D|")
def largest_difference(ledger: Ledger, query_rows: tuple[int, ...] = (1, 2, 4)) -> Quantity:
    """Largest absolute difference between the results of the two kernels, over the numbers of query rows named."""
    return largest(row["max_abs_diff"] for row in ledger.rows("kernel_correctness", query_rows=query_rows))


# The other vendor: one A100


def _a100_effect(ledger: Ledger, backend: str, context: int, *, one_session: bool) -> Quantity:
    with_mtp, without = (ledger.rows("a100_backend_matrix", backend=backend, context=context, speculation=kind) for kind in ("mtp", "none"))
    pairs = [(mtp, none) for mtp in with_mtp for none in without if (mtp.text("session") == none.text("session")) == one_session]
    if len(pairs) != 1:
        raise ValueError(f"{len(pairs)} pairs of {backend} at {context} in {'one session' if one_session else 'two sessions'}, expected 1")
    ((mtp, none),) = pairs
    return mtp["tok_s"] / none["tok_s"] - 1


@metric(unit="%", formula="rate(MTP) / rate(no speculation) − 1")
def a100_mtp_effect(ledger: Ledger, backend: str, context: int) -> Quantity:
    """Change in decode rate when MTP is switched on, on one A100, both runs in one session."""
    return _a100_effect(ledger, backend, context, one_session=True)


@metric(unit="%", formula="rate(MTP) / rate(no speculation) − 1")
def a100_mtp_effect_across_sessions(ledger: Ledger, backend: str, context: int) -> Quantity:
    """Change in decode rate when MTP is switched on, on one A100, the two runs in two sessions with the same software."""
    return _a100_effect(ledger, backend, context, one_session=False)


def _admission(ledger: Ledger, series: str, drafted: int, context: int) -> Quantity:
    keys: dict[str, str | int] = {"series": series, "num_speculative_tokens": drafted, "context": context}
    return ledger.one("a100_admission", gate="admitted", **keys)["tok_s"] / ledger.one("a100_admission", gate="stock", **keys)["tok_s"]


@metric(unit="×", formula="rate(admitted) / rate(stock)")
def a100_admission_speedup(ledger: Ledger, context: int) -> Quantity:
    """How many times the rate of the stock gate the admission reaches on one A100, one token drafted."""
    return _admission(ledger, "ladder", 1, context)


@metric(unit="×", formula="rate(admitted) / rate(stock)")
def a100_admission_speedup_k(ledger: Ledger, k: int) -> Quantity:
    """How many times the rate of the stock gate the admission reaches on one A100 at 30K, by the number of tokens drafted."""
    return _admission(ledger, "k_sweep", k, 30000)
