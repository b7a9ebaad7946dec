"""Still pictures: found a browser or said so, drawn once for each content, the same each time."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

import pytest

from ledgermark import stills
from ledgermark.check import check_project
from ledgermark.palette import DARK, LIGHT

if TYPE_CHECKING:
    from pathlib import Path

    from ledgermark.check import Project
    from ledgermark.figures import Drawn


@pytest.fixture(name="drawn")
def drawn_figure(project: Project) -> Drawn:
    return check_project(project, date(2026, 12, 1)).drawn["rates", "en"]


def test_without_a_browser_there_is_one_line(drawn: Drawn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BROWSER_PATH", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    pictures, line = stills.draw_stills([drawn], tmp_path / "cache", lambda _: None)
    assert pictures == {}
    assert line.startswith("no Chromium on this machine")
    assert "\n" not in line


@pytest.fixture(name="browser")
def program_that_says_it_is_a_browser(tmp_path: Path) -> str:
    program = tmp_path / "bin" / "google-chrome"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho Chromium 150.0\n", "utf-8")
    program.chmod(0o755)
    return str(program)


def test_a_browser_is_named_or_found(browser: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROWSER_PATH", browser)
    monkeypatch.setenv("PATH", "/nowhere")
    assert stills.find_browser() == browser
    monkeypatch.delenv("BROWSER_PATH")
    assert stills.find_browser() is None
    monkeypatch.setenv("PATH", browser.rpartition("/")[0])
    assert stills.find_browser() == browser


@pytest.mark.parametrize("named", ["/nowhere/chromium", "/bin/true", "/"])
def test_what_is_no_browser_is_not_waited_for(named: str, drawn: Drawn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BROWSER_PATH", named)
    pictures, line = stills.draw_stills([drawn], tmp_path / "cache", lambda _: None)
    assert pictures == {}
    assert line.startswith("no Chromium on this machine")


def test_a_browser_that_fails_is_one_line(drawn: Drawn, browser: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kaleido = pytest.importorskip("kaleido")

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("first line\nsecond line")

    monkeypatch.setenv("BROWSER_PATH", browser)
    monkeypatch.setattr(kaleido, "start_sync_server", fail)
    pictures, line = stills.draw_stills([drawn], tmp_path / "cache", lambda _: None)
    assert pictures == {}
    assert "RuntimeError: first line" in line
    assert "second" not in line


def test_pictures_in_the_cache_need_no_browser(drawn: Drawn, browser: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kaleido = pytest.importorskip("kaleido")
    asked: list[str] = []

    def picture(plot: dict[str, object], opts: dict[str, object]) -> bytes:
        asked.append(str(opts["format"]))
        return b'<svg xmlns="http://www.w3.org/2000/svg"/>' if opts["format"] == "svg" else str(plot["layout"]).encode()

    monkeypatch.setattr(kaleido, "start_sync_server", lambda **_: None)
    monkeypatch.setattr(kaleido, "stop_sync_server", lambda **_: None)
    monkeypatch.setattr(kaleido, "calc_fig_sync", picture)
    monkeypatch.setenv("BROWSER_PATH", browser)
    first, line = stills.draw_stills([drawn], tmp_path, lambda _: None)
    assert line == ""
    assert sorted(first) == [("rates", "en", form) for form in ("dark.svg", "light.png", "light.svg")]
    assert sorted(asked) == ["png", "svg", "svg"]
    monkeypatch.delenv("BROWSER_PATH")
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert stills.draw_stills([drawn], tmp_path, lambda _: None) == (first, "")
    assert len(asked) == 3
    changed = replace(drawn, spec={**drawn.spec, "layout": {"height": 1}})
    assert stills.draw_stills([changed], tmp_path, lambda _: None)[0] == {}
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []


@pytest.mark.parametrize(("scheme", "palette"), [("light", LIGHT), ("dark", DARK)])
def test_the_colours_of_a_theme(drawn: Drawn, scheme: str, palette: tuple[str, ...]) -> None:
    plot = stills.themed(drawn.spec, scheme)
    assert [trace["marker"]["color"] for trace in plot["data"]] == list(palette[:2])
    assert [trace["line"]["color"] for trace in plot["data"]] == list(palette[:2])
    assert "marker" not in drawn.spec["data"][0]


def test_what_waits_in_the_legend_is_not_in_the_picture(drawn: Drawn) -> None:
    first, *others = drawn.spec["data"]
    plot = stills.themed({**drawn.spec, "data": [{**first, "visible": "legendonly"}, *others]}, "light")
    assert [trace["name"] for trace in plot["data"]] == [trace["name"] for trace in others]


def test_an_svg_is_the_same_each_time() -> None:
    text = (
        '<svg xmlns="http://www.w3.org/2000/svg"><defs><clipPath id="clip{0}x"/><clipPath id="clip{0}"/></defs>'
        '<g clip-path="url(#clip{0}x)"/><use href="#clip{0}"/></svg>'
    )
    one, two = (stills.stable_svg(text.format(word).encode()) for word in ("abc", "ffff"))
    assert one == two
    assert one.count(b"lm") == 4
    assert b"clipabc" not in one
