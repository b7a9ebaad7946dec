"""Work shared out among processes: the same answers in the same order, whatever becomes of a copy."""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest

from ledgermark import pagework
from ledgermark.check import check_project
from ledgermark.pages import read_page
from ledgermark.processes import processes, share_out, uncollected
from ledgermark.source import Source
from ledgermark.tongue import speaker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledgermark.check import Project

TODAY = date(2026, 12, 1)
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux only")


class _Stubborn(Exception):  # noqa: N818  (stands for whatever cannot be made anew from a pickle)
    def __init__(self, first: str, second: str) -> None:
        super().__init__(first + second)


@pytest.mark.parametrize("count", [1, 2, 3, 5])
@pytest.mark.parametrize("size", [0, 1, 2, 7, 30])
def test_answers_come_in_the_order_of_the_items(count: int, size: int) -> None:
    assert share_out(lambda items: [10 * item for item in items], range(size), count) == [10 * item for item in range(size)]


def test_the_copies_take_part() -> None:
    answers = share_out(lambda items: [os.getpid() for _ in items], range(6), 3)
    assert answers[:3] == answers[3:]
    assert len(set(answers)) == 3
    assert answers[0] == os.getpid()


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
            patch.setattr(pagework, "MANY", 1)
            patch.setattr(pagework, "processes", lambda: 3)
            together = check_project(other, TODAY)
        assert together == alone
        assert [speaker("zh")(finding.message) for finding in together.findings] == [speaker("zh")(item.message) for item in alone.findings]
    assert len(check_project(replace(project, pages=changed), TODAY).findings) > 9


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
