"""A clean check is remembered, and only that; whatever changes, all is checked again."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from ledgermark import cli, examine, project, verdict

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from ledgermark.check import Checked, Project
    from tests.copies import Copy

CLEAN = (0, ["ledgermark: no findings (claims: 17 en, 17 zh)"])


@pytest.fixture(name="loads")
def counted_loads(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return a list that grows with each project that is read."""
    loads: list[Path] = []
    load = project.load_project

    def counted(path: Path) -> Project:
        loads.append(path)
        return load(path)

    monkeypatch.setattr(cli, "load_project", counted)
    return loads


def test_nothing_changed(tiny: Copy, loads: list[Path]) -> None:
    assert [tiny.check() for _ in range(3)] == [CLEAN] * 3
    assert len(loads) == 1
    assert tiny.check("--format", "json")[0] == 0
    assert len(loads) == 1
    assert tiny.check("--no-cache") == CLEAN
    assert len(loads) == 2
    assert tiny.check(str(tiny.root / "en/report.md"))[0] == 0
    assert len(loads) == 3


CHANGES: dict[str, Callable[[Copy], object]] = {
    "a page": lambda tiny: tiny.edit("en/report.md", "[15.0×]", "[15.1×]"),
    "a new page": lambda tiny: tiny.write("en/more.md", "# More\n"),
    "a page that is gone": lambda tiny: tiny.remove("zh/report.md"),
    "a shared page": lambda tiny: tiny.write("site_src/pages/more.md", "It is 5 ms.\n"),
    "a cell": lambda tiny: tiny.edit("data/ladder.csv", "40", "90"),
    "the descriptor": lambda tiny: tiny.edit("data/datapackage.json", '"tok/s"', '"tok"'),
    "a file nobody described": lambda tiny: tiny.write("data/stray.csv", "a\n1\n"),
    "the metrics": lambda tiny: tiny.edit("site_src/metrics.py", "- 1", "- 2"),
    "the figures": lambda tiny: tiny.edit("site_src/figures.py", '"series"', '"serial"'),
    "the words": lambda tiny: tiny.write("site_src/locale/zh/LC_MESSAGES/messages.po", "nonsense"),
    "the settings": lambda tiny: tiny.edit("mkdocs.yml", "stills: false", "still: false"),
    "the record": lambda tiny: tiny.write("data/published.json", "{}"),
    "the date": lambda tiny: setattr(tiny, "epoch", "0"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_whatever_changes_is_checked(tiny: Copy, change: str) -> None:
    assert tiny.check() == CLEAN
    CHANGES[change](tiny)
    before = tiny.check()
    assert before[0] != 0
    assert tiny.check() == before  # findings are not kept
    assert tiny.check("--no-cache") == before


def test_code_beside_the_metrics_is_read(tiny: Copy) -> None:
    tiny.write("site_src/beside.py", "")
    tiny.write("site_src/metrics.py", f"import beside\n{tiny.read('site_src/metrics.py').replace('from __future__ import annotations', '')}")
    assert tiny.check() == CLEAN
    tiny.write("site_src/beside.py", "raise ValueError")
    assert tiny.check()[0] == 1


def test_what_is_inherited_is_read(tiny: Copy) -> None:
    tiny.write("base.yml", tiny.read("mkdocs.yml"))
    tiny.write("mkdocs.yml", "INHERIT: base.yml\n")
    assert tiny.check() == CLEAN
    tiny.edit("base.yml", "stills: false", "still: false")
    assert tiny.check()[0] == 2


@pytest.mark.parametrize("content", ["", "{}", "[]", "null", '{"digest": 1}', b"\xff", '{"digest": null, "claims": {}, "unchecked": false}'])
def test_a_spoilt_memory_is_none(tiny: Copy, loads: list[Path], content: str | bytes) -> None:
    tiny.write(".cache/ledgermark/clean-check.json", content)
    assert tiny.check() == CLEAN
    assert len(loads) == 1


def test_a_memory_of_nothing_certain_is_none(tiny: Copy) -> None:
    (tiny.root / "en/linked").symlink_to(tiny.root / "zh")
    config = tiny.root / "mkdocs.yml"
    assert verdict.digest_of(config) is None
    verdict.keep(config, None, verdict.Clean({"en": 1}, unchecked=False))
    assert verdict.recall(config, None) is None
    assert verdict.digest_of(tiny.root / "gone.yml") is None


def test_what_changes_during_a_check_is_not_kept(tiny: Copy, monkeypatch: pytest.MonkeyPatch, loads: list[Path]) -> None:
    real = examine.examine

    def slow(*arguments: Any) -> Checked:
        checked = real(*arguments)
        tiny.edit("en/report.md", "[15.0×]", "[15.1×]")
        return checked

    monkeypatch.setattr(cli, "examine", slow)
    assert tiny.check() == CLEAN
    monkeypatch.setattr(cli, "examine", real)
    assert tiny.check()[0] == 1
    assert len(loads) == 2


def test_a_folder_that_takes_no_files_is_no_fault(tiny: Copy, loads: list[Path]) -> None:
    shutil.rmtree(tiny.root / ".cache", ignore_errors=True)
    tiny.write(".cache", "in the way")
    assert [tiny.check(), tiny.check()] == [CLEAN, CLEAN]
    assert len(loads) == 2


def test_another_program_checks_again(tiny: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tiny.root / "mkdocs.yml"
    first = verdict.digest_of(config)
    assert first == verdict.digest_of(config)
    monkeypatch.setattr(verdict, "version", "{} 999".format)
    assert verdict.digest_of(config) not in (None, first)
    monkeypatch.undo()
    os.utime(tiny.root / "en/report.md")
    assert verdict.digest_of(config) == first


def test_an_instrument_that_is_gone_is_missed(tiny: Copy) -> None:
    tiny.write("scripts/measure.py", "")
    tiny.edit("data/datapackage.json", '"evidence": "raw"', '"evidence": "raw", "instrument": "scripts/measure.py"')
    assert tiny.check() == CLEAN
    tiny.remove("scripts/measure.py")
    assert tiny.check()[0] == 1
