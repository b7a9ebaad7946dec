"""What the instruments write passes `ledgermark check` with no hand touching it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from babel.messages.pofile import read_po

from ledgermark.descriptor import read_descriptor
from scripts.measure.ab import AB
from scripts.measure.ab_cells import AB_CELLS
from scripts.measure.chinese import LOCALE
from scripts.measure.collective_table import COLLECTIVE, SIZES
from scripts.measure.ladder import LADDER
from scripts.measure.rungs import RUNGS
from scripts.measure.spec import SPEC
from scripts.measure.spec_points import BEST, POINTS, POSITIONS
from scripts.measure.trace_tables import STEPS, TRACE
from tests.measure import test_ab, test_spec
from tests.measure.fake import Behaviour
from tests.measure.harness import measure, serve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scripts.measure.table import Table
    from tests.copies import Copy

PO = "site_src/locale/zh/LC_MESSAGES/data.po"
TABLES = {
    "trace": TRACE,
    "steps": STEPS,
    "collective": COLLECTIVE,
    "sizes": SIZES,
    "ladder": LADDER,
    "rungs": RUNGS,
    "ab": AB,
    "ab_cells": AB_CELLS,
    "spec": SPEC,
    "points": POINTS,
    "positions": POSITIONS,
    "best": BEST,
}


def add(project: Copy, folder: Path) -> list[str]:
    """Put result files, their resources and their Chinese into a project, as they are; return the names of the files."""
    files = sorted(folder.glob("*.csv"))
    for path in files:
        shutil.copy(path, project.root / "data" / path.name)
    describe(project, files)
    return [path.name for path in files]


def describe(project: Copy, files: Sequence[Path]) -> None:
    """Put resources into the descriptor of a project, and the Chinese of their texts into its catalogue."""
    package = json.loads(project.read("data/datapackage.json"))
    entries: dict[str, None] = {}
    for path in files:
        package["resources"].append(json.loads(path.with_suffix(".resource.json").read_text("utf-8")))
        _, *found = path.with_suffix(".zh.po").read_text("utf-8").strip().split("\n\n")
        entries |= dict.fromkeys(found)
    project.write("data/datapackage.json", json.dumps(package, indent=2))
    project.write(PO, "\n\n".join([project.read(PO).rstrip(), *entries, ""]))


def check(project: Copy) -> None:
    status, lines = project.check()
    assert (status, [line for line in lines if "LM" in line]) == (0, [])


@pytest.fixture
def results(tmp_path: Path) -> Path:
    folder = tmp_path / "results"
    folder.mkdir()
    return folder


def test_a_ladder_passes(tiny: Copy, results: Path) -> None:
    broken = Behaviour(drop_after=2)
    server = serve()
    server.behaviour = lambda tokens: broken if tokens == 128 else Behaviour(jitter=0.1, cached=0)
    assert measure(server, results / "measured.csv", "ladder", "--contexts", "64", "128", "--rounds", "2") == 1
    assert add(tiny, results) == ["measured.csv", "measured_rungs.csv"]
    check(tiny)


def test_two_arms_pass(tiny: Copy, results: Path) -> None:
    bench = test_ab.Bench(results)
    bench.rates = lambda arm, number: test_ab.RATES[arm] * (1.5 if number // 2 % 2 else 1.0)
    assert bench.run("--method", "stream") == 0
    assert add(tiny, results) == ["ab.csv", "ab_cells.csv"]
    check(tiny)


def test_a_sweep_of_speculation_passes(tiny: Copy, results: Path) -> None:
    assert test_spec.Bench(results).run() == 0
    assert add(tiny, results) == ["spec.csv", "spec_best.csv", "spec_points.csv", "spec_positions.csv"]
    check(tiny)


def test_a_ladder_that_was_killed_passes_as_it_lies(tiny: Copy, results: Path) -> None:
    out = results / "killed.csv"

    def die(_: object) -> None:
        if len(server.sent) > 12:
            raise KeyboardInterrupt

    server = serve()
    server.after = die
    assert measure(server, out, "ladder", "--contexts", "64", "128", "--rounds", "2") == 2
    assert add(tiny, results) == ["killed.csv"]
    check(tiny)


def test_the_instrument_is_named_where_the_project_has_it(tiny: Copy) -> None:
    out = tiny.root / "data" / "ours.csv"
    words = ("ladder", "--contexts", "64", "--rounds", "2")
    assert measure(serve(), out, *words) == 0
    assert "instrument" not in json.loads(out.with_suffix(".resource.json").read_text("utf-8"))
    tiny.write("scripts/measure/ladder.py", "")
    assert measure(serve(), out, *words) == 0
    described = json.loads(out.with_suffix(".resource.json").read_text("utf-8"))
    assert (described["instrument"], described["evidence"]) == ("scripts/measure/ladder.py", "raw")
    assert described["rows"] == 9
    out.with_name("ours_rungs.csv").rename(tiny.root / "ours_rungs.csv")
    describe(tiny, [out])
    check(tiny)


def test_all_that_descriptors_say_has_chinese_and_nothing_else_has() -> None:
    texts = {text for table in TABLES.values() for text in table.texts}
    with (LOCALE / "zh/LC_MESSAGES/data.po").open("rb") as file:
        known = {str(message.id): str(message.string) for message in read_po(file, locale="zh", abort_invalid=True) if message.id}
    assert {text for text in texts if not known.get(text)} == set()
    assert set(known) - texts == set()


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_each_descriptor_is_read_without_a_finding(table: Table) -> None:
    package = {"name": "p", "resources": [table.resource("some-file.csv", 0, instrument=True)]}
    datasets, findings = read_descriptor("datapackage.json", json.dumps(package).encode())
    assert [str(finding.message) for finding in findings] == []
    (dataset,) = datasets
    assert {"machine", "stack", "date"} <= set(dataset.key)
    assert dataset.columns
    assert all(column.description for column in dataset.columns)
    assert (Path(__file__).resolve().parents[2] / table.instrument).is_file()
