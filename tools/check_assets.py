"""Check that everything the built site refers to is in it, and that no page makes the browser ask elsewhere.

    python -m tools.check_assets site

A link checker reads `href` and stops there. This reads what breaks a page without a broken link: scripts, styles and what they point at,
pictures in every form, the data of figures and evidence, link previews, feeds, the sitemap. Prints `file: what` for each fault. Exit status: 0
nothing found, 1 faults, 2 there is no site.
"""

from __future__ import annotations

import argparse
import os
import posixpath
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from tools.references import Document, Reference, read_css, read_html

if TYPE_CHECKING:
    from collections.abc import Mapping

_READERS: Final = {".html": read_html, ".xml": read_html, ".css": read_css}
# Addresses that ask no server, or that are a person's choice to open.
_HARMLESS_SCHEMES: Final = frozenset({"about", "blob", "data", "javascript", "mailto", "tel"})
# The page shown for any missing address: a relative reference in it points somewhere else each time.
_SHOWN_ANYWHERE: Final = "404.html"


@dataclass(frozen=True)
class Site:
    """A built site: its file names, what each readable file refers to, and where it will be served (`https://host/base/` or empty)."""

    files: frozenset[str]
    documents: Mapping[str, Document]
    url: str = ""


def load_site(root: Path, url: str) -> Site:
    """Return the site built in `root`. Raises OSError or UnicodeDecodeError for a file that cannot be read."""
    files = frozenset(path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    documents = {name: reader((root / name).read_text("utf-8")) for name in sorted(files) if (reader := _READERS.get(Path(name).suffix))}
    return Site(files, documents, url)


def find_faults(site: Site) -> list[str]:
    """Return one line per fault, sorted by file, each fault once."""
    faults = {
        f"{name}: {fault}" for name, document in site.documents.items() for ref in document.references if (fault := _fault(site, name, ref))
    }
    return sorted(faults)


def _fault(site: Site, name: str, reference: Reference) -> str | None:
    """Return what is wrong with one reference in the file `name`, or None."""
    shown = f"{reference.holder} {reference.url}"
    try:
        target = _inside(site, name, reference.url)
    except ValueError as error:
        return f"{shown}: {error}"
    if target is None:
        outside = reference.kind == "request" and urlsplit(reference.url).scheme not in _HARMLESS_SCHEMES
        return f"{shown}: a request that leaves the site" if outside else None
    path, fragment = target
    found = next((candidate for candidate in (path, posixpath.join(path, "index.html")) if candidate in site.files), None)
    if found is None:
        return f"{shown}: no such file in the site"
    # A fragment of an HTML page must be an id in it; in a picture or a feed it is the reader's business.
    if fragment and found.endswith(".html") and not _has_fragment(site.documents[found], fragment):
        return f"{shown}: no element with this id in {found}"
    return None


def _has_fragment(document: Document, fragment: str) -> bool:
    """Return whether the fragment leads somewhere; `#top` and text fragments always do."""
    return fragment == "top" or fragment.startswith(":~:") or fragment in document.fragments


def _inside(site: Site, name: str, url: str) -> tuple[str, str] | None:
    """Return the path within the site and the fragment that `url` means in the file `name`; None where it leads outside.

    Raises:
        ValueError: the address cannot be right wherever the site is served.
    """
    base = urlsplit(site.url)
    parts = urlsplit(url)
    if parts.scheme or parts.netloc:
        if not site.url or (parts.scheme or base.scheme, parts.netloc) != (base.scheme, base.netloc):
            return None
        if not parts.path.startswith(base.path):
            return None
    fragment = unquote(parts.fragment)
    if not parts.path:
        return (name, fragment)
    if parts.path.startswith("/"):
        root = base.path or "/"
        if not parts.path.startswith(root):
            raise ValueError(f"an absolute path outside {root}, where the site is served")
        path = unquote(parts.path.removeprefix(root))
    elif name == _SHOWN_ANYWHERE:
        raise ValueError("a relative path on a page that is shown under any address")
    else:
        path = posixpath.join(posixpath.dirname(name), unquote(parts.path))
    path = posixpath.normpath(path or ".")
    if path.startswith(".."):
        raise ValueError("a path that climbs out of the site")
    return ("" if path == "." else path, fragment)


def read_site_url(config: Path) -> str:
    """Return `site_url` of an `mkdocs.yml` with a slash at its end, or an empty string.

    Only that line is read, so that the tags which other tools put in the file do not matter; of a tag `!ENV [NAME, default]`, what it
    stands for.
    """
    text = config.read_text("utf-8") if config.is_file() else ""
    match = re.search(r"""^site_url:\s*(?:!ENV\s*\[\s*(\w+)\s*,)?\s*["']?([^\s"'#\]]+)""", text, re.MULTILINE)
    if not match:
        return ""
    return (os.environ.get(match[1] or "") or match[2]).rstrip("/") + "/"


def main(arguments: list[str] | None = None) -> int:
    """Run the check and return the exit status."""
    parser = argparse.ArgumentParser(description="Check that all a built site refers to is in it.")
    parser.add_argument("site", type=Path, help="folder of the built site")
    parser.add_argument("--config", type=Path, default=Path("mkdocs.yml"), help="where site_url is written (default: %(default)s)")
    options = parser.parse_args(arguments)
    site = load_site(options.site, read_site_url(options.config))
    if "index.html" not in site.files:
        print(f"{options.site}: no built site here (no index.html)", file=sys.stderr)
        return 2
    faults = find_faults(site)
    for fault in faults:
        print(fault)
    references = sum(len(document.references) for document in site.documents.values())
    print(f"{len(faults)} faults in {references} references of {len(site.documents)} files")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
