"""Whether the unit that a column's name ends in, as `median_us` does, is the one that the descriptor gives it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from ledgermark.findings import Finding
from ledgermark.messages import Message
from ledgermark.units import Unit, parse_unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ledgermark.descriptor import Dataset

_BYTES: Final = {name.lower(): name for name in ("KiB", "MiB", "GiB", "TiB", "kB", "MB", "GB", "TB")}
# What means nothing else at the end of a name.
_PLAIN: Final = {
    **{name.lower(): name for name in ("ns", "us", "ms", "kHz", "MHz", "GHz")},
    **_BYTES,
    "pct": "%",
    "percent": "%",
    "bytes": "B",
}
# What may be a height, a width, a plural as well: only another unit of the same kind contradicts it. `min` is mostly a minimum.
_DOUBTFUL: Final = {"h": "h", "w": "W", "hz": "Hz"}
_COUNTS: Final = {name + end: name for name in ("tok", "chunk", "step", "call", "row") for end in ("", "s")} | {"token": "tok", "tokens": "tok"}


def check_suffixes(path: str, data: bytes, datasets: Iterable[Dataset]) -> Iterator[Finding]:
    """Yield the columns whose name ends in another unit than theirs.

    Args:
        path: the descriptor's path.
        data: its bytes.
        datasets: what it describes.
    """
    text = data.decode("utf-8", "replace")
    for dataset in datasets:
        for column in dataset.columns:
            wanted = contradicted(column.name, column.unit) if column.unit else ""
            if wanted and column.unit:
                message = Message(
                    "'{dataset}.{name}' ends in {wanted}, and its unit is {unit}; mend the name or the unit",
                    dataset=dataset.name,
                    name=column.name,
                    wanted=wanted,
                    unit=column.unit.symbol,
                )
                start = max(text.find(json.dumps(dataset.name, ensure_ascii=False)), 0)
                offset = max(text.find(json.dumps(column.name, ensure_ascii=False), start), 0)
                yield Finding(path, text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1, "LM508", message)


def contradicted(name: str, unit: Unit) -> str:
    """Return the unit that a column's name ends in where that is not its unit, or an empty text.

    A name of one part is a word, and `us_per_call` may be in µs as well as in µs/call.

    Args:
        name: the column's.
        unit: what the descriptor says.
    """
    *before, last = name.lower().split("_")
    if not before or "per" in before:
        return ""
    if last == "s":
        rate = (_BYTES | _COUNTS).get(before[-1])
        if rate is None:
            return "s" if unit.dimensions and not _same("s", unit) else ""
        # `step_s` may be how long a step took, `first_chunk_s` when the first chunk came.
        late = before[-1] in _COUNTS and (len(before) > 1 or rate != "tok") and _same("s", unit)
        return "" if late or _same(f"{rate}/s", unit) else f"{rate}/s"
    if last in _PLAIN:
        return "" if _same(_PLAIN[last], unit) else _PLAIN[last]
    wanted = _DOUBTFUL.get(last, "")
    return wanted if wanted and parse_unit(wanted).measures_like(unit) and not _same(wanted, unit) else ""


def _same(symbol: str, unit: Unit) -> bool:
    wanted = parse_unit(symbol)
    if wanted.ratio:
        return unit.symbol in (symbol, "pp")  # a difference of percentages is named like one
    return (wanted.factor, wanted.dimensions) == (unit.factor, unit.dimensions)
