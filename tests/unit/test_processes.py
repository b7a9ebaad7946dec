"""Work shared out among processes: the same answers in the same order, whatever becomes of a copy."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
import time
from collections import Counter
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ledgermark import pagefiles, pagework
from ledgermark.catalogue import Catalogue
from ledgermark.check import check_project
from ledgermark.figures import Figure
from ledgermark.memory import Memory
from ledgermark.pages import read_page
from ledgermark.processes import processes, share_out, uncollected
from ledgermark.project import load_project
from ledgermark.source import Source
from ledgermark.tongue import speaker
from tools.scale_project import write_project

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ledgermark.check import Checked, Project
    from ledgermark.figures import Drawing, Words
    from ledgermark.ledger import Ledger

TODAY = date(2026, 12, 1)
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux only")


class _Stubborn(Exception):  # noqa: N818  (stands for whatever cannot be made anew from a pickle)
    def __init__(self, first: str, second: str) -> None:
        super().__init__(first + second)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("size", [0, 1, 2, 7, 30])
def test_answers_come_in_the_order_of_the_items(count: int, size: int) -> None:
    assert share_out(lambda items: [10 * item for item in items], range(size), count) == [10 * item for item in range(size)]


def test_every_process_takes_what_is_left() -> None:
    def slowly(items: Sequence[int]) -> list[int]:
        time.sleep(0.2 if items[0] == 0 else 0.02)
        return [os.getpid() for _ in items]

    answers = share_out(slowly, range(30), 3)
    counts = Counter(answers)
    assert len(counts) == 3
    assert os.getpid() in counts
    assert counts[answers[0]] < min(counts[pid] for pid in counts if pid != answers[0])  # whoever has much to do at once gets less


def test_nothing_stays_open() -> None:
    def opened() -> int:
        return sum(1 for _ in Path("/proc/self/fd").iterdir())

    gc.collect()
    before = opened()
    share_out(lambda items: [*items], range(300), 3)
    with pytest.raises(ZeroDivisionError):
        share_out(lambda items: [1 // item for item in items], range(300), 1)
    gc.collect()
    assert opened() == before


@pytest.mark.parametrize("failing", ["raises", "killed", "leaves", "unpicklable", "unreadable", "exits"])
def test_what_a_copy_fails_to_do_this_process_does(failing: str) -> None:
    own = os.getpid()

    def work(items: Sequence[int]) -> list[object]:
        if os.getpid() != own:
            match failing:
                case "raises":
                    raise RuntimeError(failing)
                case "killed":
                    os.kill(os.getpid(), signal.SIGKILL)
                case "leaves":
                    os._exit(0)
                case "exits":
                    sys.exit(3)
                case "unpicklable":
                    return [lambda: None for _ in items]
                case "unreadable":
                    return [_Stubborn("a", "b") for _ in items]
        return [item + 1 for item in items]

    assert share_out(work, range(9), 3) == [*range(1, 10)]


@pytest.mark.parametrize("answer", [bytes, lambda size: _Stubborn("a", "b" * size)])
def test_a_copy_with_much_to_say_keeps_nobody_waiting(answer: Callable[[int], object]) -> None:
    own = os.getpid()
    assert len(share_out(lambda items: [answer(3 << 20) if os.getpid() != own else None for _ in items], range(9), 3)) == 9


def test_what_fails_here_too_is_raised() -> None:
    def work(items: Sequence[int]) -> list[float]:
        return [1 / (item - 3) for item in items]

    with pytest.raises(ZeroDivisionError):
        share_out(work, range(6), 2)


def test_beside_another_thread_no_copy_is_made() -> None:
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert processes() == 1
    finally:
        done.set()
        thread.join()


@pytest.mark.parametrize(("name", "value"), [("platform", "darwin"), ("modules", {"pyarrow": None})])
def test_where_a_copy_would_not_be_safe_none_is_made(name: str, value: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"ledgermark.processes.sys.{name}", value)
    assert processes() == 1


def test_a_check_by_several_processes_finds_what_one_finds(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    changed = {
        language: {
            path: read_page(Source(page.source.path, page.source.text.replace("](claim:", "7](claim:") + "\n8 of 9.\n"), path, language)
            for path, page in pages.items()
        }
        for language, pages in project.pages.items()
    }
    for other in (project, replace(project, pages=changed), replace(project, metrics=None), replace(project, metrics={})):
        alone = check_project(other, TODAY)
        with monkeypatch.context() as patch:
            patch.setattr(pagework, "MANY_PAGES", 1)
            patch.setattr(pagework, "processes", lambda: 3)
            together = check_project(other, TODAY)
        assert together == alone
        assert [speaker("zh")(finding.message) for finding in together.findings] == [speaker("zh")(item.message) for item in alone.findings]
    assert len(check_project(replace(project, pages=changed), TODAY).findings) > 9


def test_what_is_known_is_not_shared_out_again(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    shared: list[int] = []

    def counted(work: Callable[[Sequence[object]], list[object]], items: Sequence[object], _: int) -> list[object]:
        shared.append(sum(isinstance(item, dict) for item in items))
        return work(items)

    monkeypatch.setattr(pagework, "MANY_PAGES", 1)
    monkeypatch.setattr(pagework, "processes", lambda: 2)
    monkeypatch.setattr(pagework, "share_out", counted)
    memory = Memory()
    first = check_project(project, TODAY, memory=memory)
    assert check_project(project, TODAY, memory=memory) == first
    language, (path, page) = "en", next(iter(project.pages["en"].items()))
    other = read_page(Source(page.source.path, page.source.text + "\n8 of 9.\n"), path, language)
    changed = replace(project, pages={**project.pages, language: {**project.pages[language], path: other}})
    assert check_project(changed, TODAY, memory=memory) == check_project(changed, TODAY)
    assert shared == [len(project.pages["en"]), 1, len(project.pages["en"])]


def _fails(ledger: Ledger, words: Words) -> Drawing:
    words("Said before it fails")
    raise KeyError(ledger.one("runs", run=1).line)


@pytest.mark.parametrize("fails", [False, True])
def test_figures_drawn_by_several_processes_are_those_that_one_draws(*, fails: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_project(tmp_path, 9, 20)
    written = load_project(tmp_path / "mkdocs.yml")

    def checked() -> Checked:
        untranslated = {language: Catalogue(language, {}) for language in written.catalogues}
        figures = {name: Figure(name, _fails) if fails else drawn for name, drawn in (written.figures or {}).items()}
        return check_project(replace(written, catalogues=untranslated, figures=figures), TODAY)

    alone = checked()
    with monkeypatch.context() as patch:
        patch.setattr(pagework, "MANY_PAGES", 1)
        patch.setattr(pagework, "processes", lambda: 3)
        together = checked()
    assert together.findings == alone.findings
    assert together.drawn == alone.drawn
    assert bool(alone.drawn) is not fails
    said = "Said before it fails" if fails else "First runs"
    assert [finding.code for finding in alone.findings if f"'{said}'" in finding.message] == ["LM306"]
    assert ("LM602" in {finding.code for finding in alone.findings}) is fails


def test_pages_read_by_several_processes_are_those_that_one_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_project(tmp_path, 9, 20)
    (tmp_path / "en/p3.md").write_bytes(b"---\ntitle: Not UTF-8\n---\n\xff\n")
    (tmp_path / "zh/p4.md").write_text("---\ntitle: [\n---\n[7](claim:)\n", "utf-8")
    (tmp_path / "zh/p5.markdown").write_text("# Wrong name\n", "utf-8")
    alone = load_project(tmp_path / "mkdocs.yml")
    with monkeypatch.context() as patch:
        patch.setattr(pagefiles, "MANY_PAGES", 1)
        patch.setattr(pagefiles, "processes", lambda: 3)
        together = load_project(tmp_path / "mkdocs.yml")
    assert together.pages == alone.pages
    assert [*together.pages["en"]] == [*alone.pages["en"]]
    assert together.findings == alone.findings
    assert len(alone.findings) == 2
    assert check_project(together, TODAY).findings == check_project(alone, TODAY).findings


def test_the_collector_waits_and_is_as_before() -> None:
    with uncollected():
        assert not gc.isenabled()
        with uncollected():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(KeyError), uncollected():
        raise KeyError
    assert gc.isenabled()
