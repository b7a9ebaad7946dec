"""The figures of the kernel on an H200."""

from h200 import FULL, ROWS, SHAPES, floor, gate_point, point
from once import once
from plots import Look, Part, Point, bars, context_axis, frame, series, short

from ledgermark import Drawing, Ledger, Quantity, Words, figure

KV_LENS = tuple(1024 << power for power in range(8))
TICKS = (1024, 8192, 32768, 131072)
PERCENT, TIMES = "%", "×"
SHOWN = ("hybrid", "8b", "global")  # the layers that the line charts draw; the tables hold all
RELEASES = ("0.22.1", "0.28.0", "0.32.0")
Table = list[list[Quantity | str]]


def _us(words: Words, name: str, value: Quantity) -> str:
    return words("{name}: {value}", name=name, value=words.quantity(value, 1))


def _axis(layout: dict[str, Part], low: float = 2.93, high: float = 5.3) -> None:
    layout["xaxis"].update(context_axis(TICKS), range=[low, high])


@once
def _second(ledger: Ledger, shape: str, length: int, way: str) -> tuple[Quantity, Quantity, Quantity, Quantity]:
    """Return the keys of a pair of points, the time of one row and of two, and the change."""
    single = point(ledger, shape, length, 1, way)
    one, two = single["median_us"], point(ledger, shape, length, 2, way)["median_us"]
    return single["kv_len"], one, two, (two / one - 1).to(PERCENT)


@once
def _above(ledger: Ledger, shape: str, length: int, count: int, way: str) -> tuple[Quantity, ...]:
    """Return keys and query rows of a point, its time, its floor, and the one over the other."""
    row = point(ledger, shape, length, count, way)
    least = floor(row).to("us")
    return row["kv_len"], row["query_rows"], row["median_us"], least, (row["median_us"] / least).to(TIMES)


@figure
def second_row(ledger: Ledger, words: Words) -> Drawing:
    """Fig. 1: what a second query row adds to a call that takes the same path."""
    ways = (("vllm_2d", words("vLLM 0.33.0, 2D"), Look(2, "square", "dash")), ("vllm_3d", words("vLLM 0.33.0, 3D"), Look(1, "circle")))
    traces: list[Part] = []
    rows: Table = []
    looks = {"hybrid": ("", 0), "8b": ("-open", 1), "global": ("-dot", 2)}
    for way, name, look in ways:
        for shape in SHOWN:
            suffix, step = looks[shape]
            title = words("{name}, {layer}", name=name, layer=SHAPES[shape])
            points = []
            for length in KV_LENS:
                _, one, two, change = _second(ledger, shape, length, way)
                head = words("{name}, {context} keys: {value}", name=title, context=short(length), value=words.quantity(change, 2, signed=True))
                points.append(Point(length, change, (head, _us(words, words("Two rows"), two), _us(words, words("One row"), one))))
            traces.append(series(title, points, Look(look.slot + 2 * step, look.symbol + suffix, look.dash)))
        for shape in FULL:
            for length in KV_LENS:
                rows.append([name, SHAPES[shape], *_second(ledger, shape, length, way)])
    layout = frame(words("Keys in the cache"), words("Two rows against one, %"), zero=True)
    _axis(layout)
    layout["yaxis"].update(range=[-5, 5])
    return Drawing(
        title=words("What a second query row costs on the same path"),
        alt=words(
            "Line chart of the time of two query rows against one, by length, in both forms of vLLM's kernel and for several layers. "
            "From 8K on every line lies close to no change."
        ),
        plot={"data": traces, "layout": layout},
        columns=[words("Way"), words("Layer"), words("Keys"), words("One row, µs"), words("Two rows, µs"), words("Change, %")],
        rows=rows,
    )


@figure
def lost_split(ledger: Ledger, words: Words) -> Drawing:
    """Fig. 2: how many times as long a verify step of two rows takes without the split."""
    looks = (
        Look(1, "circle"),
        Look(2, "square", "dash"),
        Look(3, "diamond", "dot"),
        Look(4, "triangle-up", "dashdot"),
        Look(5, "cross", "longdash"),
    )
    traces: list[Part] = []
    rows: Table = []
    deep: list[Quantity] = []
    for shape, look in zip(FULL, looks, strict=True):
        points = []
        for length in KV_LENS:
            flat, split = (point(ledger, shape, length, 2, way)["median_us"] for way in ("vllm_2d", "vllm_3d"))
            loss = (flat / split).to(TIMES)
            head = words("{name}, {context} keys: {value}", name=SHAPES[shape], context=short(length), value=words.quantity(loss, 1))
            points.append(Point(length, loss, (head, _us(words, "2D", flat), _us(words, "3D", split))))
            rows.append([SHAPES[shape], point(ledger, shape, length, 2, "vllm_2d")["kv_len"], flat, split, loss])
            deep += [loss] if length == TICKS[2] else []
        traces.append(series(SHAPES[shape], points, look))
    layout = frame(words("Keys in the cache"), words("2D against 3D, ×"))
    _axis(layout)
    layout["yaxis"].update(rangemode="tozero")
    return Drawing(
        title=words("What losing the split costs a step of two rows"),
        alt=words(
            "Line chart of the time in the 2D form over the time in the 3D form, two rows, by length and layer. "
            "The ratio climbs steeply up to 8K and then stays, at 32K between {low} and {high}.",
            low=words.quantity(min(deep), 1),
            high=words.quantity(max(deep), 1),
        ),
        plot={"data": traces, "layout": layout},
        columns=[words("Layer"), words("Keys"), words("2D, µs"), words("3D, µs"), words("2D against 3D, ×")],
        rows=rows,
    )


