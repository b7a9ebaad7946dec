"""Metrics of the kernel on an H200: what a second row costs, what losing the split costs, and how far from the floor each way stays.

The floor of a point is the time that a copy at the bandwidth of the same run would need for the keys and values that must be read once.
Points of the sweep carry pages in the order in which a fresh engine hands them out.
"""

from decimal import Decimal

from ledgermark import Ledger, Quantity, Row, count, largest, metric, smallest

SHAPES = {
    "global": "31B-tp2 global",
    "sliding": "31B-tp2 sliding",
    "global2": "31B-tp2 global 2kv",
    "d256": "31B-tp2 d256",
    "tp1": "31B-tp1",
    "hybrid": "27B hybrid",
    "8b": "8B",
}
FULL = ("global", "d256", "tp1", "hybrid", "8b")  # the layers of the plan that read the whole context
WAYS = {
    "vllm_2d": "vllm 0.33.0 2D",
    "vllm_3d": "vllm 0.33.0 3D",
    "vllm_0_28_2d": "vllm 0.28.0 2D",
    "vllm_0_28_3d": "vllm 0.28.0 3D",
    "sixteen": "vllm_0_33",
    "stock": "stock",
    "occupancy": "occupancy",
    "sdpa": "sdpa",
}
ROWS = (1, 2, 4, 8)


def point(ledger: Ledger, shape: str, kv_len: int, rows: int, way: str) -> Row:
    """Return the row of one point of the sweep; the ways and shapes go by the short names above."""
    return ledger.one(
        "h200_attention", shape=_named(SHAPES, shape), kv_len=kv_len, query_rows=rows, contender=_named(WAYS, way), page_order="in order"
    )


def _named(names: dict[str, str], name: str) -> str:
    if name not in names:
        raise ValueError(f"'{name}' is none of {', '.join(names)}")
    return names[name]


def floor(row: Row) -> Quantity:
    """Return the time that the keys and values of a point take at the copy bandwidth of its run."""
    return row["kv_bytes"] / row["copy_gb_s"]


def _ratios(ledger: Ledger, kv_len: int, way: str, shapes: tuple[str, ...]) -> list[Quantity]:
    points = [point(ledger, shape, kv_len, rows, way) for shape in shapes for rows in ROWS]
    return [row["median_us"] / floor(row) for row in points]


@metric(unit="us")
def h200_time(ledger: Ledger, shape: str, kv_len: int, way: str, rows: int = 1) -> Quantity:
    """Median time of an attention call on the H200."""
    return point(ledger, shape, kv_len, rows, way)["median_us"]


@metric(unit="us", formula="bytes of K and V / copy bandwidth")
def h200_floor(ledger: Ledger, shape: str, kv_len: int, rows: int = 1) -> Quantity:
    """Time that reading the keys and values once takes at the copy bandwidth of the H200."""
    return floor(point(ledger, shape, kv_len, rows, "occupancy"))


@metric(unit="×", formula="time / (bytes of K and V / copy bandwidth)")
def h200_over_floor(ledger: Ledger, shape: str, kv_len: int, way: str, rows: int = 1) -> Quantity:
    """Time of a call over the time that its keys and values take at the copy bandwidth."""
    row = point(ledger, shape, kv_len, rows, way)
    return row["median_us"] / floor(row)


@metric(unit="×", formula="max over layers and 1, 2, 4, 8 rows of time / floor")
def h200_worst_over_floor(ledger: Ledger, kv_len: int, way: str, shapes: tuple[str, ...] = FULL) -> Quantity:
    """Largest time over the floor, over the layers that read the whole context and 1 to 8 query rows."""
    return largest(_ratios(ledger, kv_len, way, shapes))


@metric(unit="×", formula="min over layers and 1, 2, 4, 8 rows of time / floor")
def h200_best_over_floor(ledger: Ledger, kv_len: int, way: str, shapes: tuple[str, ...] = FULL) -> Quantity:
    """Smallest time over the floor, over the layers that read the whole context and 1 to 8 query rows."""
    return smallest(_ratios(ledger, kv_len, way, shapes))


