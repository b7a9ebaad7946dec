"""The pages of a project, read from their files."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from ledgermark.files import files_under, read_file
from ledgermark.findings import Finding
from ledgermark.messages import Message
from ledgermark.pages import Page, read_page
from ledgermark.processes import MANY_PAGES, processes, share_out
from ledgermark.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from ledgermark.settings import Settings

# What MkDocs takes for a page.
_MARKDOWN: Final = (".md", ".markdown", ".mdown", ".mkdn", ".mkd")


def read_pages(root: Path, settings: Settings, findings: list[Finding]) -> dict[str, dict[str, Page]]:
    """Return the pages by language and path, shared ones under the empty code; several processes read them where they are many.

    Args:
        root: the project's folder.
        settings: where the languages have their pages.
        findings: takes what is wrong with those that cannot be read.
    """
    pages: dict[str, dict[str, Page]] = {language: {} for language in (*settings.languages, "")}
    files = list(_page_files(root, settings, findings))
    for page in share_out(partial(_read_some, root), files, processes() if len(files) >= MANY_PAGES else 1):
        if isinstance(page, Page):
            pages[page.language][page.path] = page
        else:
            findings.append(page)
    return pages


def _page_files(root: Path, settings: Settings, findings: list[Finding]) -> Iterator[tuple[str, str, str]]:
    """Yield language, path and path without the language's folder of each page."""
    for language, folder in {**settings.languages, "": settings.pages}.items():
        above, within = len(root.parts), len((root / folder).parts)
        for parts, path in sorted((path.parts, path) for path in files_under(root / folder, _MARKDOWN)):
            name = "/".join(parts[above:])
            if path.suffix != ".md":
                message = Message("the page's name ends in '{suffix}'; rename it to end in .md", suffix=path.suffix)
                findings.append(Finding(name, 1, 1, "LM901", message))
            elif not language and parts[within] in settings.languages:
                message = Message("the page belongs to a language; move it to the folder '{folder}'", folder=parts[within])
                findings.append(Finding(name, 1, 1, "LM901", message))
            else:
                yield language, name, "/".join(parts[within:])


def _read_some(root: Path, files: Iterable[tuple[str, str, str]]) -> list[Page | Finding]:
    return [_read_one(root, *file) for file in files]


def _read_one(root: Path, language: str, name: str, relative: str) -> Page | Finding:
    content = read_file(root / name)
    if isinstance(content, str):
        return Finding(name, 1, 1, "LM901", content)
    try:
        text = content.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = Message("not UTF-8 (byte 0x{byte}); save the page as UTF-8", byte=f"{content[error.start]:02x}")
        return Finding(name, line, 1, "LM901", message)
    return read_page(Source(name, text), relative, language)
