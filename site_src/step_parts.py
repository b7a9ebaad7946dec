"""Metrics of what a decode step on two cards is made of: its all-reduces, its memory traffic, and what MTP does to the split kernel."""

from second_card import PEAK, SHALLOWEST, WITHDRAWN_ALLREDUCE, decode_cells, decode_rate

from ledgermark import Ledger, Quantity, Row, largest, metric, smallest

# The pairs of single runs that the comparison began with: context on the Radeons, context on the A100.
PROBE = {1024: 1000, 8192: 8000, 16384: 16000, 32768: 30000}
CARDS = 2


def _shape(ledger: Ledger, model: str) -> Row:
    return ledger.one("model_shapes", model=model)


def _graph_call(ledger: Ledger, model: str) -> Quantity:
    return ledger.one("allreduce", mode="graph", hidden=int(_shape(ledger, model).text("hidden")))["us_per_call"]


@metric(unit="ms", formula="1 token / rate")
def decode_step(ledger: Ledger, run: str, context: int = SHALLOWEST) -> Quantity:
    """Time of one decode step without speculation, which yields one token."""
    return Quantity.of(1, "tok") / decode_rate(ledger, run, context)


@metric(unit="ms", formula="step(deepest) − step(shallowest)")
def ladder_step_growth(ledger: Ledger, run: str) -> Quantity:
    """What a decode step takes longer at the longest context of a ladder than at the shortest."""
    contexts = list(decode_cells(ledger, run))
    return decode_step(ledger, run, contexts[-1]) - decode_step(ledger, run, contexts[0])


@metric(unit="1", formula="2 × layers + 1")
def collectives(ledger: Ledger, model: str) -> Quantity:
    """All-reduces in one decode step on two cards: two for each layer and one for the embedding."""
    return 2 * _shape(ledger, model)["layers"] + 1


@metric(unit="ms", formula="(2 × layers + 1) × time of one")
def allreduce_step(ledger: Ledger, model: str) -> Quantity:
    """Time of all the all-reduces of one decode step, each at its time in graph replay."""
    return collectives(ledger, model) * _graph_call(ledger, model)


@metric(unit="%", formula="all-reduces / decode step at 500 tokens")
def allreduce_share(ledger: Ledger, model: str, run: str) -> Quantity:
    """Share of the decode step on two cards that its all-reduces take."""
    return allreduce_step(ledger, model) / decode_step(ledger, run)


@metric(unit="ms", formula="step(two) − step(one) / 2 − all-reduces")
def unexplained_step(ledger: Ledger, model: str, one: str, two: str) -> Quantity:
    """What the step on two cards takes beyond half the step on one and its all-reduces, if halving the weights halved the step."""
    return decode_step(ledger, two) - decode_step(ledger, one) / CARDS - allreduce_step(ledger, model)


@metric(unit="us", formula="min over sizes")
def allreduce_least(ledger: Ledger, mode: str) -> Quantity:
    """Shortest time of one all-reduce at batch 1 over the hidden sizes timed."""
    return smallest(row["us_per_call"] for row in ledger.rows("allreduce", mode=mode))


@metric(unit="us", formula="max over sizes")
def allreduce_most(ledger: Ledger, mode: str) -> Quantity:
    """Longest time of one all-reduce at batch 1 over the hidden sizes timed."""
    return largest(row["us_per_call"] for row in ledger.rows("allreduce", mode=mode))


@metric(unit="×", formula="withdrawn / longest, in graph replay")
def withdrawn_least(ledger: Ledger) -> Quantity:
    """How many times the longest all-reduce timed in graph replay the figure withdrawn is."""
    return WITHDRAWN_ALLREDUCE / allreduce_most(ledger, "graph")


@metric(unit="×", formula="withdrawn / shortest, in graph replay")
def withdrawn_most(ledger: Ledger) -> Quantity:
    """How many times the shortest all-reduce timed in graph replay the figure withdrawn is."""
    return WITHDRAWN_ALLREDUCE / allreduce_least(ledger, "graph")