@figure
def above_floor(ledger: Ledger, words: Words) -> Drawing:
    """Fig. 3: how far from the floor each way stays, by length."""
    ways = (
        ("vllm_3d", words("vLLM 0.33.0, 3D"), "square", "dash"),
        ("sixteen", words("Ours, split as vLLM does"), "triangle-up", "dot"),
        ("occupancy", words("Ours, by occupancy"), "circle", "solid"),
    )
    traces: list[Part] = []
    rows: Table = []
    for place, (way, name, symbol, dash) in enumerate(ways):
        for step, shape in enumerate(("hybrid", "8b")):
            title = words("{name}, {layer}", name=name, layer=SHAPES[shape])
            points = []
            for length in KV_LENS:
                *_, time, least, ratio = _above(ledger, shape, length, 1, way)
                head = words("{name}, {context} keys: {value}", name=title, context=short(length), value=words.quantity(ratio, 2))
                points.append(Point(length, ratio, (head, _us(words, words("Time"), time), _us(words, words("Floor"), least))))
            traces.append(series(title, points, Look(2 * place + step + 1, symbol + ("-open" if step else ""), dash)))
        for shape in FULL:
            for length in KV_LENS:
                for count in ROWS:
                    rows.append([name, SHAPES[shape], *_above(ledger, shape, length, count, way)])
    layout = frame(words("Keys in the cache"), words("Time over the floor, ×"))
    _axis(layout)
    layout["yaxis"].update(type="log", range=[-0.08, 1.35], tickmode="array", tickvals=[1, 2, 4, 8, 16], ticktext=["1", "2", "4", "8", "16"])
    return Drawing(
        title=words("How far each way stays above the floor, one row"),
        alt=words(
            "Line chart of time over the floor by length for a hybrid's layer and an 8B's. vLLM's 3D form stays far above the floor, our "
            "kernel with as many segments lies between, and the plan by occupancy comes down to the floor at the longest contexts."
        ),
        plot={"data": traces, "layout": layout},
        columns=[
            words("Way"),
            words("Layer"),
            words("Keys"),
            words("Query rows"),
            words("Time, µs"),
            words("Floor, µs"),
            words("Over the floor, ×"),
        ],
        rows=rows,
    )


@figure
def patched_kernel(ledger: Ledger, words: Words) -> Drawing:
    """Fig. 4: vLLM's own kernel, two rows at 32K, as shipped against patched."""
    traces: list[Part] = []
    rows: Table = []
    gains: list[Quantity] = []
    patterns = ("", "/", "x")
    for place, release in enumerate(RELEASES):
        points = []
        for index, shape in enumerate(FULL):
            before, after = (gate_point(ledger, release, shape, 32768, 2, way)["median_us"] for way in ("stock", "source patch"))
            gain = (before / after).to(TIMES)
            name = words("vLLM {release}", release=release)
            head = words("{name}, {layer}: {value}", name=name, layer=SHAPES[shape], value=words.quantity(gain, 2))
            lines = (head, _us(words, words("As shipped"), before), _us(words, words("Patched"), after))
            label = words.number(gain, 1) if place == 1 else ""  # one of the bars side by side: three labels collide on a phone
            points.append(Point(index + (place - 1) * 0.27, gain, lines, label))
            rows.append([name, SHAPES[shape], before, after, gain])
            gains.append(gain)
        traces.append(bars(words("vLLM {release}", release=release), points, Look(place + 1, pattern=patterns[place]), width=0.25))
    layout = frame("", words("As shipped against patched, ×"), barmode="overlay")
    ticks = [SHAPES[shape].removeprefix("31B-tp2 ").removeprefix("31B-").removeprefix("27B ") for shape in FULL]
    layout["xaxis"].update(tickmode="array", tickvals=list(range(len(FULL))), ticktext=ticks, range=[-0.55, len(FULL) - 0.45])
    layout["yaxis"].update(rangemode="tozero")
    return Drawing(
        title=words("vLLM's own kernel, two rows at 32K, as shipped and patched"),
        alt=words(
            "Bar chart of the time as shipped over the time with the patch, by release and layer. The bars lie between {low} and {high}.",
            low=words.quantity(min(gains), 1),
            high=words.quantity(max(gains), 1),
        ),
        plot={"data": traces, "layout": layout},
        columns=[words("Release"), words("Layer"), words("As shipped, µs"), words("Patched, µs"), words("As shipped against patched, ×")],
        rows=rows,
    )