@metric(unit="×", formula="time(2D) / time(3D)")
def h200_split_loss(ledger: Ledger, shape: str, kv_len: int, rows: int = 2) -> Quantity:
    """How many times as long vLLM's kernel takes without the split as with it."""
    return point(ledger, shape, kv_len, rows, "vllm_2d")["median_us"] / point(ledger, shape, kv_len, rows, "vllm_3d")["median_us"]


@metric(unit="×", formula="min over layers of time(2D) / time(3D)")
def h200_split_loss_smallest(ledger: Ledger, kv_len: int, rows: int = 2) -> Quantity:
    """Least that losing the split costs, over the layers that read the whole context."""
    return smallest(h200_split_loss(ledger, shape, kv_len, rows) for shape in FULL)


@metric(unit="×", formula="max over layers of time(2D) / time(3D)")
def h200_split_loss_largest(ledger: Ledger, kv_len: int, rows: int = 2) -> Quantity:
    """Most that losing the split costs, over the layers that read the whole context."""
    return largest(h200_split_loss(ledger, shape, kv_len, rows) for shape in FULL)


@metric(unit="%", formula="time(rows) / time(1 row) − 1, same path")
def h200_row_cost(ledger: Ledger, shape: str, kv_len: int, way: str, rows: int = 2) -> Quantity:
    """What more query rows add to a call that takes the same path."""
    return point(ledger, shape, kv_len, rows, way)["median_us"] / point(ledger, shape, kv_len, 1, way)["median_us"] - 1


@metric(unit="%", formula="max over layers of |time(rows) / time(1 row) − 1|, same path")
def h200_row_cost_largest(ledger: Ledger, kv_len: int, way: str, rows: int = 2) -> Quantity:
    """Most that more query rows change the time of a call that takes the same path, over the layers that read the whole context."""
    return largest(abs(h200_row_cost(ledger, shape, kv_len, way, rows)) for shape in FULL)


@metric(unit="×", formula="time(the other way) / time(occupancy)")
def h200_speedup(ledger: Ledger, shape: str, kv_len: int, over: str, rows: int = 1) -> Quantity:
    """How many times as long another way takes as our kernel under the occupancy policy."""
    return point(ledger, shape, kv_len, rows, over)["median_us"] / point(ledger, shape, kv_len, rows, "occupancy")["median_us"]


@metric(unit="×", formula="min over layers, contexts and rows of time(vLLM 3D) / time(occupancy)")
def h200_speedup_smallest(ledger: Ledger, kv_len: tuple[int, ...], over: str, shapes: tuple[str, ...] = FULL) -> Quantity:
    """Least that the occupancy policy gains on another way, over the layers, contexts and 1 to 8 query rows."""
    return smallest(h200_speedup(ledger, shape, length, over, rows) for shape in shapes for length in kv_len for rows in ROWS)


@metric(unit="workgroup")
def h200_workgroups(ledger: Ledger, shape: str, kv_len: int, way: str, rows: int = 1) -> Quantity:
    """Workgroups that a call of our kernel starts on the H200."""
    return point(ledger, shape, kv_len, rows, way)["workgroups"]


@metric(unit="GB/s")
def h200_copy_bandwidth(ledger: Ledger) -> Quantity:
    """Bandwidth of a device-to-device copy in the run of the 8B's layer, bytes read and bytes written both counted."""
    return point(ledger, "8b", 131072, 1, "occupancy")["copy_gb_s"]


@metric(unit="×", formula="max of error(occupancy) / error(SDPA), one row")
def h200_error_against_sdpa(ledger: Ledger) -> Quantity:
    """Largest error of our kernel over that of torch's attention at the same point, both against float64."""
    return largest(
        point(ledger, shape, int(row.text("kv_len")), 1, "occupancy")["relative_error"] / row["relative_error"]
        for shape in (*FULL, "global2")
        for row in ledger.rows("h200_attention", shape=SHAPES[shape], query_rows=1, contender="sdpa", page_order="in order")
    )


@metric(unit="case")
def h200_correct_cases(ledger: Ledger) -> Quantity:
    """Fixed inputs on which each path repeats its bits and the two are at most one unit in the last place apart."""
    return count(ledger.rows("h200_correctness", ok=True), unit="case")


