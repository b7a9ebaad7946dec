"""Mutants: which there are of a project, and that their judge says what the real check says of the same fault on disk."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ledgermark.cellmutants import nudged_ledger
from ledgermark.claims import parse_key
from ledgermark.config_file import markdown_extensions, read_config
from ledgermark.findings import ConfigError
from ledgermark.fix import Edit, apply_edits
from ledgermark.ground import Ground, distance, link_of
from ledgermark.metrics import Evaluator
from ledgermark.mutants import KINDS, Mutant, Nudged, Rewritten, Undrawn, numbered, read_accepted
from ledgermark.mutate import Judge, csv_of, find_mutants, sample
from ledgermark.pages import read_page
from ledgermark.source import Source
from ledgermark.tally import EQUIVALENT, KILLED, SURVIVED, Outcome, tally, tally_json, tally_text
from ledgermark.wordmutants import with_option

if TYPE_CHECKING:
    from ledgermark.check import Project
    from tests.copies import Copy

BASE = Path(__file__).resolve().parents[1] / "sites/base"
TODAY = date(2026, 12, 1)


@pytest.fixture(scope="module")
def ground(project: Project) -> Ground:
    return Ground(project, (BASE / "data/datapackage.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def mutants(ground: Ground) -> list[Mutant]:
    return find_mutants(ground, TODAY)


@pytest.fixture(scope="module")
def judge(ground: Ground) -> Judge:
    return Judge(ground, TODAY, *markdown_extensions(read_config(BASE / "mkdocs.yml")))


def test_every_mutant_of_the_site_in_miniature_is_killed(mutants: list[Mutant], judge: Judge) -> None:
    outcomes = [judge.judge(mutant) for mutant in mutants]
    found = tally(mutants, outcomes, {})
    assert [mutant.name for mutant in found.survivors] == []
    assert len({mutant.name for mutant in mutants}) == len(mutants)
    assert {mutant.kind for mutant in mutants} == set(KINDS) - {"reference"}
    assert found.counts()[EQUIVALENT] < len(mutants) / 20


NAMES = [
    "digit en/report.md#rates gap: 'twenty-five' becomes 'twenty-six'",
    "digit zh/report.md#rates gap: '二十五' becomes '二十四'",
    "digit zh/report.md#rates ladder.context?arm=fast&context=1024,32768: '3.3' becomes '3.4'",
    "sign en/report.md gain?context=32768: '−75' becomes '+75'",
    "sign en/report.md gain?context=32768: '−75' becomes '75'",
    "sign en/report.md cells: '4' becomes '−4'",
    "magnitude en/report.md#calls trace.calls?arm=base: '12 000' becomes '120000'",
    "magnitude en/report.md#rates ladder.tok_s?arm=base&context=1024: '40.00' becomes '4.000'",
    "unit zh/report.md#calls slowdown: '15.0 倍' with '%' for '倍'",
    "unit en/report.md#calls trace.median_us?arm=base&unit=us: 'ms' in the link",
    "unit zh/report.md#calls trace.median_us?arm=base&unit=us: 'ms' in the column's head",
    "unit en/report.md#rates gap: 'twenty-five days' with 'weeks' for 'days'",
    "comparison en/report.md#rates widest?contexts=1024,32768&is=at_most: 'less than' for 'larger than' at '75 %'",
    "comparison zh/report.md#rates widest?contexts=1024,32768&is=at_most: no '不超过' at '75 %'",
    "comparison zh/report.md#rates gap: '约' put before '二十五天'",
    "comparison en/report.md#rates widest?contexts=1024,32768&is=at_most: the link says equality in every language",
    "direction en/report.md gain?context=32768: 'up' for 'down' at '−75 %'",
    "direction zh/report.md gain?context=32768: '涨' for '降' at '−75 %'",
    "rebinding en/report.md gain?context=1024: bound to gain?context=32768 in every language",
    "rebinding en/report.md#rates gain?context=1024,32768: bound to gain?context=32768,1024 in every language",
    "rebinding en/report.md#calls trace.calls?arm=base: bound to trace.calls?arm=fast in every language",
    "unbinding en/report.md cells: '4 rates' without its link, in every language",
    "deletion zh/report.md#calls slowdown: '15.0 倍' is gone in this language",
    "cell data/ladder.csv tok_s for gain?context=1024: larger",
    "cell data/ladder.csv row for cells: the row is gone",
    "figure zh/report.md#rates rates: gone in this language, its text stays",
    "figure en/report.md#rates rates: gone from the figures",
    "erratum en/report.md#calls days-apart: dated '2026-12-02' in every language",
    "erratum en/report.md#calls days-apart: dated 2026-08-29 in this language",
    "erratum en/report.md#calls days-apart: affects not 'fig-rates' but 'no-such-thing' in every language",
    "badge en/report.md#calls trace: called ladder in every language",
    "badge en/report.md#rates rates: a badge typed before it",
    "badge data/datapackage.json trace: evidence 'raw' for 'summary'",
    "given zh/report.md#rates '0.90 GiB': '0.91 GiB' in this language",
]


def test_what_is_done(mutants: list[Mutant]) -> None:
    names = {mutant.name for mutant in mutants}
    assert [name for name in NAMES if name not in names] == []


def test_the_same_fault_on_disk(mutants: list[Mutant], judge: Judge, ground: Ground, tiny: Copy) -> None:
    """The judge looks only where something changed; the command looks everywhere, and must come to the same."""
    originals = {path: path.read_bytes() for path in tiny.root.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    for mutant in sample(mutants, 42, seed=3):
        put_on_disk(mutant, ground, tiny)
        status, lines = tiny.check()
        outcome = judge.judge(mutant)
        assert status == (1 if outcome.state == KILLED else 0), (mutant.name, lines)
        assert not outcome.code or any(f" {outcome.code} " in line for line in lines), (mutant.name, lines)
        for path, data in originals.items():
            path.write_bytes(data)
    assert tiny.check()[0] == 0


def put_on_disk(mutant: Mutant, ground: Ground, copy: Copy) -> None:
    """Do in the files what the mutant does in memory."""
    match mutant.alteration:
        case Rewritten(edits):
            for path in {path for path, _ in edits}:
                copy.write(path, apply_edits(copy.read(path), [edit for name, edit in edits if name == path]))
        case Undrawn(figure):
            text = copy.read("site_src/figures.py")
            copy.write("site_src/figures.py", re.sub(rf"@figure\ndef {figure}\b", f"def {figure}", text))
        case Nudged() as nudged:
            changed = nudged_ledger(ground, nudged)
            if changed is None:
                return
            table = changed[0].table(nudged.cell.dataset)
            copy.write(table.dataset.path, csv_of(table.columns))
            if not nudged.cell.column:
                package = json.loads(copy.read("data/datapackage.json"))
                resource = next(item for item in package["resources"] if item["name"] == nudged.cell.dataset)
                resource["rows"] = len(table.lines)
                copy.write("data/datapackage.json", json.dumps(package))


def test_a_cell_is_changed_by_just_enough(mutants: list[Mutant], ground: Ground) -> None:
    tried = 0
    for mutant in mutants:
        nudged = mutant.alteration
        changed = nudged_ledger(ground, nudged) if isinstance(nudged, Nudged) and nudged.cell.column in ("tok_s", "median_us") else None
        if isinstance(nudged, Nudged) and changed:
            claim = parse_key(nudged.key)
            values = Evaluator(changed[0], ground.project.metrics or {}).values(claim)
            assert 1 < distance(claim, values, ground.numbers(claim._replace(text=nudged.text))) < 1.2, mutant.name
            tried += 1
    assert tried > 10


@pytest.mark.parametrize(
    ("key", "text", "right"),
    [
        ("gain?context=1024", "+25.3 %", True),
        ("gain?context=1024", "25.2 %", True),  # a tie: 25.25
        ("gain?context=1024", "25.4 %", False),
        ("gain?context=32768&show=magnitude", "75 %", True),
        ("gain?context=32768", "75 %", False),
        ("gain?context=1024", "25.3 ms", False),
        ("gain?context=1024,32768", "25.3 %", False),
        ("gain?context=1024,32768&is=at_most", "25.3 %", True),
        ("gain?context=5", "25.3 %", False),
        ("gain?context=1024", "fish", False),
        ("nosuch", "1", False),
    ],
)
def test_what_is_no_fault(ground: Ground, key: str, text: str, right: bool) -> None:  # noqa: FBT001
    assert ground.fits(key, text) is right


@pytest.mark.parametrize(
    ("key", "name", "value", "expected"),
    [
        ("a", "is", "at_most", "a?is=at_most"),
        ("a?x=1&is=about", "is", "at_most", "a?x=1&is=at_most"),
        ("a?x=1&amp;is=about", "is", "", "a?x=1"),
        ("a?is=about", "is", "", "a"),
    ],
)
def test_options_of_a_key(key: str, name: str, value: str, expected: str) -> None:
    assert with_option(key, name, value) == expected


@pytest.mark.parametrize(
    "text",
    ["a [1](claim:gap) b", "a [1](<claim:gap>) b", 'a [1](claim:gap "a (title)") b', "a [1](claim:gap 't') b", 'a [1](given: "x \\" ) y") b'],
)
def test_where_a_link_ends(text: str) -> None:
    page = read_page(Source("en/p.md", text), "p.md", "en")
    item = page.claims.claims[0] if page.claims.claims else page.claims.given[0]
    start, end = link_of(page, item)
    assert text[:start] == "a "
    assert text[end:] == " b"


def test_a_fault_that_a_comment_silences_survives(project: Project) -> None:
    """Otherwise a silenced place would look as well guarded as any."""
    page = project.pages["en"]["report.md"]
    text = page.source.text.replace("None is larger", "<!-- ledgermark: allow LM121 on purpose -->\nNone is larger")
    silenced = read_page(Source(page.source.path, text), page.path, page.language)
    pages = {**project.pages, "en": {**project.pages["en"], "report.md": silenced}}
    ground = Ground(replace(project, pages=pages))
    judge = Judge(ground, TODAY, *markdown_extensions(read_config(BASE / "mkdocs.yml")))
    at = text.index("None is larger")
    mutant = Mutant("words", page.source.path, 1, 1, "", "", "", Rewritten(((page.source.path, Edit(at, "None is larger", "Some is large")),)))
    assert judge.judge(mutant).state == SURVIVED


def some(name: str, kind: str = "digit") -> Mutant:
    return Mutant(kind, "en/p.md", 3, 4, "s", name, "x", Undrawn(name))


def test_those_of_one_name_are_counted() -> None:
    assert [item.name for item in numbered([some("a"), some("b"), some("a")])] == [
        "digit en/p.md#s a: x",
        "digit en/p.md#s b: x",
        "digit en/p.md#s a: x (2)",
    ]


def test_a_sample_takes_of_each_kind() -> None:
    found = [some(str(number)) for number in range(100)] + [some("rare", "badge"), some("rare", "cell")]
    for seed in range(5):
        taken = sample(found, 6, seed)
        assert [item.kind for item in taken] == ["digit"] * 4 + ["badge", "cell"]
        assert taken == sample(found, 6, seed)
    assert sample(found, 6, 1) != sample(found, 6, 2)
    assert sample(found, 1000, 1) == found


def test_the_list() -> None:
    found = [some("a"), some("b"), some("c"), some("d")]
    outcomes = [Outcome(found[0], SURVIVED), Outcome(found[1], SURVIVED), Outcome(found[2], KILLED, "LM101")]
    listed = {found[0].name: "because", found[2].name: "was one", found[3].name: "not tried", "digit gone: x": "no mutant"}
    result = tally(found, outcomes, listed)
    assert result.survivors == (found[1],)
    assert result.stale == (found[2].name, "digit gone: x")
    assert not result.clean
    text = tally_text(result, "mutants.yml").splitlines()
    assert text[:3] == [
        "en/p.md:3:4: survived: digit en/p.md#s b: x",
        "mutants.yml: no survivor, remove it: digit en/p.md#s c: x",
        "mutants.yml: no survivor, remove it: digit gone: x",
    ]
    assert (
        text[-1]
        == "ledgermark: 3 mutants: 1 killed, 1 survived, 1 listed with a reason (0 more were no faults: what they show is right as well)"
    )
    record = json.loads(tally_json(result))
    assert record["counts"] == {"listed": 1, "survived": 1, "killed": 1}
    assert record["codes"] == {"LM101": 1}
    assert [item["mutant"] for item in record["survivors"]] == [found[1].name]
    assert tally(found, outcomes[:1], {found[0].name: "because"}).clean


@pytest.mark.parametrize(
    "text", ["5", "- a", "- mutant: a", "- {mutant: a, reason: 5}", "- {mutant: a, reason: b, x: c}", ": :", "- [", "a: b"]
)
def test_a_list_that_is_none(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^mutants\.yml"):
        read_accepted("mutants.yml", text)


def test_a_list_names_each_once() -> None:
    assert read_accepted("mutants.yml", "- mutant: 'a: b'\n  reason: c\n") == {"a: b": "c"}
    assert read_accepted("mutants.yml", "# none\n") == {}
    with pytest.raises(ConfigError, match="twice"):
        read_accepted("mutants.yml", "- {mutant: a, reason: b}\n- {mutant: a, reason: c}\n")


def test_the_command(tiny: Copy) -> None:
    status, lines = tiny.run("mutate", "--sample", "30", "--seed", "7")
    assert status == 0
    assert lines[-1].startswith("ledgermark: ")
    assert " 0 survived" in lines[-1]
    tiny.write("mutants.yml", "- {mutant: nothing, reason: none}\n")
    status, lines = tiny.run("mutate", "--sample", "5")
    assert status == 1
    assert "mutants.yml: no survivor, remove it: nothing" in lines
    tiny.write("mutants.yml", "- 5\n")
    assert tiny.run("mutate", "--sample", "5")[0] == 2
    tiny.edit("en/report.md", "40.00 tok/s", "41.00 tok/s")
    status, lines = tiny.run("mutate", "--sample", "5")
    assert status == 2
    assert "mend them first: en/report.md" in lines[-1]


def test_the_command_in_json(tiny: Copy) -> None:
    status, lines = tiny.run("mutate", "--sample", "15", "--format", "json")
    assert status == 0
    assert json.loads("\n".join(lines[lines.index("{") :]))["survivors"] == []
