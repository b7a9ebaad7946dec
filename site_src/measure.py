"""Metrics of the page on the instruments: collectives between two H200 by message size, by single rounds.

A size is its measured rounds: their median is its time, (max − min) / mean their spread, as scripts/measure defines both. Bus bandwidth is what
each rank sends over the link in a second: S/t times 2(n − 1)/n for an all-reduce, (n − 1)/n for an all-gather.
"""

from collections.abc import Sequence
from decimal import Decimal

from once import once

from ledgermark import Ledger, Quantity, Row, count, largest, mean, metric, smallest

OPERATIONS = ("all_reduce", "all_gather")
MODES = ("graph", "eager")
SMALLEST, LARGEST = 1024, 268435456  # the ends of the sweep, in bytes
GRADE = Decimal(10)  # the widest spread, in %, with which rounds may stand as one point
LINK = Quantity.of(18 * Decimal("26.562"), "GB/s")  # 18 links of 26.562 GB/s each way, as nvidia-smi reports them
BRACKET = (4096, 16384)  # the sizes of the sweep around the messages that were timed between the Radeons, in bytes


def rounds(ledger: Ledger, operation: str, mode: str, message_bytes: int) -> list[Row]:
    """Return the measured rounds of a size, in order. Raises ValueError where there are none."""
    found = ledger.rows("h200_collective", operation=operation, mode=mode, message_bytes=message_bytes, phase="measured", status="ok")
    if not found:
        raise ValueError(f"no rounds of {operation}, {mode}, {message_bytes} bytes")
    return list(found)


@once
def message_sizes(ledger: Ledger) -> tuple[int, ...]:
    """Return the sizes of the sweep in bytes, ascending."""
    return tuple(sorted({int(row.text("message_bytes")) for row in ledger.rows("h200_collective")}))


def median(quantities: list[Quantity]) -> Quantity:
    """Return the median, with the evidence of all: which is in the middle depends on each."""
    ordered = sorted(quantities)
    middle = len(ordered) // 2
    value = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    return value + 0 * mean(quantities)


def shares_of_bus(operation: str, ranks: Quantity) -> Quantity:
    """Return what part of the message each rank sends."""
    return (ranks - 1) / ranks * (2 if operation == "all_reduce" else 1)


@metric(unit="us", formula="median of rounds")
@once
def collective_time(ledger: Ledger, operation: str, mode: str, message_bytes: int) -> Quantity:
    """Time of a collective between two H200, median of its measured rounds."""
    return median([row["us_per_call"] for row in rounds(ledger, operation, mode, message_bytes)])


@metric(unit="%", formula="(max − min) / mean of rounds")
@once
def collective_spread(ledger: Ledger, operation: str, mode: str, message_bytes: int) -> Quantity:
    """Spread of the measured rounds of a collective between two H200."""
    times = [row["us_per_call"] for row in rounds(ledger, operation, mode, message_bytes)]
    return (largest(times) - smallest(times)) / mean(times)


@metric(unit="GB/s", formula="S/t × 2(n − 1)/n, or S/t × (n − 1)/n")
@once
def collective_bus(ledger: Ledger, operation: str, mode: str, message_bytes: int) -> Quantity:
    """Bus bandwidth of a collective between two H200, at the median of its rounds."""
    row, *_ = rounds(ledger, operation, mode, message_bytes)
    return row["message_bytes"] / collective_time(ledger, operation, mode, message_bytes) * shares_of_bus(operation, row["ranks"])


@metric(unit="GB/s", formula="S/t")
@once
def collective_algorithm(ledger: Ledger, operation: str, mode: str, message_bytes: int) -> Quantity:
    """Algorithm bandwidth of a collective between two H200, at the median of its rounds."""
    row, *_ = rounds(ledger, operation, mode, message_bytes)
    return row["message_bytes"] / collective_time(ledger, operation, mode, message_bytes)


@metric(unit="%", formula="bus bandwidth / (18 × 26.562 GB/s)")
def collective_share(ledger: Ledger, operation: str, mode: str, message_bytes: int) -> Quantity:
    """Share of the bandwidth that the links between two H200 have in one direction."""
    return collective_bus(ledger, operation, mode, message_bytes) / LINK


@metric(unit="×", formula="time(size) / time(1 KiB)")
def collective_growth(ledger: Ledger, operation: str, mode: str, message_bytes: int) -> Quantity:
    """How many times as long a collective between two H200 takes as one of the smallest message."""
    return collective_time(ledger, operation, mode, message_bytes) / collective_time(ledger, operation, mode, SMALLEST)


@metric(unit="%", formula="time(graph) / time(eager) − 1")
def collective_graph_excess(ledger: Ledger, operation: str, message_bytes: int) -> Quantity:
    """How much longer a collective between two H200 takes in graph replay than launched eagerly, at the medians."""
    return collective_time(ledger, operation, "graph", message_bytes) / collective_time(ledger, operation, "eager", message_bytes) - 1


