"""A folder becomes a project: what cannot be read is a finding, what cannot be run is an error."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from ledgermark.clock import now, read_stamp, today
from ledgermark.config_file import read_config
from ledgermark.files import write_whole
from ledgermark.findings import ConfigError
from ledgermark.project import load_project

if TYPE_CHECKING:
    from tests.copies import Copy


def findings(copy: Copy) -> list[str]:
    return [str(finding) for finding in load_project(copy.root / "mkdocs.yml").findings]


def test_the_miniature(tiny: Copy) -> None:
    project = load_project(tiny.root / "mkdocs.yml")
    assert project.findings == ()
    assert {language: sorted(pages) for language, pages in project.pages.items()} == {
        "en": ["index.md", "report.md"],
        "zh": ["index.md", "report.md"],
        "": ["index.md"],
    }
    assert sorted(project.metrics or {}) == ["cells", "gain", "gap", "slowdown", "widest"]
    assert sorted(project.figures or {}) == ["rates"]
    assert sorted(project.ledger.datasets) == ["ladder", "trace"]
    assert [chip["kind"] for chip in project.chips["report"]] == ["hardware", "date"]


@pytest.mark.parametrize(
    ("path", "content", "expected"),
    [
        ("site_src/metrics.py", "def broken(:\n", "site_src/metrics.py:1:12: LM108 the file cannot be loaded: SyntaxError: invalid syntax"),
        (
            "site_src/metrics.py",
            "\nimport no_such_module\n",
            "site_src/metrics.py:2:1: LM108 the file cannot be loaded: ModuleNotFoundError: No module named 'no_such_module'",
        ),
        ("site_src/metrics.py", "\n\n1 / 0\n", "site_src/metrics.py:3:1: LM108 the file cannot be loaded: ZeroDivisionError: division by zero"),
        ("site_src/metrics.py", "import sys\nsys.exit(0)\n", "site_src/metrics.py:2:1: LM108 the file cannot be loaded: SystemExit: 0"),
        ("site_src/metrics.py", b"\xff", "site_src/metrics.py:1:"),
        ("site_src/metrics.py", b"x = '\0'", "site_src/metrics.py:1:1: LM108 the file cannot be loaded: "),
        (
            "site_src/metrics.py",
            "from ledgermark import metric\n@metric(unit='parsec')\ndef a(ledger): 'A.'\n",
            "site_src/metrics.py:2:1: LM108 the file cannot be loaded: UnitError: unknown unit 'parsec'",
        ),
        (
            "site_src/metrics.py",
            "from ledgermark import metric\n@metric(unit='1')\ndef a(ledger): pass\n",
            "site_src/metrics.py:1:1: LM108 the file cannot be loaded: ValueError: metric 'a' has no docstring",
        ),
        ("site_src/figures.py", "import (\n", "site_src/figures.py:1:8: LM602 the file cannot be loaded: SyntaxError: invalid syntax"),
        ("site_src/figures.py", "raise KeyError('x')\n", "site_src/figures.py:1:1: LM602 the file cannot be loaded: KeyError: 'x'"),
        ("site_src/mastheads.yml", "report: [\n", "site_src/mastheads.yml:2:1: LM901 no YAML: "),
        ("site_src/mastheads.yml", "report: 5\n", "site_src/mastheads.yml:1:1: LM901 'report': expected a list of chips, each with a kind"),
        ("site_src/mastheads.yml", b"\xff", "site_src/mastheads.yml:1:1: LM901 no YAML: "),
        ("site_src/mastheads.yml", "report: [{kind: date, dates: [2026-02-30]}]\n", "site_src/mastheads.yml:1:1: LM901 "),
        ("site_src/mastheads.yml", "report:\n  - {kind: date, dates: [soon]}\n", "site_src/mastheads.yml:"),
        ("en/report.md", b"# A\n\n\xe9\n", "en/report.md:3:1: LM901 not UTF-8 (byte 0xe9); save the page as UTF-8"),
        ("data/stray.csv", "a\n1\n", "data/stray.csv:1:1: LM506 the file is not in data/datapackage.json; describe it there"),
        ("data/datapackage.json", "{", "data/datapackage.json:1:2: LM509 not JSON: "),
    ],
)
def test_a_file_that_is_wrong(tiny: Copy, path: str, content: str | bytes, expected: str) -> None:
    tiny.write(path, content)
    (found,) = findings(tiny)
    assert found.startswith(expected)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("site_src/metrics.py", ["site_src/metrics.py:1:1: LM108 the file does not exist"]),
        ("site_src/figures.py", ["site_src/figures.py:1:1: LM602 the file does not exist"]),
        ("data/datapackage.json", ["data/datapackage.json:1:1: LM501 the file does not exist"]),
        ("data/trace.csv", ["data/trace.csv:1:1: LM501 the file does not exist"]),
        ("site_src/mastheads.yml", []),
        ("site_src/locale", []),
        ("site_src/assets", []),
    ],
)
def test_a_file_that_is_missing(tiny: Copy, path: str, expected: list[str]) -> None:
    tiny.remove(path)
    assert findings(tiny) == expected


def test_a_file_that_is_a_folder(tiny: Copy) -> None:
    tiny.remove("data/trace.csv")
    (tiny.root / "data/trace.csv").mkdir()
    assert findings(tiny) == ["data/trace.csv:1:1: LM501 the file cannot be read: Is a directory"]


def test_files_beside_the_metrics_are_read_anew(tiny: Copy) -> None:
    tiny.write("site_src/beside.py", "UNIT = '%'\n")
    tiny.edit("site_src/metrics.py", "from ledgermark", "from beside import UNIT\nfrom ledgermark")
    tiny.edit("site_src/metrics.py", 'unit="row"', "unit=UNIT")
    assert (load_project(tiny.root / "mkdocs.yml").metrics or {})["cells"].unit.symbol == "%"
    tiny.write("site_src/beside.py", "UNIT = 'row'\n\n")
    assert (load_project(tiny.root / "mkdocs.yml").metrics or {})["cells"].unit.symbol == "row"
    assert "beside" not in sys.modules
    assert str(tiny.root / "site_src") not in sys.path


def test_the_digest_follows_data_and_descriptor(tiny: Copy) -> None:
    def digest() -> str:
        return load_project(tiny.root / "mkdocs.yml").digest

    seen = [digest()]
    tiny.edit("en/report.md", "Base", "The base")
    assert digest() == seen[0]
    tiny.edit("data/trace.csv", "158.0", "158.1")
    seen.append(digest())
    tiny.edit("data/datapackage.json", "made up", "made")
    seen.append(digest())
    assert len(set(seen)) == 3


def test_configurations(tmp_path: Path) -> None:
    (tmp_path / "base.yml").write_text("a: 1\nb: !!python/name:os.system ''\nc: !ENV [X, y]\n", "utf-8")
    (tmp_path / "mkdocs.yml").write_text("INHERIT: base.yml\na: 2\n", "utf-8")
    assert read_config(tmp_path / "mkdocs.yml")["a"] == 2
    assert read_config(tmp_path / "mkdocs.yml")["b"] is None


@pytest.mark.parametrize(
    "content", [b"\xff", b"[", b"- a\n", b"", b"text", b"INHERIT: nowhere.yml\n", b"INHERIT: mkdocs.yml\n", b"a: 2026-02-30\n"]
)
def test_configurations_that_cannot_be_read(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "mkdocs.yml").write_bytes(content)
    with pytest.raises(ConfigError):
        read_config(tmp_path / "mkdocs.yml")


def test_the_time_of_a_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1796083200")
    assert (today(), now().isoformat()) == (date(2026, 12, 1), "2026-12-01T00:00:00+00:00")
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert now().microsecond == 0
    for wrong in ("x", "1e9", "9" * 30, "1.5"):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", wrong)
        with pytest.raises(ConfigError, match="SOURCE_DATE_EPOCH"):
            today()


def test_a_stamp_outside_a_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    for path in ("/usr/bin:/bin", ""):
        monkeypatch.setenv("PATH", path)
        stamp = read_stamp(tmp_path, "https://x.example/r")
        assert (stamp.commit, stamp.source_url, stamp.modified, stamp.commit_short) == ("", "", False, "–")


def test_writing_is_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "p.md"
    page.write_text("old", "utf-8")
    write_whole(page, "new\n")
    assert page.read_text("utf-8") == "new\n"

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(ConfigError, match="No space left"):
        write_whole(page, "newer\n")
    assert page.read_text("utf-8") == "new\n"
    assert [path.name for path in tmp_path.iterdir()] == ["p.md"]
