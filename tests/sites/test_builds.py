"""The site in miniature is built by both hosts, the same each time, and nothing of it stays behind in the process."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config

from tests.copies import Copy, files_below, lay_over

HERE = Path(__file__).parent
HOSTS = ("mkdocs", "properdocs")
FLAGS: tuple[tuple[str, ...], ...] = ((), ("--strict",), ("-q",), ("-v",))

BUILT = """\
assets/data/ladder.csv
assets/data/ladder.parquet
assets/data/trace.csv
assets/data/trace.parquet
assets/figures/rates.en.csv
assets/figures/rates.en.json
assets/figures/rates.zh.csv
assets/figures/rates.zh.json
assets/site.css
assets/vendor/plotly.min.js
build.json
en/data/index.html
en/data/ladder/index.html
en/data/trace/index.html
en/errata/evidence.json
en/errata/feed.xml
en/errata/index.html
en/evidence.json
en/index.html
en/report/evidence.json
en/report/index.html
en/search/search_index.json
en/sitemap.xml
index.html
search/lunr.js
search/main.js
search/search_index.json
search/worker.js
sitemap.xml
sitemap.xml.gz
zh/data/index.html
zh/data/ladder/index.html
zh/data/trace/index.html
zh/errata/evidence.json
zh/errata/feed.xml
zh/errata/index.html
zh/evidence.json
zh/index.html
zh/report/evidence.json
zh/report/index.html
zh/search/search_index.json
zh/sitemap.xml
"""


def build_here(copy: Copy, monkeypatch: pytest.MonkeyPatch, name: str) -> dict[str, bytes]:
    """Return the files of a build in this process."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", copy.epoch)
    site = copy.root.with_name(name)
    config = load_config(str(copy.root / "mkdocs.yml"), site_dir=str(site))
    config.plugins.on_startup(command="build", dirty=False)
    build(config)
    config.plugins.on_shutdown()
    # A compressed copy carries the clock of its making.
    return {path: data for path, data in files_below(site).items() if not path.endswith(".gz")}


@pytest.mark.parametrize("host", HOSTS)
def test_both_hosts_build_the_same_files(tiny: Copy, host: str) -> None:
    done = tiny.build(host, "--strict")
    assert done.returncode == 0, done.stderr
    assert "".join(f"{name}\n" for name in files_below(tiny.site)) == BUILT
    stamp = json.loads((tiny.site / "build.json").read_text("utf-8"))
    assert stamp["built"] == "2026-12-01T00:00:00Z"
    assert stamp["languages"]["en"]["claims"] == stamp["languages"]["zh"]["claims"] == 17
    assert "no Node packages here" in done.stderr


def test_a_build_is_the_same_each_time_and_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = lay_over(HERE / "base", (), tmp_path / "base")
    first = build_here(base, monkeypatch, "first")
    assert build_here(base, monkeypatch, "second") == first
    # Another project, with metrics, figures, words, data and pages of its own under the same names.
    other = lay_over(HERE / "base", (), tmp_path / "other")
    other.remove("en/report.md")
    other.remove("zh/report.md")
    for language in ("en", "zh"):
        text = "# Other {#other}\n\nBy [−90.0 %](claim:gain?context=32768).\n\n/// figure | rates\nOther.\n///\n"
        other.write(f"{language}/index.md", text)
    other.edit("mkdocs.yml", "report.md, ", "")
    other.edit("mkdocs.yml", "site_name: Tiny", "site_name: Other")
    other.edit("data/ladder.csv", "5.00", "2.00")
    other.edit("site_src/locale/zh/LC_MESSAGES/messages.po", "各上下文长度的速率", "别的速率")
    between = build_here(other, monkeypatch, "between")
    assert b'data-claim="gain?context=32768"' in between["en/index.html"]
    assert [name for name in between if "report" in name or name.startswith("zh/errata/evidence")] == []
    assert "别的速率".encode() in between["zh/index.html"]
    left = [name for name, data in between.items() if b"gap" in data and name.endswith((".json", ".html"))]
    assert left == []
    assert b"errata" not in between["build.json"] or json.loads(between["build.json"])["languages"]["en"]["errata"] == 0
    alone = build_here(lay_over(other.root, (), tmp_path / "alone" / "site"), monkeypatch, "alone_built")
    assert alone == between
    assert build_here(base, monkeypatch, "third") == first


def test_two_processes_build_the_same_bytes(tiny: Copy) -> None:
    sites = []
    for seed in ("1", "2"):
        os.environ["PYTHONHASHSEED"] = seed
        try:
            done = tiny.build("mkdocs", "-q")
        finally:
            del os.environ["PYTHONHASHSEED"]
        assert done.returncode == 0, done.stderr
        sites.append(files_below(tiny.site))
    assert sites[0] == sites[1]


@pytest.mark.parametrize(("host", "flags"), [*((HOSTS[0], flags) for flags in FLAGS), (HOSTS[1], ("--strict", "-q"))])
def test_a_wrong_number_fails_the_build_and_keeps_the_last_good_site(tiny: Copy, host: str, flags: tuple[str, ...]) -> None:
    tiny.write("../tiny.site/index.html", "the last good site")
    tiny.edit("zh/report.md", "[15.0 倍]", "[15.1 倍]")
    done = tiny.build(host, *flags)
    assert done.returncode == 1
    assert files_below(tiny.site) == {"index.html": b"the last good site"}
    output = done.stdout + done.stderr
    assert "zh/report.md:26:12: LM101 shows 15.1, data gives 15.0" in output
    assert "Traceback" not in output


def test_a_broken_set_up_fails_the_build_in_words(tiny: Copy) -> None:
    tiny.edit("mkdocs.yml", "stills: false", "languages: {en: nowhere}")
    done = tiny.build("mkdocs", "-q")
    assert done.returncode == 1
    assert "'nowhere'" in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_page_as_built(tiny: Copy, language: str) -> None:
    tiny.build("mkdocs", "-q")
    page = (tiny.site / language / "report/index.html").read_text("utf-8")
    assert f'<html lang="{language}">' in page
    assert 'data-evidence="evidence.json"' in page
    other = {"en": "zh", "zh": "en"}[language]
    assert f'<a class="alternate" hreflang="{other}" href="../../{other}/report/">' in page
    for mark in ('data-claim="slowdown"', 'id="fig-rates"', 'data-erratum="days-apart"', 'data-given="', 'data-badge="raw-missing"'):
        assert mark in page
    evidence = json.loads((tiny.site / language / "report/evidence.json").read_text("utf-8"))
    assert "slowdown" in evidence["claims"]
    index = json.loads((tiny.site / language / "search/search_index.json").read_text("utf-8"))
    assert {doc["location"].partition("#")[0] for doc in index["docs"]} == {"", "report/", "errata/", "data/", "data/ladder/", "data/trace/"}
    assert ("fast" in page) is True
    errata = (tiny.site / language / "errata/index.html").read_text("utf-8")
    assert 'href="../report/#erratum-days-apart"' in errata
