"""Whatever data, metrics and figures hold, the check answers with findings, never with an exception."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.bars.answers import ALL_FORMS, answers

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.copies import Copy


def descriptor(edit: Callable[[dict[str, Any]], None]) -> Callable[[str], str]:
    """Return an edit of the descriptor's text: `edit` is given its first resource."""

    def edited(text: str) -> str:
        package = json.loads(text)
        edit(package["resources"][0])
        return json.dumps(package)

    return edited


def put(*path: str | int, to: Any) -> Callable[[str], str]:
    def edit(resource: Any) -> None:
        for step in path[:-1]:
            resource = resource[step]
        resource[path[-1]] = to

    return descriptor(edit)


def drop(*path: str | int) -> Callable[[str], str]:
    def edit(resource: Any) -> None:
        for step in path[:-1]:
            resource = resource[step]
        del resource[path[-1]]

    return descriptor(edit)


RATE = ("schema", "fields", 4)
PATTERNS: tuple[Any, ...] = ("(", "[", "*", [])
ODD_COUNTS: tuple[Any, ...] = (5, True, 1e308)
ODD: tuple[Any, ...] = (None, 5, True, [], {}, [[]], {"a": 1}, "\ud800", "\u0000", "a\nb", "/etc/passwd")
DESCRIPTORS: dict[str, Callable[[str], str]] = {
    **{f"no {name}": drop(name) for name in ("name", "path", "evidence", "schema")},
    **{f"no {name}": drop("schema", name) for name in ("fields", "primaryKey")},
    **{f"no field {name}": drop(*RATE, name) for name in ("name", "unit")},
    **{f"{name} {odd!r}": put(name, to=odd) for name in ("name", "path", "evidence", "schema") for odd in ODD},
    **{f"{name} {odd!r}": put("schema", name, to=odd) for name in ("fields", "primaryKey") for odd in ODD},
    **{f"type {odd!r}": put(*RATE, "type", to=odd) for odd in ODD},
    **{f"unit {odd!r}": put(*RATE, "unit", to=odd) for odd in ODD},
    **{f"minimum {odd!r}": put(*RATE, "constraints", to={"minimum": odd}) for odd in ODD if odd not in (-1, 5)},
    **{f"enum {odd!r}": put(*RATE, "constraints", to={"enum": odd}) for odd in ODD_COUNTS},
    **{f"pattern {odd!r}": put(*RATE, "constraints", to={"pattern": odd}) for odd in PATTERNS},
    **{f"missing {odd!r}": put("schema", "missingValues", to=odd) for odd in ODD_COUNTS},
    "unknown constraint": put(*RATE, "constraints", to={"minimun": 1}),
    "unit with a power": put(*RATE, "unit", to="s**9**9**9"),
    "unit with brackets": put(*RATE, "unit", to="(" * 5000 + "s"),
    "deep list": lambda _: "[" * 200_000,
    "deep object": lambda _: '{"resources":' * 100_000,
    "long number": lambda text: text.replace('"rows": 4', '"rows": ' + "9" * 5000, 1),
    "null": lambda _: "null",
    "nothing": lambda _: "",
    "cut short": lambda text: text[: len(text) // 2],
    "two alike": lambda text: text.replace('"trace"', '"ladder"', 1),
}


@pytest.mark.parametrize("name", DESCRIPTORS)
def test_descriptor(name: str, tiny: Copy) -> None:
    path = "data/datapackage.json"
    tiny.write(path, DESCRIPTORS[name](tiny.read(path)))
    assert answers(tiny, *(ALL_FORMS if "\\u" in name or "\\x" in name else ())) == 1


def cell(content: str) -> Callable[[bytes], bytes]:
    return lambda data: data.replace(b"50.10", content.encode())


CELLS = (
    *("NaN", "nan", "inf", "-Infinity", "1e999999999", "1e-999999999999", "1e400", "9" * 5000, "0x10", "1_0", " 50.10", "50,1"),
    *("５０", "50.", ".5", "", '"5\n0"', "true", "−50.10", "50.10%", "1/0"),
)
TABLES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "blank": lambda _: b" \n\n",
    "BOM": lambda _: b"\xef\xbb\xbf",
    "BOM and blank lines": lambda _: b"\xef\xbb\xbf\n\n",
    "NUL": lambda data: data + b"\0",
    "not UTF-8": lambda data: data.replace(b"box", b"b\xe9x"),
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "UTF-16 without BOM": lambda data: data.decode().encode("utf-16-le"),
    "ragged": lambda data: data.replace(b"40.00", b"40.00,1"),
    "short": lambda data: data.replace(b",40.00", b""),
    "header alone": lambda data: data.partition(b"\n")[0] + b"\n",
    "no header": lambda data: data.partition(b"\n")[2],
    "header twice": lambda data: data.replace(b"machine,date", b"machine,machine"),
    "semicolons": lambda data: data.replace(b",", b";"),
    "open quote": lambda data: data.replace(b"box,2026-08-26", b'"box,2026-08-26', 1),
    "long cell": lambda data: data.replace(b"box", b"b" * 200_000),
    "same key": lambda data: data.replace(b"base,32768", b"base,1024"),
    "same key, other spelling": lambda data: data.replace(b"base,32768", b"base,+01024"),
    "row too many": lambda data: data + b"box,2026-08-27,base,1024,1\n",
    "date of no month": lambda data: data.replace(b"2026-08-26", b"2026-02-30"),
    **{f"cell {content[:12]!r}": cell(content) for content in CELLS},
    "zero below a ratio": lambda data: data.replace(b"40.00", b"0"),
}