def weights_on_a_card(ledger: Ledger, model: str) -> Quantity:
    """Return the weights that each of two cards reads for a token, every one once, in GiB/tok."""
    return ledger.one("model_geometry", model=model)["weights_gib_per_token"] / CARDS


@metric(unit="GB/s", formula="weights / 2 × rate")
def bandwidth_bound(ledger: Ledger, model: str, run: str) -> Quantity:
    """Most that one of the two cards reads from its memory while decoding, if every token reads every weight once."""
    return weights_on_a_card(ledger, model) * decode_rate(ledger, run, SHALLOWEST)


@metric(unit="%", formula="weights / 2 × rate / 800 GB/s")
def bandwidth_share(ledger: Ledger, model: str, run: str) -> Quantity:
    """Upper bound of the share of its nominal memory bandwidth that each of the two cards reaches while decoding."""
    return bandwidth_bound(ledger, model, run) / PEAK


@metric(unit="%", formula="memory controller busy, one card")
def busy_one(ledger: Ledger, model: str, context: int) -> Quantity:
    """Share of time in which the memory controller of a single card is busy while decoding."""
    return ledger.one("memory_busy", machine=_machine(1), model=model, context=context)["memory_busy_pct"]


@metric(unit="%", formula="memory controller busy, two cards")
def busy_two(ledger: Ledger, model: str, context: int) -> Quantity:
    """Share of time in which the memory controllers are busy while decoding on two cards."""
    return ledger.one("memory_busy", machine=_machine(2), model=model, context=context)["memory_busy_pct"]


@metric(unit="×", formula="rate(two) / rate(one)")
def busy_speedup(ledger: Ledger, model: str, context: int) -> Quantity:
    """What the second card makes of the decode rate, in the session that sampled the memory controller."""
    one, two = (ledger.one("memory_busy", machine=_machine(cards), model=model, context=context)["tok_s"] for cards in (1, 2))
    return two / one


def _machine(cards: int) -> str:
    return "1x RX 7900 XT (gfx1100), VFIO guest" if cards == 1 else "2x RX 7900 XT (gfx1100), TP=2, VFIO guest"


@metric(unit="1", formula="KV heads of a rank × ranks")
def heads_unsplit(ledger: Ledger, layers: str) -> Quantity:
    """KV heads of a layer where one card holds the whole model."""
    row = ledger.one("launch_geometry", layers=layers)
    return row["kv_heads"] * row["tensor_parallel"]


@metric(unit="%", formula="rate(30000) / rate(1000)")
def a100_rate_retained(ledger: Ledger, gate: str) -> Quantity:
    """Share of its rate at 1K that the A100 keeps at 30K with MTP, one token drafted."""
    deep, short = (ledger.one("a100_admission", series="ladder", gate=gate, context=at)["tok_s"] for at in (30000, 1000))
    return deep / short


@metric(unit="%", formula="rate(admitted) / rate(no speculation) − 1")
def a100_admitted_gain(ledger: Ledger) -> Quantity:
    """Change in decode rate on the A100 at 30K from no speculation to MTP with the admission, across two of its machines."""
    admitted = ledger.one("a100_admission", series="ladder", gate="admitted", context=30000)
    return admitted["tok_s"] / ledger.one("a100_backend_matrix", backend="triton_forced", speculation="none", context=30000)["tok_s"] - 1


@metric(unit="×", formula="rate(A100) / rate(Radeons), one run each")
def probe_lead(ledger: Ledger, context: int) -> Quantity:
    """Lead of the A100 over the two Radeons in the four pairs of single runs of 2026-08-26, MTP with the admission on both."""
    if context not in PROBE:
        raise ValueError(f"no pair of runs at {context}; there are {', '.join(map(str, PROBE))}")
    a100 = ledger.one("a100_admission", series="ladder", gate="admitted", context=PROBE[context])
    return a100["tok_s"] / ledger.one("spec_ladder", arm="mtp_admitted", context=context)["tok_s"]
