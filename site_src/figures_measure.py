"""The figure of the page on the instruments: collectives between two H200 by message size.

A size whose rounds do not agree has no point on a line: its rounds are drawn one by one, as the rule for charts has it.
"""

from collections.abc import Sequence

from measure import MODES, OPERATIONS, agree, collective_algorithm, collective_bus, collective_spread, collective_time, message_sizes, rounds
from plots import Look, Part, Point, frame, series

from ledgermark import Drawing, Ledger, Quantity, Words, figure, largest, smallest

TableRows = list[Sequence[Quantity | str]]
Cell = tuple[int, str, Quantity, Quantity, tuple[str, ...]]

TICKS = (1024, 16384, 262144, 4194304, 67108864)
TIME_TICKS = (10, 20, 50, 100, 200, 500, 1000)
BUS_TICKS = (0.01, 0.1, 1, 10, 100)
LOOKS = {
    ("all_reduce", "graph"): Look(1, "circle"),
    ("all_reduce", "eager"): Look(2, "square", "dash"),
    ("all_gather", "graph"): Look(3, "diamond", "dot"),
    ("all_gather", "eager"): Look(4, "triangle-up", "dashdot"),
}


def size_name(message_bytes: int) -> str:
    """Return a size as it is spoken of: 4194304 is 4 MiB."""
    power = min((message_bytes.bit_length() - 1) // 10, 2)
    return f"{message_bytes >> 10 * power} {('B', 'KiB', 'MiB')[power]}"


def _said(words: Words, name: str, value: Quantity, places: int = 1) -> str:
    return words("{name}: {value}", name=name, value=words.quantity(value, places))


def _bus_places(value: Quantity) -> int:
    """Return the decimals of a bandwidth, which runs over five orders of magnitude."""
    return 1 if value.value >= 10 else 3


def _about(ledger: Ledger, words: Words, operation: str, mode: str, size: int) -> tuple[str, ...]:
    """Return the hover lines that all points of a size have: its rounds together."""
    times = [row["us_per_call"] for row in rounds(ledger, operation, mode, size)]
    algorithm, bus = (measured(ledger, operation, mode, size) for measured in (collective_algorithm, collective_bus))
    return (
        _said(words, words("Median of {count} rounds", count=len(times)), collective_time(ledger, operation, mode, size)),
        _said(words, words("Fastest round"), smallest(times)),
        _said(words, words("Slowest round"), largest(times)),
        _said(words, words("Spread"), collective_spread(ledger, operation, mode, size).to("%")),
        _said(words, words("Bus bandwidth"), bus.to("GB/s"), _bus_places(bus.to("GB/s"))),
        _said(words, words("Algorithm bandwidth"), algorithm.to("GB/s"), _bus_places(algorithm.to("GB/s"))),
    )


def _cells(ledger: Ledger, words: Words, operation: str, mode: str, *, single: bool) -> list[Cell]:
    """Return what a series draws: size, what the mark is, time, bandwidth, hover lines; medians, or the single rounds of uneven sizes."""
    cells: list[Cell] = []
    for size in message_sizes(ledger):
        if agree(ledger, operation, mode, size) == single:
            continue
        about = _about(ledger, words, operation, mode, size)
        if single:
            cells += [
                (size, words("Round {number}", number=row.text("round")), row["us_per_call"], row["bus_gb_s"], about)
                for row in rounds(ledger, operation, mode, size)
            ]
        else:
            time, bus = collective_time(ledger, operation, mode, size), collective_bus(ledger, operation, mode, size).to("GB/s")
            cells.append((size, words("Median"), time, bus, about))
    return cells


@figure
def all_reduce_sizes(ledger: Ledger, words: Words) -> Drawing:
    """Fig. 1: time and bus bandwidth of all-reduce and all-gather between two H200, by message size."""
    names = {"all_reduce": "all-reduce", "all_gather": "all-gather", "graph": words("graph replay"), "eager": words("eager")}
    traces: dict[str, list[Part]] = {"time": [], "bus": []}
    rows: TableRows = []
    for operation in OPERATIONS:
        for mode in MODES:
            for single in (False, True):
                look = LOOKS[operation, mode]
                parts = {"operation": names[operation], "mode": names[mode]}
                name = words("{operation}, {mode}, single rounds", **parts) if single else words("{operation}, {mode}", **parts)
                cells = _cells(ledger, words, operation, mode, single=single)
                if not cells:
                    continue  # all rounds of this way agree
                if single:
                    look = Look(look.slot, f"{look.symbol}-open", joined=False, size=7)
                traces["time"].append(series(name, [_point(words, name, cell, cell[2]) for cell in cells], look))
                traces["bus"].append(series(name, [_point(words, name, cell, cell[3]) for cell in cells], look))
                for size, what, time, bus, _ in cells:
                    spread = collective_spread(ledger, operation, mode, size).to("%")
                    rows.append([names[operation], names[mode], size_name(size), what, time, bus, spread])
    return Drawing(
        title=words("All-reduce and all-gather between two H200, by message size"),
        alt=words(
            "Line chart of the time of a call by message size, both axes logarithmic. Replayed in a graph both collectives run nearly flat up "
            "to a quarter of a mebibyte and rise in proportion at the right. Launched eagerly, small messages take several times as long, and "
            "their single rounds scatter; the largest agree with the replay."
        ),
        plot=_plot(words, traces["time"], words("Time of a call, µs"), TIME_TICKS, [0.95, 3.05]),
        view=words("Time"),
        views={words("Bus bandwidth"): _plot(words, traces["bus"], words("Bus bandwidth, GB/s"), BUS_TICKS, [-2.15, 2.75])},
        columns=[
            words("Operation"),
            words("Launched"),
            words("Message"),
            words("Mark"),
            words("Time, µs"),
            words("Bus bandwidth, GB/s"),
            words("Spread of the rounds, %"),
        ],
        rows=rows,
    )


def _point(words: Words, name: str, cell: Cell, value: Quantity) -> Point:
    size, what, _, _, about = cell
    places = 2 if value.value >= 1 else 3
    head = words("{name}, {size}: {value}", name=name, size=size_name(size), value=words.quantity(value, places))
    return Point(size, value, (head, what, *about))


def _plot(words: Words, traces: list[Part], title: str, ticks: Sequence[float], ends: list[float]) -> Part:
    layout = frame(words("Message"), title)
    layout["xaxis"].update(type="log", tickmode="array", tickvals=list(TICKS), ticktext=[size_name(tick) for tick in TICKS], range=[2.9, 8.55])
    layout["yaxis"].update(type="log", tickmode="array", tickvals=list(ticks), ticktext=[f"{tick:g}" for tick in ticks], range=ends)
    return {"data": traces, "layout": layout}
