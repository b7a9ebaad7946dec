"""`fix` touches nothing but stale digits, does it once, and leaves every file whole whatever happens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.copies import Copy, files_below

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

PAGE = "en/report.md"
# Each stale in its own manner: (right, stale, after `fix`, where that differs from the right text).
STALE = {
    "decimals": ("[40.00 tok/s]", "[41.00 tok/s]", ""),
    "fewer places": ("[40.00 tok/s]", "[41 tok/s]", "[40 tok/s]"),
    "more places": ("[40.00 tok/s]", "[41.0000 tok/s]", "[40.0000 tok/s]"),
    "twenty places": ("[40.00 tok/s]", f"[41.{'0' * 20} tok/s]", f"[40.{'0' * 20} tok/s]"),
    "exponent": ("[40.00 tok/s]", "[4.1e1 tok/s]", "[4.0e1 tok/s]"),
    "power": ("[40.00 tok/s]", "[4.1×10¹ tok/s]", "[4.0×10¹ tok/s]"),
    "full width": ("[40.00 tok/s]", "[４１．０ tok/s]", "[４０．０ tok/s]"),
    "minus": ("[40.00 tok/s]", "[−41.00 tok/s]", "[+40.00 tok/s]"),
    "entity": ("[40.00 tok/s]", "[41.00&nbsp;tok/s]", "[40.00&nbsp;tok/s]"),
    "emphasis": ("[40.00 tok/s]", "[*41.00* tok/s]", "[*40.00* tok/s]"),
    "line break": ("[40.00 tok/s]", "[41.00\ntok/s]", "[40.00\ntok/s]"),
    "hyphen": ("[+25.3 % and −75.0 %]", "[+25.4 % and -76.0 %]", "[+25.3 % and -75.0 %]"),
    "swapped": ("[+25.3 % and −75.0 %]", "[−75.0 % and +25.3 %]", ""),
    "one of two": ("[+25.3 % and −75.0 %]", "[+25.3 % and −76.0 %]", ""),
    "sign": ("[+25.3 % and −75.0 %]", "[−25.3 % and −75.0 %]", ""),
    "groups": ("[1,024 and 32 768 tokens]", "[1,025 and 32 769 tokens]", ""),
    "words": ("[twenty-five days]", "[twenty-six days]", ""),
    "capital words": ("[twenty-five days]", "[Twenty-six days]", "[Twenty-five days]"),
    "Chinese": ("[twenty-five days]", "[二十六天]", "[二十五天]"),
    "loose bound": ("[75 %](claim:widest", "[80 %](claim:widest", ""),
    "in the title": ("[75.0 %](claim:gain?context=32768&show=magnitude)", "[76.0 %](claim:gain?context=32768&show=magnitude)", ""),
    "in a table": ("[12 000](claim:trace.calls?arm=base)", "[12 001](claim:trace.calls?arm=base)", ""),
    "in an erratum": ("They are [25 days]", "They are [26 days]", ""),
}


@pytest.mark.parametrize("name", STALE)
def test_only_the_stale_digits(name: str, tiny: Copy) -> None:
    right, stale, after = STALE[name]
    text = tiny.read(PAGE)
    assert text.count(right) == 1
    tiny.write(PAGE, text.replace(right, stale))
    others = {path: data for path, data in files_below(tiny.root).items() if path != PAGE}
    assert tiny.check()[0] == 1
    assert tiny.run("fix", "--check")[0] == 1
    assert tiny.read(PAGE) == text.replace(right, stale)
    assert tiny.run("fix")[0] == 0
    assert tiny.read(PAGE) == text.replace(right, after or right)
    assert tiny.check()[0] == 0
    assert tiny.run("fix")[1] == ["0 pages changed"]
    assert tiny.read(PAGE) == text.replace(right, after or right)
    assert {path: data for path, data in files_below(tiny.root).items() if path != PAGE} == others


# Files as editors and systems leave them.
MANNERS: dict[str, Callable[[bytes], bytes]] = {
    "CRLF": lambda data: data.replace(b"\n", b"\r\n"),
    "some CRLF": lambda data: data.replace(b"\n", b"\r\n", 9),
    "BOM": lambda data: b"\xef\xbb\xbf" + data,
    "BOM and CRLF": lambda data: b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n"),
    "no last line end": lambda data: data.rstrip(b"\n"),
    "blank lines with spaces": lambda data: data.replace(b"\n\n", b"  \n \t\n"),
    "other line separators": lambda data: data.replace(b"Base runs", "Base\u2028\x85\x0c\x0bruns".encode()).replace(b"\n", b"\r\n", 12),
}


@pytest.mark.parametrize("name", MANNERS)
def test_other_bytes_stay(name: str, tiny: Copy) -> None:
    right = MANNERS[name](tiny.read(PAGE).encode())
    tiny.write(PAGE, right.replace(b"[40.00 tok/s]", b"[41.00 tok/s]"))
    assert tiny.run("fix")[0] == 0
    assert (tiny.root / PAGE).read_bytes() == right


def test_code_and_comments_stay(tiny: Copy) -> None:
    shown = "[41 tok/s](claim:ladder.tok_s?arm=base&context=1024)"
    text = tiny.read(PAGE) + f"\n`{shown}`\n\n```\n{shown}\n```\n\n<!-- {shown} -->\n"
    tiny.write(PAGE, text)
    assert tiny.run("fix")[0] == 0
    assert tiny.read(PAGE) == text


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("data/ladder.csv", "50.10", "50.10,1"),
        ("data/ladder.csv", "base,32768", "base,1024"),
        ("data/ladder.csv", "50.10", "NaN"),
        ("data/datapackage.json", '"rows": 4', '"rows": 5'),
        ("site_src/metrics.py", "import", "imprt"),
    ],
)
def test_faulty_data_is_written_nowhere(path: str, old: str, new: str, tiny: Copy) -> None:
    tiny.edit(path, old, new)
    tiny.edit(PAGE, "[25 days](claim:gap)", "[26 days](claim:gap)")
    before = files_below(tiny.root)
    status, lines = tiny.run("fix")
    assert status != 0
    assert lines
    assert files_below(tiny.root) == before


def fix_with_limit(tiny: Copy, size: int) -> subprocess.CompletedProcess[str]:
    """Run `fix` where no file may grow beyond a size: what a full disk does to a writer."""
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size})); from ledgermark.cli import main; main(['fix'])"
    )
    environment = {**os.environ, "SOURCE_DATE_EPOCH": tiny.epoch, "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, "-c", code], cwd=tiny.root, env=environment, capture_output=True, text=True, check=False, timeout=60)


def test_a_full_disk(tiny: Copy) -> None:
    tiny.edit(PAGE, "[40.00 tok/s]", "[41.00 tok/s]")
    before = files_below(tiny.root)
    done = fix_with_limit(tiny, 64)
    assert done.returncode == 2
    assert re.search(r"^Error: .*en/report\.md", done.stderr, re.MULTILINE)
    assert "Traceback" not in done.stderr
    assert files_below(tiny.root) == before


def test_a_linked_page_stays_linked(tiny: Copy, tmp_path: Path) -> None:
    page = tiny.root / PAGE
    target = tmp_path / "elsewhere.md"
    target.write_text(page.read_text("utf-8").replace("[40.00 tok/s]", "[41.00 tok/s]"), "utf-8")
    page.unlink()
    page.symlink_to(target)
    assert tiny.run("fix")[0] == 0
    assert page.is_symlink()
    assert "[40.00 tok/s]" in target.read_text("utf-8")


def test_permissions_stay(tiny: Copy) -> None:
    page = tiny.root / PAGE
    page.chmod(0o640)
    tiny.edit(PAGE, "[40.00 tok/s]", "[41.00 tok/s]")
    assert tiny.run("fix")[0] == 0
    assert page.stat().st_mode & 0o777 == 0o640
