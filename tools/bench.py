"""Time the build with and without ledgermark, over the same pages, and the check by itself.

    python -m tools.bench

Without means: MkDocs with the same theme, templates, search and Markdown extensions, and the same pages, the list of errata among them; each
claim, figure and erratum is the plain text that a reader would see, and what the templates ask of ledgermark comes from a file, as does what
stands on the pages of the data. So the difference is all that ledgermark does: the check, the ledger, figures, evidence, the making of these
pages, and what its marks in a page cost Markdown and search.

Two clocks: the processor's, which decides, since it does not count what else the machine does; and the wall's. The two builds alternate, in
new processes, with compiled modules and still pictures in place as after any first build; medians are compared. The bar is for the site as it
is. Beside it, the article is copied a few times, to show what a page more costs. Exit status: 1 when the ratio is over the bar.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import yaml

from ledgermark.addresses import address_of
from ledgermark.clock import today
from ledgermark.config_file import markdown_extensions, read_config, settings_in
from ledgermark.datafiles import data_files
from ledgermark.examine import examine
from ledgermark.project import load_project
from ledgermark.site import asset_files
from ledgermark.site_view import SiteView
from tools import plain_hook

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledgermark.settings import Settings

BAR: Final = 1.5
_STILLS: Final = ".cache/ledgermark"
_SOURCES: Final = ("data", "en", "zh", "site_src", "scripts", "node_modules")
_LATER: Final = "/*/data/*.md\n"  # the pages of the datasets, which no navigation lists
_CLAIM: Final = re.compile(r"""\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?:claim:[^\s)]*|given:\s*"[^"]*")\)""")
_FENCE: Final = re.compile(r"^/{3,} *(?:(?:figure|erratum|evidence|abstract|corrections)\b.*)?$\n(?:^ {4}.*\n)*", re.MULTILINE)
_ERRATUM: Final = re.compile(r"^(/{3,}) *erratum\b.*?^\1 *$\n?", re.MULTILINE | re.DOTALL)


def to_plain(text: str) -> str:
    """Return a page with its claims as the text that they show and its blocks as the prose in them."""
    return _FENCE.sub("", _CLAIM.sub(r"\1", text))


class Tagged:
    """A YAML value with a tag, such as `!!python/name:module.function`, carried through unread."""

    def __init__(self, tag: str, node: yaml.Node) -> None:
        self.tag = tag
        self.node = node


class _Loader(yaml.SafeLoader):
    """Reads a host's configuration without running its tags."""


class _Dumper(yaml.SafeDumper):
    """Writes it back with them."""


_Loader.add_multi_constructor("", lambda _loader, tag, node: Tagged(tag, node))
_Dumper.add_representer(Tagged, lambda _dumper, tagged: tagged.node)


def plain_config(config: dict[str, Any], settings: Settings) -> dict[str, Any]:
    """Return the configuration of the same site without ledgermark: no plugin, no extension of ours, the same navigation."""
    kept = ("site_name", "site_url", "edit_uri", "use_directory_urls", "theme", "extra")
    return {
        **{name: config[name] for name in kept if name in config},
        "docs_dir": "docs",
        "not_in_nav": f"{config.get('not_in_nav', '')}\n{_LATER}",
        "hooks": ["plain_hook.py"],
        "nav": [{language: [f"{language}/{item}" for item in settings.navigation]} for language in settings.languages],
        "plugins": [item for item in config["plugins"] if _name(item) != "ledgermark"],
        "markdown_extensions": [item for item in config.get("markdown_extensions", []) if not _name(item).startswith("ledgermark")],
    }


def _name(item: str | dict[str, Any]) -> str:
    """Return the name of a plugin or an extension, whichever way it is written in the configuration."""
    return item if isinstance(item, str) else next(iter(item))


def stage(root: Path, folder: Path, article: str, copies: int) -> tuple[Path, Path]:
    """Return two new projects in `folder`: one with ledgermark and one without, each with the article copied `copies` times.

    The copies leave out the errata, whose ids are unique in a site.
    """
    bound, plain = folder / "bound", folder / "plain"
    for name in _SOURCES:
        if (root / name).is_dir() and name != "node_modules":
            shutil.copytree(root / name, bound / name)
        elif (root / name).is_dir():
            (bound / name).symlink_to(root / name)
    if (root / _STILLS).is_dir():
        shutil.copytree(root / _STILLS, bound / _STILLS)
    shutil.copy(root / "mkdocs.yml", bound)
    for language in ("en", "zh"):
        text = (root / language / article).read_text("utf-8")
        for number in range(copies):
            name = f"{Path(article).stem}-{number + 1}.md"
            (bound / language / name).write_text(_ERRATUM.sub("", text), "utf-8")
    _stage_plain(bound, plain)
    read = yaml.load((root / "mkdocs.yml").read_text("utf-8"), _Loader)  # noqa: S506  (derived from SafeLoader)
    config = plain_config(read, settings_in(read_config(bound / "mkdocs.yml")))
    (plain / "mkdocs.yml").write_text(yaml.dump(config, Dumper=_Dumper, allow_unicode=True), "utf-8")
    return bound, plain


