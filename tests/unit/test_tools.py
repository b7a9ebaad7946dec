"""The check of the built site finds each way in which a page can break without a broken link."""

from pathlib import Path

import pytest

from ledgermark.settings import Settings
from tools.bench import plain_config, to_plain
from tools.check_assets import Site, find_faults, main, read_site_url
from tools.references import read_css, read_html

URL = "https://example.org/report/"


def site(page: str, *, name: str = "en/a/index.html", url: str = URL) -> Site:
    """Return a site of one page under test, beside a few files that exist."""
    files = {"index.html", "404.html", "en/b/index.html", "assets/a.js", "assets/a.css", "assets/f.json", "assets/p.png", "feed.xml", name}
    documents = {"en/b/index.html": read_html('<h2 id="there">'), name: read_html(page)}
    return Site(frozenset(files), documents, url)


@pytest.mark.parametrize(
    "page",
    [
        '<script src="../../assets/a.js"></script>',
        '<script src="/report/assets/a.js"></script>',
        f'<link rel="stylesheet" href="{URL}assets/a.css">',
        '<img src="../../assets/p.png" srcset="../../assets/p.png 1x, ../../assets/p.png 2x">',
        '<img src="data:image/png;base64,AAAA">',
        '<figure data-src="../../assets/f.json"></figure>',
        '<div data-evidence="../../assets/f.json"></div>',
        '<a href="../b/#there">',
        '<a href="../b/index.html?q=1#there">',
        '<a href="../b/#:~:text=word">',
        '<a href="#here"></a><p id="here">',
        '<a href="#old"></a><a name="old"></a>',
        '<a href="#top">',
        '<a href="https://elsewhere.org/page">',
        '<link rel="canonical" href="https://elsewhere.org/page">',
        '<a href="mailto:a@example.org">',
        f'<meta property="og:image" content="{URL}assets/p.png">',
        '<a href="../../">',
    ],
)
def test_a_sound_page_has_no_faults(page: str) -> None:
    assert find_faults(site(page)) == []


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ('<script src="gone.js"></script>', "script src gone.js: no such file in the site"),
        ('<script src="https://cdn.example/x.js"></script>', "script src https://cdn.example/x.js: a request that leaves the site"),
        ('<script src="//cdn.example/x.js"></script>', "script src //cdn.example/x.js: a request that leaves the site"),
        ('<link rel="preconnect" href="https://fonts.example">', "link preconnect https://fonts.example: a request that leaves the site"),
        ('<link rel="stylesheet" href="gone.css">', "link stylesheet gone.css: no such file in the site"),
        ('<link rel="alternate" href="../../zh/a/">', "link alternate ../../zh/a/: no such file in the site"),
        ('<img src="gone.png">', "img src gone.png: no such file in the site"),
        ('<img srcset="../../assets/p.png 1x, gone.png 2x">', "img srcset gone.png: no such file in the site"),
        ('<figure data-src="gone.json">', "figure data-src gone.json: no such file in the site"),
        ('<div data-evidence="gone.json">', "div data-evidence gone.json: no such file in the site"),
        ('<p style="background: url(gone.png)">', "p style gone.png: no such file in the site"),
        ("<style>@import 'https://fonts.example/x.css';</style>", "style element https://fonts.example/x.css: a request that leaves the site"),
        (f'<meta property="og:image" content="{URL}gone.png">', f"meta picture {URL}gone.png: no such file in the site"),
        ('<a href="../c/">', "a href ../c/: no such file in the site"),
        ('<a href="../b/#gone">', "a href ../b/#gone: no element with this id in en/b/index.html"),
        ('<a href="#gone">', "a href #gone: no element with this id in en/a/index.html"),
        ('<a href="../../../x">', "a href ../../../x: a path that climbs out of the site"),
        ('<a href="/en/b/">', "a href /en/b/: an absolute path outside /report/, where the site is served"),
        (f"<urlset><url><loc>{URL}gone/</loc></url></urlset>", f"loc {URL}gone/: no such file in the site"),
    ],
)
def test_each_fault_is_found_once(page: str, fault: str) -> None:
    assert find_faults(site(page + page)) == [f"en/a/index.html: {fault}"]


