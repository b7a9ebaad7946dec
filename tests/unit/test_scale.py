"""The project that the large benchmark checks has no findings, and the claims it says it has."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from ledgermark.config_file import markdown_extensions, read_config
from ledgermark.examine import examine
from ledgermark.project import load_project
from tools.bench_scale import measure
from tools.scale_project import CLAIMS_PER_PAGE, write_project

if TYPE_CHECKING:
    from pathlib import Path


def test_a_generated_project_is_clean(tmp_path: Path) -> None:
    claims = write_project(tmp_path, pairs=30, rows=400)
    config = tmp_path / "mkdocs.yml"
    checked = examine(load_project(config), date(2026, 12, 1), *markdown_extensions(read_config(config)))
    assert checked.findings == ()
    assert sum(len(page.claims.claims) for page in checked.project.all_pages) == claims == 2 * 30 * CLAIMS_PER_PAGE
    assert len(checked.drawn) == 2


def test_it_is_the_same_each_time(tmp_path: Path) -> None:
    for name in ("a", "b"):
        write_project(tmp_path / name, pairs=3, rows=50)
    files = {path.relative_to(tmp_path / "a"): path.read_bytes() for path in (tmp_path / "a").rglob("*") if path.is_file()}
    assert files == {path: (tmp_path / "b" / path).read_bytes() for path in files}


def test_a_measurement(tmp_path: Path) -> None:
    claims = write_project(tmp_path, pairs=2, rows=50)
    found = measure(tmp_path)
    assert (found.claims, found.findings) == (claims, 0)
    assert found.ledger_s >= 0
    assert found.check_s > 0
    assert found.peak_mib > 10
