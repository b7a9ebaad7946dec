"""MkDocs, ProperDocs and Zensical show the same claims, figures and errata of the same pages, and none of them shows an unchecked one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.copies import ROOT, Copy, copy_project, lay_over
from tools.check_stamp import find_differences, find_faults, read_stamp, shown_in

HOSTS = ("mkdocs", "properdocs", "zensical")
LANGUAGES = ["en", "zh"]
# Midnight, as where the site is built once for all tests (conftest.py).
TODAY = str(int(time.time()) // 86400 * 86400)


def stage(copy: Copy) -> tuple[int, list[str]]:
    """Stage a project beside it, as the site of Zensical; return status and lines."""
    return copy.run("stage", str(copy.root.with_name("staged")))


def zensical(copy: Copy) -> subprocess.CompletedProcess[str]:
    """Build what was staged."""
    command = [str(Path(sys.executable).with_name("zensical")), "build", "--strict", "--clean"]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": copy.epoch}
    staged = copy.root.with_name("staged")
    return subprocess.run(command, cwd=staged, env=environment, capture_output=True, text=True, check=False, timeout=120)


def built(copy: Copy, host: str) -> Path:
    """Return the site that a host makes of a project."""
    if host == "zensical":
        assert stage(copy)[0] == 0
        done = zensical(copy)
        assert done.returncode == 0, done.stdout + done.stderr
        return copy.root.with_name("staged") / "site"
    done = copy.build(host, "--strict")
    assert done.returncode == 0, done.stderr
    return copy.site


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The site in miniature as each host makes it."""
    made = {}
    for host in HOSTS:
        folder = tmp_path_factory.mktemp(host)
        made[host] = built(lay_over(ROOT / "tests/sites/base", (), folder / "tiny"), host)
    return made


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_shows_all_that_was_checked(sites: dict[str, Path], host: str) -> None:
    stamp = read_stamp(sites[host])
    assert {language: counts["claims"] for language, counts in stamp["languages"].items()} == {"en": 17, "zh": 17}
    assert find_faults(sites[host], stamp) == []


@pytest.mark.parametrize("host", HOSTS[1:])
def test_hosts_show_the_same(sites: dict[str, Path], host: str) -> None:
    assert find_differences(sites[HOSTS[0]], sites[host], LANGUAGES) == []
    stamps = [read_stamp(sites[name]) for name in (HOSTS[0], host)]
    assert stamps[0] == stamps[1]


def test_a_difference_would_be_seen(sites: dict[str, Path], tmp_path: Path) -> None:
    site = sites["zensical"]
    other = lay_over(site, (), tmp_path / "other").root
    page = other / "en/report/index.html"
    page.write_text(page.read_text("utf-8").replace('data-claim="slowdown"', "", 1), "utf-8")
    assert find_faults(other, read_stamp(other)) == ["en: 17 claims were checked, the pages show 16"]
    assert find_differences(site, other, LANGUAGES) == [f"en/report/index.html: data-claim=slowdown is only in {site}"]
    page.unlink()
    assert f"en/report/index.html is only in {site}" in find_differences(site, other, LANGUAGES)


def test_our_own_site_is_the_same_in_zensical(built_site: Path, tmp_path: Path) -> None:
    # As it is built in tests: on the same day, from the same files.
    copy = copy_project(tmp_path / "project", TODAY)
    site = built(copy, "zensical")
    assert find_faults(site, read_stamp(site)) == []
    assert find_differences(built_site, site, LANGUAGES) == []
    assert read_stamp(site)["languages"] == read_stamp(built_site)["languages"]
    assert sum(len(found) for found in shown_in(site, "zh").values()) > 100


def test_each_host_and_the_command_line_say_the_same_of_a_wrong_number(tiny: Copy) -> None:
    tiny.edit("zh/report.md", "[15.0 倍]", "[15.1 倍]")
    status, (wrong, _) = tiny.check()
    assert (status, wrong[:27]) == (1, "zh/report.md:26:12: LM101 s")
    assert stage(tiny)[0] == 1
    assert wrong in stage(tiny)[1]
    assert not tiny.root.with_name("staged").exists()
    for host in HOSTS[:2]:
        done = tiny.build(host)
        assert done.returncode == 1
        assert wrong in done.stdout + done.stderr


# What is staged is checked again as it is built: against the project as it is by then, and against what was checked.
@pytest.mark.parametrize(
    ("path", "old", "new", "words"),
    [
        ("tiny/data/trace.csv", "158.0", "168.0", "en/report.md:26:24: LM101 shows 15.0, data gives 16.0"),
        ("staged/docs/en/report.md", "[15.0×]", "[15.1×]", "stands on a page that is not, letter for letter, one of the checked project"),
        ("staged/docs/en/report.md", "median call", "mean call", "stands on a page that is not, letter for letter, one of the checked project"),
    ],
)
def test_zensical_refuses_what_was_not_checked(tiny: Copy, path: str, old: str, new: str, words: str) -> None:
    assert stage(tiny)[0] == 0
    tiny.edit(f"../{path}", old, new)
    done = zensical(tiny)
    assert done.returncode != 0
    assert words in done.stdout + done.stderr