def test_the_page_for_missing_addresses_may_not_use_relative_paths() -> None:
    faults = find_faults(site('<script src="assets/a.js"></script><script src="/report/assets/a.js"></script>', name="404.html"))
    assert faults == ["404.html: script src assets/a.js: a relative path on a page that is shown under any address"]


def test_a_style_sheet_is_read_without_its_comments() -> None:
    document = read_css("""/* url(no.png) */ a { src: url("a.woff2") format("woff2"), url(b.woff2) } @import 'c.css';""")
    assert [reference.url for reference in document.references] == ["a.woff2", "b.woff2", "c.css"]


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("site_name: x\nsite_url: https://example.org/a\n", "https://example.org/a/"),
        ('site_url: "https://example.org/"  # where\nx: !!python/name:a.b\n', "https://example.org/"),
        ('site_url: !ENV [NO_SUCH_VARIABLE, "https://example.org/"]\n', "https://example.org/"),
        ("site_url: !ENV [PUBLISHED_AT, https://example.org/]\n", "https://elsewhere.org/a/"),
        ("site_name: x\n# site_url: https://example.org/\n", ""),
    ],
)
def test_the_address_of_the_site_is_read_from_its_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, url: str) -> None:
    monkeypatch.setenv("PUBLISHED_AT", "https://elsewhere.org/a")
    (tmp_path / "mkdocs.yml").write_text(text, "utf-8")
    assert read_site_url(tmp_path / "mkdocs.yml") == url


def test_the_command_prints_faults_and_says_so_in_its_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = f"--config={tmp_path / 'mkdocs.yml'}"
    (tmp_path / "index.html").write_text('<img src="gone.png">', "utf-8")
    assert main([str(tmp_path), config]) == 1
    assert capsys.readouterr().out == "index.html: img src gone.png: no such file in the site\n1 faults in 1 references of 1 files\n"
    (tmp_path / "gone.png").write_bytes(b"")
    assert main([str(tmp_path), config]) == 0


def test_a_folder_without_a_site_is_no_clean_site(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(tmp_path)]) == 2
    assert "no built site" in capsys.readouterr().err


def test_a_page_without_ledgermark_shows_the_same_words() -> None:
    page = """\
Falls by [70.8 %](claim:mtp_gain?context=32768&show=magnitude), see [Figure 1](#fig-a) and [0.9 GiB](given: "card (v1)").

/// erratum | 2026-08-29
    id: five-weeks
Said otherwise.
///

//// evidence | trace
| a | [8](claim:b) |
////
"""
    assert (
        to_plain(page)
        == """\
Falls by 70.8 %, see [Figure 1](#fig-a) and 0.9 GiB.

Said otherwise.

| a | 8 |
"""
    )


def test_the_configuration_without_ledgermark_keeps_the_rest() -> None:
    config = {
        "site_name": "x",
        "not_in_nav": "index.md",
        "theme": {"name": "material", "custom_dir": "site_src/theme"},
        "plugins": ["search", {"ledgermark": {"stills": False}}],
        "markdown_extensions": ["tables", {"ledgermark": {}}, {"pymdownx.highlight": {"a": 1}}],
    }
    settings = Settings(navigation=("index.md", "errata.md"))
    assert plain_config(config, settings) == {
        "site_name": "x",
        "docs_dir": "docs",
        "nav": [{"en": ["en/index.md", "en/errata.md"]}, {"zh": ["zh/index.md", "zh/errata.md"]}],
        "not_in_nav": "index.md\n/*/data/*.md\n",
        "theme": {"name": "material", "custom_dir": "site_src/theme"},
        "hooks": ["plain_hook.py"],
        "plugins": ["search"],
        "markdown_extensions": ["tables", {"pymdownx.highlight": {"a": 1}}],
    }
