"""A folder with everything a host without plugins needs: pages of all languages, computed files, and a configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import yaml

from ledgermark.claims import without_links
from ledgermark.site import asset_files, generated_files, vendor_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from ledgermark.pages import Page
    from ledgermark.site_view import SiteView

_STYLES: Final = "assets/css/"
_SCRIPTS: Final = "assets/js/"
# For the page that chooses a language, which such a host has not, and for tables of data, where page.js fetches it.
_ELSEWHERE: Final = ("choose.js", "tables.js")


def staged_files(
    view: SiteView, root: Path, pictures: Mapping[tuple[str, str, str], bytes], data: Mapping[str, Path | bytes]
) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file of the staged `docs` folder.

    Args:
        view: the checked project.
        root: its folder.
        pictures: the still pictures of figures.
        data: the files of the datasets.
    """
    settings = view.checked.project.settings
    for language, folder in settings.languages.items():
        for path in sorted((root / folder).rglob("*")):
            if path.is_file() and path.suffix != ".md":
                yield f"{language}/{path.relative_to(root / folder).as_posix()}", path.read_bytes()
        for page in view.checked.project.pages[language].values():
            yield f"{language}/{page.path}", _page_text(page).encode()
        yield from ((name, text.encode()) for name, text in view.data_pages(language).items())
        yield f"{language}/errata.md", view.errata_page(language).encode()
        yield f"{language}/errata/feed.xml", view.errata_feed(language).encode()
    links = "\n".join(f"- [{settings.names[language]}]({language}/index.md)" for language in settings.languages)
    yield "index.md", f"# {view.site_name}\n\n{links}\n".encode()
    for name, asset in asset_files(root, settings.assets):
        yield name, asset.read_bytes()
    yield from ((name, file if isinstance(file, bytes) else file.read_bytes()) for name, file in data.items())
    vendor, _ = vendor_files(root)
    yield from vendor.items()
    yield from generated_files(view.checked, view.stamp, pictures, locale="assets/vendor/plotly-locale-zh-cn.js" in vendor)


def _page_text(page: Page) -> str:
    """Return a page with its front matter in plain text; the body must stay as it is, for the extension knows the page by it."""
    meta = {name: without_links(value) if isinstance(value, str) else value for name, value in page.meta.items()}
    body = page.source.text[page.source.body_start :]
    front = yaml.safe_dump(meta, allow_unicode=True, sort_keys=False) if meta else ""
    # The theme of such a host knows no mastheads; the wrapper is what the scripts look for.
    return f"---\n{front}---\n{body}" if front else body


def staged_config(config: Mapping[str, Any], view: SiteView, project: str, names: list[str], *, stills: bool) -> dict[str, Any]:
    """Return the configuration of the staged site: the project's own, without plugins and templates, and the extension told its project.

    Args:
        config: the content of the project's `mkdocs.yml`.
        view: the checked project.
        project: the path of that file, from where the host runs.
        names: the staged files.
        stills: whether still pictures are among them.
    """
    settings = view.checked.project.settings
    extensions: list[Any] = [item for item in config.get("markdown_extensions") or [] if item != "ledgermark"]
    theme = config.get("theme")
    kept = {key: value for key, value in theme.items() if key in ("language", "features", "palette", "font")} if isinstance(theme, dict) else {}
    return {
        "site_name": view.site_name,
        "site_url": view.site_url,
        "docs_dir": "docs",
        "site_dir": "site",
        "theme": {"name": "material", **kept},
        "nav": [{settings.names[language]: [f"{language}/{item}" for item in settings.navigation]} for language in settings.languages],
        "extra_css": sorted(name for name in names if name.startswith(_STYLES) and not name.endswith("print.css")),
        "extra_javascript": _in_order([name for name in names if name.startswith(_SCRIPTS) and not name.endswith(_ELSEWHERE)]),
        "markdown_extensions": [*extensions, {"ledgermark.standalone": {"project": project, "stills": stills, "data": sorted(view.data)}}],
    }


def _in_order(scripts: list[str]) -> list[str]:
    """Return the scripts in the order in which they build on one another."""
    order = ("page", "paint", "figures", "evidence")
    return sorted(
        scripts, key=lambda name: order.index(stem) if (stem := name.removeprefix(_SCRIPTS).removesuffix(".js")) in order else len(order)
    )
