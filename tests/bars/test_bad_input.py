"""Whatever an author's files hold, a command answers with findings (1) or one line why it cannot run (2): never with an exception."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.copies import Copy

PLACE = re.compile(r"\S.*?:[0-9]+:[0-9]+: LM[0-9]{3} \S.*")
PAGE = "en/report.md"


def answers(tiny: Copy, *forms: str) -> int:
    """Return the exit status of the check, having seen that its output, in some formats, can be printed and has its form."""
    statuses = set()
    for form in forms or ("text",):
        status, lines = tiny.check("--format", form)
        statuses.add(status)
        "\n".join(lines).encode()
        if status == 1 and form == "text":
            assert len(lines) > 1
            assert [line for line in lines[:-1] if not PLACE.fullmatch(line)] == []
        if status == 1 and form == "json":
            assert json.loads("\n".join(lines))["findings"]
        if status == 1 and form == "github":
            assert [line for line in lines if not line.startswith("::error file=")] == []
        if status == 2:
            assert [line for line in lines if not line.startswith("Error: ")] == []
    assert len(statuses) == 1
    return statuses.pop()


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
ALL_FORMS = ("text", "json", "github")
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
    **{f"enum {odd!r}": put(*RATE, "constraints", to={"enum": odd}) for odd in (None, 5, True, 1e308)},
    **{f"pattern {odd!r}": put(*RATE, "constraints", to={"pattern": odd}) for odd in ("(", "[", "*", [])},
    **{f"missing {odd!r}": put("schema", "missingValues", to=odd) for odd in (5, True, 1e308)},
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
    **{
        f"cell {content[:12]!r}": cell(content)
        for content in ("NaN", "nan", "inf", "-Infinity", "1e999999999", "1e-999999999999", "1e400", "9" * 5000, "0x10", "1_0", " 50.10", "50,1")
    },
    **{f"cell {content!r}": cell(content) for content in ("５０", "50.", ".5", "", '"5\n0"', "true", "−50.10", "50.10%", "1/0")},
    "zero below a ratio": lambda data: data.replace(b"40.00", b"0"),
}


@pytest.mark.parametrize("name", TABLES)
def test_table(name: str, tiny: Copy) -> None:
    tiny.write("data/ladder.csv", TABLES[name](tiny.read("data/ladder.csv").encode()))
    assert answers(tiny) == 1


def test_missing_table(tiny: Copy) -> None:
    tiny.remove("data/ladder.csv")
    assert answers(tiny) == 1


BODY = 'return ledger.one("trace", arm="fast")["median_us"] / ledger.one("trace", arm="base")["median_us"]'
METRICS = {
    **{
        f"returns {text}": f"return {text}"
        for text in ("None", "1.0", "1j", "'15'", "float('nan')", "[1]", "True", "Quantity", "Quantity.of('NaN', '×')", "Quantity.of('inf', '×')")
    },
    **{f"returns {text}": f"return {text}" for text in ("Quantity.of('1e999999', '×')", "Quantity(15, None)", "Quantity.of(15, 'ms')")},
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


CLAIM = "[75 %](claim:widest?contexts=1024,32768&is=at_most)"
FRONTS = (
    *("date: 2026-02-30", "date: 2026-13-01", "date: 2026-01-01 25:00:00", "date: 0000-01-01", "date: soon", "title: !!int abc"),
    *("title: !!bool x", "title: !!timestamp x", "title: !!python/name:os.system", "title: &a [*a]", "title: *a", 'title: "\\ud800"'),
    *("title: a: b", "\ttitle: x", 'title: "x', "- a", "title: \x07", "? [a]\n: b", f"rows: {'9' * 5000}"),
)
PAGES: dict[str, Callable[[str], str | bytes]] = {
    **{f"front {line[:24]!r}": lambda text, line=line: re.sub(r"^date: .*$", lambda _: line, text, count=1, flags=re.M) for line in FRONTS},
    "UTF-16": lambda text: text.encode("utf-16"),
    "not UTF-8": lambda text: text.encode() + b"\xe9",
    **{
        f"claim {shown[:16]!r}": lambda text, shown=shown: text.replace(CLAIM, CLAIM.replace("75 %", shown))
        for shown in ("1e99999999 %", "9" * 5000 + " %", "75." + "0" * 40 + "1 %", "百千万 %", "十十十", "thirty thirty percent", "½", "−−75 %", "")
    },
    **{
        f"key {key[:24]!r}": lambda text, key=key: text.replace("claim:widest?contexts=1024,32768&is=at_most", f"claim:{key}")
        for key in (
            *("widest", "Widest?contexts=1024", "widest?contexts=", "widest?contexts=1024,", "widest?contexts=1e3", "widest?self=1"),
            *("widest?contexts=%00", "widest?contexts=%ff", "widest?contexts=1024&contexts=1024", f"widest?contexts={'9' * 5000}"),
            *("ladder.tok_s?self=1", "ladder.tok_s?dataset=x", "ladder.tok_s", "ladder.arm?context=1024", "ladder.?x=1", ".tok_s", "gain?ledger=1"),
            *("widest?contexts=1024&unit=s**9**9**9", "widest?contexts=1024&is=atmost", "widest?contexts=1024&show=yes", "", "?", "%67ain"),
        )
    },
    **{
        f"erratum {line!r}": lambda text, line=line: text.replace("    id: days-apart", line)
        for line in ("    id: 2026-02-30", "    id: [", "    id: <b>", "    id: &a [*a]", "    id: !!int x", "    wrong: days-apart")
    },
    **{f"dated {date!r}": lambda text, date=date: text.replace("erratum | 2026-08-28", f"erratum | {date}") for date in ("", "2026-02-30", "9999-01-01")},
    "figure without a name": lambda text: text.replace("/// figure | rates", "/// figure"),
    "figure misspelt": lambda text: text.replace("/// figure | rates", "/// figure | <script>"),
    "figure twice": lambda text: text.replace("/// figure | rates", "/// figure | rates\n///\n\n/// figure | rates"),
    "figure never closed": lambda text: text.replace("///\n\n## Calls", "## Calls"),
}


@pytest.mark.parametrize("name", PAGES)
def test_page(name: str, tiny: Copy) -> None:
    content = PAGES[name](tiny.read(PAGE))
    assert content != tiny.read(PAGE), "the case changes nothing"
    tiny.write(PAGE, content)
    assert answers(tiny) == 1


@pytest.mark.parametrize("path", ["en/report.md", "zh/report.md"])
def test_page_in_one_language(path: str, tiny: Copy) -> None:
    tiny.remove(path)
    assert answers(tiny) == 1


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("part", [r"\[[^\]]*\]\(claim:gap\)", r"^/// figure .*?^///$", r"^/// erratum .*?^///$", r"\(given: [^)]*\)"])
def test_part_in_one_language(part: str, language: str, tiny: Copy) -> None:
    path = f"{language}/report.md"
    text, count = re.subn(part, "", tiny.read(path), count=1, flags=re.M | re.S)
    assert count == 1
    tiny.write(path, text)
    assert answers(tiny) == 1


CATALOGUE = "site_src/locale/zh/LC_MESSAGES/messages.po"
CATALOGUES: dict[str, Callable[[str], bytes]] = {
    "open quote": lambda text: text.encode() + b'\nmsgid "x',
    "not UTF-8": lambda text: text.encode() + b'\nmsgid "a"\nmsgstr "\xe9"\n',
    "unknown charset": lambda text: text.encode().replace(b"UTF-8", b"nope").replace(b"utf-8", b"nope"),
    "nothing": lambda _: b"",
    **{
        f"places {to!r}": lambda text, to=to: text.encode() + f'\nmsgid "Figure {{number}}"\nmsgstr "{to}"\n'.encode()
        for to in ("图 {nummer}", "图 {", "图 {0}", "图 {number.__class__}", "图")
    },
}


@pytest.mark.parametrize("name", CATALOGUES)
def test_catalogue(name: str, tiny: Copy) -> None:
    tiny.write(CATALOGUE, CATALOGUES[name](tiny.read(CATALOGUE)))
    assert answers(tiny) == 1


MASTHEADS = ("report: [", "- a", "report: x", "report: [x]", "report: [{en: a}]", "report: [{kind: date, dates: [soon]}]", "report: &a [*a]")


@pytest.mark.parametrize("text", MASTHEADS)
def test_mastheads(text: str, tiny: Copy) -> None:
    tiny.write("site_src/mastheads.yml", text)
    assert answers(tiny) == 1


def configurations() -> Iterator[tuple[str, str]]:
    whole = "site_name: x\nplugins: "
    for plugins in ("5", "[5]", "[{}]", "[search]", "[{ledgermark: 5}]", "[{ledgermark: [1]}]", "[{ledgermark: x}]", "[{ledgermark: {still: false}}]"):
        yield f"plugins {plugins}", whole + plugins
    for option in ("metrics: 5", "metrics: ../x.py", 'metrics: "\\0"', "languages: 5", "languages: {en: nope}", "languages: {en: /en}", "stills: 5"):
        yield f"option {option}", f"{whole}[{{ledgermark: {{{option}}}}}]"
    for option in ("units: 5", 'units: {"%": [""]}', "units: {furlong: [x]}", "navigation: 5", "navigation: [5]"):
        yield f"option {option}", f"{whole}[{{ledgermark: {{{option}}}}}]"
    for text in ("", "- a", "a: [", "x: 2026-02-30", "a: " + "[" * 1500, "INHERIT: mkdocs.yml", "INHERIT: nope.yml"):
        yield f"text {text[:20]!r}", text


CONFIGURATIONS = dict(configurations())


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_configuration(name: str, tiny: Copy) -> None:
    tiny.write("mkdocs.yml", CONFIGURATIONS[name])
    assert answers(tiny) == 2


def test_no_configuration(tiny: Copy) -> None:
    tiny.remove("mkdocs.yml")
    assert answers(tiny) == 2


def test_date_of_the_build_that_is_none(tiny: Copy) -> None:
    tiny.epoch = "soon"
    assert answers(tiny) == 2
    


@pytest.mark.parametrize("name", ["a\nb", "a\x1b[31mb", "a\u202eb", "a%0A::error::b"])
def test_file_name_that_steers(name: str, tiny: Copy) -> None:
    tiny.write(f"en/{name}.md", "# Page [76.0 %](claim:gain?context=32768)\n")
    for form in ("text", "github"):
        status, lines = tiny.check("--format", form)
        assert status == 1
        assert not any(char in line for line in lines for char in "\x1b\u202e")
        assert all("LM" in line for line in lines if not line.startswith("ledgermark: "))
    dry, lines = tiny.run("fix", "--check")
    assert dry == 1
    assert not any(char in line for line in lines for char in "\x1b\u202e")