@metric(unit="1")
def h200_ulps(ledger: Ledger) -> Quantity:
    """Largest distance of the two paths, in bf16 units in the last place of the largest element of a head's vector."""
    return largest(row["ulps_apart"] for row in ledger.rows("h200_correctness"))


@metric(unit="1")
def kernels_compiled(ledger: Ledger, machine: str = "") -> Quantity:
    """Kernels compiled for devices that were not there."""
    return count([row for row in ledger.rows("kernel_compile") if machine in row.text("machine")])


@metric(unit="1")
def kernels_spilling(ledger: Ledger, machine: str = "") -> Quantity:
    """Kernels whose registers the compiler had to spill, among those compiled for devices that were not there."""
    return count([row for row in ledger.rows("kernel_compile") if machine in row.text("machine") and row["spilled"].value > Decimal(0)])


@metric(unit="%")
def h200_counter(ledger: Ledger, shape: str, rows: int, counter: str) -> Quantity:
    """A hardware counter of the attention kernel at 128K keys, in percent: memory throughput of its peak, or warps of the most it holds."""
    return ledger.one("h200_profile", shape=_named(SHAPES, shape), kv_len=131072, query_rows=rows, kernel="attention")[counter]


def gate_point(ledger: Ledger, release: str, shape: str, kv_len: int, rows: int, way: str) -> Row:
    """Return one launch of vLLM's own kernel with random inputs."""
    return ledger.one("h200_gate_patch", release=release, shape=_named(SHAPES, shape), scores="random", kv_len=kv_len, query_rows=rows, way=way)


@metric(unit="us")
def patched_time(ledger: Ledger, release: str, shape: str, kv_len: int, rows: int = 2, way: str = "source patch") -> Quantity:
    """Time of a launch of vLLM's own kernel, as shipped or patched."""
    return gate_point(ledger, release, shape, kv_len, rows, way)["median_us"]


@metric(unit="×", formula="time(as shipped) / time(source patch)")
def patched_speedup(ledger: Ledger, release: str, shape: str, kv_len: int, rows: int = 2) -> Quantity:
    """How many times as fast vLLM's own kernel is with the source patch as as shipped."""
    return patched_time(ledger, release, shape, kv_len, rows, "stock") / patched_time(ledger, release, shape, kv_len, rows)


@metric(unit="×", formula="min over releases and layers of time(as shipped) / time(source patch)")
def patched_speedup_smallest(ledger: Ledger, kv_len: int, rows: int = 2) -> Quantity:
    """Least that the source patch gains on vLLM's own kernel as shipped, over three releases and five layers."""
    return smallest(patched_speedup(ledger, release, shape, kv_len, rows) for release in _releases(ledger) for shape in FULL)


@metric(unit="×", formula="max over releases and layers of time(as shipped) / time(source patch)")
def patched_speedup_largest(ledger: Ledger, kv_len: int, rows: int = 2) -> Quantity:
    """Most that the source patch gains on vLLM's own kernel as shipped, over three releases and five layers."""
    return largest(patched_speedup(ledger, release, shape, kv_len, rows) for release in _releases(ledger) for shape in FULL)


@metric(unit="us", formula="max over releases, layers and contexts of time(entry point) − time(source patch), 2 and 4 rows")
def entry_point_cost(ledger: Ledger) -> Quantity:
    """Most that the entry point takes longer than the source patch in a call of several rows."""
    rows = ledger.rows("h200_gate_patch", way="entry point", scores="random", query_rows=(2, 4))
    return largest(
        row["median_us"]
        - ledger.one(
            "h200_gate_patch",
            way="source patch",
            scores="random",
            **{key: row.text(key) for key in ("release", "shape", "kv_len", "query_rows")},
        )["median_us"]
        for row in rows
    )


@metric(unit="1")
def lost_row_error(ledger: Ledger, way: str, release: str = "0.28.0") -> Quantity:
    """Largest absolute error of vLLM's own kernel at two rows and 33 keys when every score is −200."""
    return ledger.one("h200_gate_patch", release=release, scores="all far below zero", way=way)["largest_error"]


def _releases(ledger: Ledger) -> list[str]:
    return list(dict.fromkeys(row.text("release") for row in ledger.rows("h200_gate_patch")))
