"""Still pictures of figures, for print, for pages without JavaScript and for link previews: Kaleido with a Chromium found on the machine."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import shutil
import subprocess
import threading
import xml.etree.ElementTree as ET
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any, Final

from ledgermark.findings import in_words
from ledgermark.palette import DARK, LIGHT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from ledgermark.figures import Drawn

SIZE: Final = (720, 360)
_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_THEMES: Final = {"light": ("#1b1f24", "#d8dde3", LIGHT), "dark": ("#e6e9ee", "#3c434d", DARK)}
_SVG: Final = "http://www.w3.org/2000/svg"
_START_S: Final = 60.0  # a browser starts in a few seconds, on a busy machine in some more
_PICTURE_S: Final = 6.0
_EDITION: Final = 6  # of what `themed` and `stable_svg` make of a figure
_FORMS: Final = (("light", "svg"), ("dark", "svg"), ("light", "png"))


def find_browser() -> str | None:
    """Return the path of a Chromium on this machine, or None."""
    named = os.environ.get("BROWSER_PATH")
    candidates = [named] if named else [path for name in _BROWSERS if (path := shutil.which(name))]
    return next((path for path in candidates if _is_browser(path)), None)


def _is_browser(path: str) -> bool:
    """Return whether a program says that it is a Chromium: one that is not would be waited for without end."""
    try:
        done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False, timeout=20)  # noqa: S603  (found on the PATH)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return "chrom" in done.stdout.lower()


def draw_stills(drawn: Iterable[Drawn], cache: Path, tell: Callable[[str], None]) -> tuple[dict[tuple[str, str, str], bytes], str]:
    """Return the pictures of some figures, and a line that says why there are none, if there are none.

    Args:
        drawn: figures, each in one language.
        cache: a folder; a picture is drawn once for each content.
        tell: takes a line before the drawing starts, which lasts seconds.

    Returns:
        Picture bytes by figure name, language and form: `light.svg`, `dark.svg`, `light.png`.
    """
    tool = _tool()
    jobs = [(item, scheme, form, _cached(item, scheme, form, cache, tool)) for item in drawn for scheme, form in _FORMS]
    missing = [job for job in jobs if not job[3].is_file()]
    if missing:
        problem = _draw_missing(missing, cache, tell)
        if problem:
            return {}, problem
    return {(item.name, item.language, f"{scheme}.{form}"): path.read_bytes() for item, scheme, form, path in jobs}, ""


def _draw_missing(jobs: list[tuple[Drawn, str, str, Path]], cache: Path, tell: Callable[[str], None]) -> str:
    browser = find_browser()
    if browser is None:
        return "no Chromium on this machine, so figures have no still pictures; their tables stand alone"
    try:
        import kaleido  # noqa: PLC0415  (an extra)
    except ImportError:
        return "kaleido is not installed, so figures have no still pictures; their tables stand alone"
    cache.mkdir(parents=True, exist_ok=True)
    tell(f"drawing {len(jobs)} still pictures of figures, once")
    before = os.environ.get("BROWSER_PATH")
    os.environ["BROWSER_PATH"] = browser
    problems: list[str] = []
    # A thread of its own with a deadline: a browser that hangs must not hang the build.
    work = threading.Thread(target=_draw, args=(kaleido, jobs, problems), daemon=True)
    work.start()
    work.join(_START_S + _PICTURE_S * len(jobs))
    if before is None:
        os.environ.pop("BROWSER_PATH", None)
    else:
        os.environ["BROWSER_PATH"] = before
    return "the browser took too long over still pictures, so tables stand alone" if work.is_alive() else "".join(problems)


def _draw(kaleido: Any, jobs: list[tuple[Drawn, str, str, Path]], problems: list[str]) -> None:
    try:
        kaleido.start_sync_server(n=1, timeout=120, mathjax=False, silence_warnings=True)
        try:
            for item, scheme, form, path in jobs:
                width, height = SIZE
                options = {"format": form, "width": width, "height": height, "scale": 2 if form == "png" else 1}
                picture = kaleido.calc_fig_sync(themed(item.spec, scheme, opaque=form == "png"), opts=options)
                scratch = path.with_suffix(f".{os.getpid()}.part")
                scratch.write_bytes(stable_svg(picture) if form == "svg" else picture)
                scratch.replace(path)
        finally:
            kaleido.stop_sync_server(silence_warnings=True)
    except Exception as error:  # noqa: BLE001  (a browser fails in many ways; a page without pictures is whole all the same)
        problems.append(f"the browser drew no still pictures ({in_words(error)}), so tables stand alone")


def _tool() -> tuple[str, str]:
    """Return the versions of what draws; empty where it is not installed."""
    try:
        return version("kaleido"), version("plotly")
    except PackageNotFoundError:
        return "", ""


def _cached(item: Drawn, scheme: str, form: str, cache: Path, tool: tuple[str, str]) -> Path:
    content = json.dumps([item.spec, _THEMES[scheme], SIZE, form, tool, _EDITION], sort_keys=True, ensure_ascii=False)
    return cache / f"{item.name}.{item.language}.{scheme}.{hashlib.sha256(content.encode()).hexdigest()[:24]}.{form}"


def themed(spec: dict[str, Any], scheme: str, *, opaque: bool = False) -> dict[str, Any]:
    """Return a plot with the colours of a theme filled in."""
    ink, line, palette = _THEMES[scheme]
    plot = copy.deepcopy(spec)
    # A picture has no legend to click: what waits there is left out.
    plot["data"] = [trace for trace in plot["data"] if trace.get("visible") != "legendonly"]
    for index, trace in enumerate(plot["data"]):
        trace["uid"] = f"lm{index}"  # or Plotly makes a random one up and writes it into a class
        colour = palette[trace["meta"]["series"] - 1]
        for part in ("line", "marker"):
            if part == "marker" or trace.get("type") == "scatter":
                trace[part] = {**trace.get(part, {}), "color": colour}
    layout = plot["layout"]
    background = "#ffffff" if opaque else "rgba(0,0,0,0)"
    layout |= {"paper_bgcolor": background, "plot_bgcolor": "rgba(0,0,0,0)", "showlegend": len(plot["data"]) > 1}
    layout["font"] = {"color": ink, "family": "system-ui, sans-serif", "size": 13}
    layout["legend"] = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}
    for axis in [name for name in layout if name.startswith(("xaxis", "yaxis"))]:
        layout[axis] = {**layout[axis], "gridcolor": line, "linecolor": line, "zerolinecolor": ink}
    return plot


def stable_svg(picture: bytes) -> bytes:
    """Return an SVG whose ids do not differ from one drawing to the next: Plotly puts a random word into each."""
    ET.register_namespace("", _SVG)
    ET.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ET.fromstring(picture)  # noqa: S314  (drawn by our own browser from our own figure)
    names = {item.get("id", ""): f"lm{index}" for index, item in enumerate(root.iter()) if item.get("id")}
    ordered = sorted(names, key=len, reverse=True)
    for item in root.iter():
        for attribute, value in item.attrib.items():
            if attribute == "id":
                item.set(attribute, names[value])
            elif "#" in value:
                for name in ordered:
                    value = value.replace(f"#{name}", f"#{names[name]}")  # noqa: PLW2901
                item.set(attribute, value)
    return bytes(ET.tostring(root, encoding="utf-8"))