def _stage_plain(bound: Path, plain: Path) -> None:
    """Write the pages, templates and assets of a project for a build without ledgermark, and what its templates will ask for."""
    path = bound / "mkdocs.yml"
    config = read_config(path)
    checked = examine(load_project(path), today(), *markdown_extensions(config))
    if checked.findings:
        msg = f"the site has findings, so there is nothing to time: {checked.findings[0]}"
        raise SystemExit(msg)
    settings = checked.project.settings
    view = SiteView(checked, site_name=str(config["site_name"]), site_url=str(config.get("site_url") or ""), built=today())
    pages: dict[str, Any] = {}
    texts = {f"{language}/errata.md": view.errata_page(language) for language in settings.languages}
    for language in settings.languages:
        texts |= view.data_pages(language)
    texts |= {name: (bound / name).read_text("utf-8") for name in _names(bound, settings.languages.values())}
    texts["index.md"] = (bound / settings.pages / "index.md").read_text("utf-8")
    for name, text in texts.items():
        target = plain / "docs" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(to_plain(text), "utf-8")
        page = view.page(name)
        values = view.template_values(
            name, address_of(name), page.meta if page else {"kind": "errata" if name.endswith("/errata.md") else "data"}
        )
        pages[name] = {key: value for key, value in values.items() if key != "t"}
    for name, asset in asset_files(bound, settings.assets):
        (plain / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(asset, plain / "docs" / name)
    shutil.copytree(bound / "site_src/theme", plain / "site_src/theme")
    shutil.copy(Path(plain_hook.__file__), plain / "plain_hook.py")
    view = replace(view, data=frozenset(data_files(checked.project, bound, bound / _STILLS)[0]))
    parts = {name: view.data_parts(name) for name in texts}
    words = {language: dict(catalogue.messages) for language, catalogue in checked.project.catalogues.items()}
    (plain / plain_hook.NAME).write_text(json.dumps({"pages": pages, "words": words, "parts": parts}, ensure_ascii=False), "utf-8")


def _names(root: Path, folders: Iterable[str]) -> list[str]:
    """Return the pages in some folders, as paths."""
    return [page.relative_to(root).as_posix() for folder in folders for page in sorted((root / folder).rglob("*.md"))]


@dataclass(frozen=True)
class Cost:
    """What one build took: processor time, user and system, and wall time."""

    processor_s: float
    wall_s: float


def build(project: Path) -> Cost:
    """Return what one build of a project takes, start of Python included. Raises CalledProcessError when it fails."""
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(project / "site")]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment |= {"NO_MKDOCS_2_WARNING": "true", "PYTHONPYCACHEPREFIX": str(project.parent / "pycache")}
    before, began = os.times(), time.perf_counter()
    done = subprocess.run(command, cwd=project, check=False, env=environment, capture_output=True, text=True)
    after, ended = os.times(), time.perf_counter()
    if done.returncode:
        print(done.stderr, file=sys.stderr)
        done.check_returncode()
    processor_s = after.children_user - before.children_user + after.children_system - before.children_system
    return Cost(processor_s, ended - began)


def compare(root: Path, article: str, copies: int, rounds: int) -> float:
    """Print and return the ratio of the processor times, with ledgermark over without: medians of alternating rounds."""
    with tempfile.TemporaryDirectory() as folder:
        bound, plain = stage(root, Path(folder), article, copies)
        build(bound)  # Once for the caches of still pictures and compiled modules.
        build(plain)
        pairs = [(build(bound), build(plain)) for _ in range(rounds)]
        pages = sum(1 for _ in (plain / "docs").rglob("*.md"))
    ratios: list[float] = []
    for clock in ("processor_s", "wall_s"):
        with_s, without_s = (statistics.median(getattr(pair[side], clock) for pair in pairs) for side in (0, 1))
        ratios.append(with_s / without_s)
        word = clock.removesuffix("_s")
        print(f"{pages} pages, {word} time: {with_s:.2f} s with ledgermark, {without_s:.2f} s without, ratio {ratios[-1]:.2f}", flush=True)
    return ratios[0]


def time_check(root: Path, rounds: int) -> None:
    """Print how many claims the check gets through in a second: the median of some rounds in this process, reading included."""
    path = root / "mkdocs.yml"
    seconds: list[float] = []
    claims = 0
    for _ in range(rounds + 1):
        began = time.perf_counter()
        checked = examine(load_project(path), today(), *markdown_extensions(read_config(path)))
        seconds.append(time.perf_counter() - began)
        claims = sum(len(page.claims.claims) for page in checked.project.all_pages)
    median_s = statistics.median(seconds[1:])  # The first one also imports and compiles patterns.
    print(f"check: {claims} claims in {median_s:.3f} s: {claims / median_s:.0f} claims per second ({seconds[0]:.2f} s the first time)")


def main(arguments: list[str] | None = None) -> int:
    """Run the comparison and return the exit status."""
    parser = argparse.ArgumentParser(description="Time the build with and without ledgermark, and the check.")
    parser.add_argument("--root", type=Path, default=Path(), help="folder of mkdocs.yml (default: here)")
    parser.add_argument("--article", default="speculative-decoding-gate.md", help="the page that is copied (default: %(default)s)")
    parser.add_argument("--copies", type=int, default=10, help="how many copies the second comparison adds (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="timed rounds of each (default: %(default)s)")
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    ratios = [compare(root, options.article, copies, options.rounds) for copies in (0, options.copies)]
    time_check(root, options.rounds)
    print(f"the bar is a ratio of {BAR} for the site as it is: {'missed' if ratios[0] > BAR else 'met'}")
    return 1 if ratios[0] > BAR else 0


if __name__ == "__main__":
    sys.exit(main())
