"""`check --watch` checks again at each change, prints what is new and what is mended, and ends with the last status."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ledgermark.findings import Finding
from ledgermark.watch import Look, news, watched_folders

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.copies import Copy

FIRST, MOVED = (Finding("en/a.md", line, 2, "LM101", "shows 1, data gives 2", "1") for line in (3, 4))
OTHER = Finding("en/a.md", 3, 9, "LM101", "shows 5, data gives 6", "5")


@pytest.mark.parametrize(
    ("before", "now", "lines"),
    [
        (None, Look((FIRST,), "1 finding"), [str(FIRST), "1 finding"]),
        (None, Look((), "none"), ["none"]),
        (Look((FIRST,), "1 finding"), Look((MOVED,), "1 finding"), []),
        (Look((FIRST,), "1 finding"), Look((MOVED, OTHER), "2 findings"), [str(OTHER), "2 findings"]),
        (Look((FIRST, OTHER), "2 findings"), Look((MOVED,), "1 finding"), [f"mended: {OTHER}", "1 finding"]),
        (Look((FIRST,), "1 finding"), Look((FIRST, MOVED), "2 findings"), [str(MOVED), "2 findings"]),
        (Look((), "none"), Look((), "none, 3 claims"), ["none, 3 claims"]),
        (Look((FIRST,), "1 finding"), Look(error="no mkdocs.yml"), ["Error: no mkdocs.yml"]),
        (Look(error="no mkdocs.yml"), Look(error="no mkdocs.yml"), []),
        (Look(error="no mkdocs.yml"), Look((FIRST,), "1 finding"), [str(FIRST), "1 finding"]),
    ],
)
def test_only_what_changed_is_news(before: Look | None, now: Look, lines: list[str]) -> None:
    assert news(before, now) == lines


def test_the_folders_that_are_watched(tiny: Copy) -> None:
    root = tiny.root.resolve()
    assert watched_folders(tiny.root / "mkdocs.yml") == tuple(root / name for name in ("data", "en", "site_src", "zh"))
    tiny.edit("mkdocs.yml", "stills: false", "metrics: metrics.py")
    assert watched_folders(tiny.root / "mkdocs.yml") == (root,)
    tiny.write("mkdocs.yml", "plugins: [")
    assert watched_folders(tiny.root / "mkdocs.yml") == ()


def test_without_the_package_one_line_says_so(tiny: Copy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    status, lines = tiny.check("--watch")
    assert (status, lines) == (2, ["Error: --watch needs the package watchfiles; install it with: pip install 'ledgermark[watch]'"])


def test_it_prints_text(tiny: Copy) -> None:
    assert tiny.check("--watch", "--format", "json") == (2, ["Error: --watch prints text; leave --format out"])


class Watcher:
    """A running `ledgermark check --watch`."""

    def __init__(self, copy: Copy) -> None:
        # Whoever runs the tests in the background may have told their children to ignore Ctrl-C.
        heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
        code = f"{heed}; from ledgermark.cli import main; main(['check', '--watch'])"
        environment = {**os.environ, "SOURCE_DATE_EPOCH": copy.epoch, "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", code], cwd=copy.root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self.lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self.process.stdout or ():
            self.lines.put(line.rstrip("\n"))

    def next(self, count: int) -> list[str]:
        """Return the next lines it prints."""
        return [self.lines.get(timeout=60) for _ in range(count)]

    def end(self) -> int:
        """Press Ctrl-C and return the exit status; nothing is left to read."""
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(timeout=30)
        assert self.lines.empty()
        return status


@pytest.fixture
def watcher(tiny: Copy) -> Iterator[Watcher]:
    """One over the site in miniature."""
    running = Watcher(tiny)
    yield running
    running.process.kill()
    running.process.wait()
    if running.process.stdout:
        running.process.stdout.close()


@pytest.mark.skipif(os.name == "nt", reason="a console's Ctrl-C cannot be sent to one process there")
def test_a_session(tiny: Copy, watcher: Watcher) -> None:
    clean = "ledgermark: no findings (claims: 17 en, 17 zh)"
    assert watcher.next(1) == [clean]
    tiny.edit("en/report.md", "[15.0×]", "[15.1×]")
    wrong, one = watcher.next(2)
    assert wrong.startswith("en/report.md:26:24: LM101 shows 15.1, data gives 15.0 ")
    assert one == "ledgermark: 1 finding (claims: 17 en, 17 zh)"
    # A line more above it moves the finding, which is no news; the other file is.
    tiny.edit("en/report.md", "## Calls", "Words.\n\n## Calls")
    tiny.edit("data/trace.csv", "12000,", "13000,")
    more = watcher.next(3)
    assert [line.partition(" ")[0] for line in more] == ["en/report.md:34:11:", "zh/report.md:32:11:", "ledgermark:"]
    # Editors replace files; so does this. A broken set-up ends nothing.
    good = tiny.read("mkdocs.yml")
    tiny.write("new.yml", good.replace("stills: false", "stlls: false"))
    Path(tiny.root / "new.yml").replace(tiny.root / "mkdocs.yml")
    assert watcher.next(1) == ["Error: ledgermark: unknown option 'stlls'; did you mean 'stills'?"]
    tiny.edit("data/trace.csv", "13000,", "12000,")
    tiny.write("mkdocs.yml", good)
    wrong, one = watcher.next(2)
    assert wrong.startswith("en/report.md:28:24: LM101 shows 15.1, data gives 15.0 ")
    tiny.edit("en/report.md", "[15.1×]", "[15.0×]")
    assert watcher.next(2) == [f"mended: {wrong}", clean]
    assert watcher.end() == 0


@pytest.mark.skipif(os.name == "nt", reason="a console's Ctrl-C cannot be sent to one process there")
def test_it_ends_with_the_last_status(tiny: Copy, watcher: Watcher) -> None:
    watcher.next(1)
    tiny.edit("en/report.md", "[15.0×]", "[15.1×]")
    watcher.next(2)
    assert watcher.end() == 1
