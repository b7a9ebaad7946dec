"""Where things are in a built site: addresses of pages, and the way from one to another."""

from __future__ import annotations

import hashlib
import posixpath
import re
from typing import Final

DATA: Final = "data"
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_-]+")


def relative_url(target: str, url: str) -> str:
    """Return the way from the address of one page to another of the same site, both from its root; a folder keeps its slash.

    Args:
        target: such as `en/method/`, `build.json`, or empty for the root.
        url: the page's own, such as `zh/`.
    """
    way = posixpath.relpath(f"/{target}", posixpath.dirname(f"/{url}"))
    return f"{way}/" if target.endswith("/") or not target else way


def address_of(name: str) -> str:
    """Return the address of a page in the site, from its root: `en/method.md` is at `en/method/`."""
    folder = name.removesuffix(".md")
    folder = "" if folder == "index" else folder.removesuffix("/index")
    return f"{folder}/" if folder else ""


def data_slug(dataset: str) -> str:
    """Return the name of a dataset's page and files: its own, or one made of it where its own is no name for a file."""
    slug = _UNSAFE.sub("-", dataset).strip("-")
    return slug if slug == dataset != "index" else f"{slug}-{hashlib.sha256(dataset.encode()).hexdigest()[:8]}".lstrip("-")


def data_page(language: str, dataset: str) -> str:
    """Return the name in the site of a dataset's page: `en/data/ladder.md`."""
    return f"{language}/{DATA}/{data_slug(dataset)}.md"


def data_file(dataset: str, form: str) -> str:
    """Return the name in the site of a dataset's file, in a form such as `csv`."""
    return f"assets/{DATA}/{data_slug(dataset)}.{form}"


def data_index(language: str) -> str:
    """Return the name in the site of the page that lists the datasets."""
    return f"{language}/{DATA}/index.md"