@metric(unit="us", formula="min of single rounds")
def collective_fastest_round(ledger: Ledger, operation: str, mode: str, up_to: int) -> Quantity:
    """Fastest single round of a collective between two H200, over the messages up to a size."""
    return smallest(_times(ledger, operation, mode, up_to))


@metric(unit="us", formula="max of single rounds")
def collective_slowest_round(ledger: Ledger, operation: str, mode: str, up_to: int) -> Quantity:
    """Slowest single round of a collective between two H200, over the messages up to a size."""
    return largest(_times(ledger, operation, mode, up_to))


def _times(ledger: Ledger, operation: str, mode: str, up_to: int) -> list[Quantity]:
    sizes = [size for size in message_sizes(ledger) if size <= up_to]
    return [row["us_per_call"] for size in sizes for row in rounds(ledger, operation, mode, size)]


@metric(unit="byte")
def collective_smallest(ledger: Ledger) -> Quantity:
    """Smallest message of the sweep over two H200."""
    return smallest(row["message_bytes"] for row in ledger.rows("h200_collective"))


@metric(unit="byte")
def collective_largest(ledger: Ledger) -> Quantity:
    """Largest message of the sweep over two H200."""
    return largest(row["message_bytes"] for row in ledger.rows("h200_collective"))


@metric(unit="byte", formula="largest size with a spread above 10 %, eager")
def collective_uneven_up_to(ledger: Ledger, operation: str) -> Quantity:
    """Largest message at which the eager rounds of a collective between two H200 do not agree."""
    return largest(
        rounds(ledger, operation, "eager", size)[0]["message_bytes"]
        for size in message_sizes(ledger)
        if not agree(ledger, operation, "eager", size)
    )


def agree(ledger: Ledger, operation: str, mode: str, message_bytes: int) -> bool:
    """Return whether the rounds of a size may stand as one point."""
    return collective_spread(ledger, operation, mode, message_bytes).to("%").value <= GRADE


@metric(unit="1", formula="sizes with a spread above 10 %")
def collective_uneven(ledger: Ledger, mode: str) -> Quantity:
    """Sizes whose rounds do not agree, of both collectives between two H200."""
    return _none_or_more(ledger.rows("h200_collective_sizes", mode=mode, chart_grade=False), collective_cells(ledger, mode))


@metric(unit="1", formula="sizes of both operations")
def collective_cells(ledger: Ledger, mode: str) -> Quantity:
    """Sizes measured, of both collectives between two H200."""
    return count(ledger.rows("h200_collective_sizes", mode=mode))


@metric(unit="%", formula="max over sizes and operations of (max − min) / mean")
def collective_widest_spread(ledger: Ledger, mode: str) -> Quantity:
    """Widest spread of the rounds of a size, of both collectives between two H200."""
    return largest(collective_spread(ledger, operation, mode, size) for operation in OPERATIONS for size in message_sizes(ledger))


def _none_or_more(found: Sequence[Row], among: Quantity) -> Quantity:
    """Return how many were found; that none were rests on all that were looked at."""
    return count(found, unit=among.unit.symbol) + 0 * among


@metric(unit="row")
def collective_failed(ledger: Ledger) -> Quantity:
    """Rounds that failed, or whose result was not the right one, between two H200."""
    return _none_or_more(ledger.rows("h200_collective", status="failed"), collective_rounds(ledger))


@metric(unit="row")
def collective_rounds(ledger: Ledger) -> Quantity:
    """Rows of the sweep over two H200: one for each round, the warm-up's too."""
    return count(ledger.rows("h200_collective"), unit="row")


@metric(unit="round")
def collective_measured(ledger: Ledger) -> Quantity:
    """Fewest measured rounds of a size of the sweep over two H200."""
    return smallest(
        count(rounds(ledger, operation, mode, size), unit="round")
        for operation in OPERATIONS
        for mode in MODES
        for size in message_sizes(ledger)
    )


# Between the two Radeons, whose messages lie between two sizes of the sweep


@metric(unit="×", formula="shortest time, Radeons / time of 16 KiB, H200, graph replay")
def radeons_over_h200_least(ledger: Ledger) -> Quantity:
    """How many times as long the shortest all-reduce between two Radeons takes as one of a larger message between two H200."""
    return smallest(_radeons(ledger)) / collective_time(ledger, "all_reduce", "graph", BRACKET[1])


@metric(unit="×", formula="longest time, Radeons / time of 4 KiB, H200, graph replay")
def radeons_over_h200_most(ledger: Ledger) -> Quantity:
    """How many times as long the longest all-reduce between two Radeons takes as one of a smaller message between two H200."""
    return largest(_radeons(ledger)) / collective_time(ledger, "all_reduce", "graph", BRACKET[0])


def _radeons(ledger: Ledger) -> list[Quantity]:
    return [row["us_per_call"] for row in ledger.rows("allreduce", mode="graph")]