def test_a_long_cell_is_found_whatever_another_library_did_to_csv(tiny: Copy) -> None:
    tiny.write("data/ladder.csv", TABLES["long cell"](tiny.read("data/ladder.csv").encode()))
    limit = csv.field_size_limit(1 << 30)
    try:
        assert answers(tiny) == 1
    finally:
        csv.field_size_limit(limit)


@pytest.mark.parametrize("name", TABLES)
def test_table(name: str, tiny: Copy) -> None:
    tiny.write("data/ladder.csv", TABLES[name](tiny.read("data/ladder.csv").encode()))
    assert answers(tiny) == 1


def test_missing_table(tiny: Copy) -> None:
    tiny.remove("data/ladder.csv")
    assert answers(tiny) == 1


BODY = 'return ledger.one("trace", arm="fast")["median_us"] / ledger.one("trace", arm="base")["median_us"]'
RETURNS = (
    *("None", "1.0", "1j", "'15'", "float('nan')", "[1]", "True", "Quantity", "Quantity(15, None)", "Quantity.of(15, 'ms')"),
    *("Quantity.of('NaN', '×')", "Quantity.of('inf', '×')", "Quantity.of('1e999999', '×')"),
)
METRICS = {
    **{f"returns {text}": f"return {text}" for text in RETURNS},
    "raises": 'raise ValueError("a\\n\\x1b[31m::error::b")',
    "raises half a character": 'raise ValueError("\\ud800")',
    "leaves, content": "raise SystemExit(0)",
    "leaves": "raise SystemExit('done')",
    "stops a generator": "raise GeneratorExit",
    "raises something of its own": "raise type('Own', (BaseException,), {})()",
    "raises what cannot be told": "raise type('Own', (Exception,), {'__str__': lambda self: 1 / 0})()",
    "never ends by itself": "return slowdown(ledger)",
    "asks for too much": "'a' * (1 << 60)",
    "divides by zero": 'return ledger.one("trace", arm="fast")["median_us"] / 0',
    "adds apples": 'return ledger.one("trace", arm="fast")["median_us"] + ledger.one("trace", arm="fast")["calls"]',
    "finds nothing": 'return ledger.one("trace", arm="slow")["median_us"]',
    "finds two": 'return ledger.one("trace")["median_us"]',
}


@pytest.mark.parametrize("name", METRICS)
def test_metric(name: str, tiny: Copy) -> None:
    tiny.edit("site_src/metrics.py", BODY, METRICS[name])
    assert answers(tiny, *(ALL_FORMS if name.startswith("raises") else ())) == 1


MODULES: dict[str, bytes] = {
    "nothing": b"",
    "syntax": b"def (",
    "NUL": b"x = 1\0",
    "unknown coding": b"# -*- coding: nope -*-\n",
    "unknown import": b"import no_such_module_here",
    "leaves, content": b"import sys; sys.exit(0)",
    "raises": b"raise RuntimeError('a\\nb')",
    "brackets": b"(" * 1000,
    "UTF-16": "x = 1".encode("utf-16"),
}


@pytest.mark.parametrize("module", ["metrics", "figures"])
@pytest.mark.parametrize("name", MODULES)
def test_module(name: str, module: str, tiny: Copy) -> None:
    tiny.write(f"site_src/{module}.py", MODULES[name])
    assert answers(tiny) == 1


RETURNED = "return Drawing("
DRAWINGS = {
    "nothing": "return None\n    return Drawing(",
    "leaves, content": "raise SystemExit(0)\n    return Drawing(",
    "not a number in the table": "rows.append(['base', Quantity.of('NaN', '1'), 'x'])\n    return Drawing(",
    "infinite in the table": "rows.append(['base', Quantity.of('inf', '1'), 'x'])\n    return Drawing(",
    "ragged table": "rows.append(['base'])\n    return Drawing(",
    "not a number in the plot": "traces[0].y = [float('nan')]\n    return Drawing(",
    "other trace": "traces.append(go.Histogram(x=[1], meta={'series': 3}))\n    return Drawing(",
    "no series": "traces.append(go.Bar(x=[1], y=[1]))\n    return Drawing(",
}


@pytest.mark.parametrize("name", DRAWINGS)
def test_figure(name: str, tiny: Copy) -> None:
    tiny.edit("site_src/figures.py", RETURNED, DRAWINGS[name])
    assert answers(tiny) == 1
