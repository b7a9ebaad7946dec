"""Whether the languages say the same: the same pages, and on each the same sections, claims, figures and errata."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from ledgermark.findings import Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ledgermark.pages import Page


def check_parity(pages: Mapping[str, Mapping[str, Page]]) -> list[Finding]:
    """Return where the languages differ.

    Args:
        pages: language code to page path (without the language's folder) to page.
    """
    findings: list[Finding] = []
    languages = list(pages)
    for path in sorted({path for by_path in pages.values() for path in by_path}):
        versions = {language: pages[language][path] for language in languages if path in pages[language]}
        for language in languages:
            if language not in versions:
                other = next(iter(versions.values()))
                findings.append(
                    Finding(other.source.path, 1, 1, "LM301", f"the page has no version in '{language}'; expected one at the same path")
                )
        ordered = list(versions.values())
        for page, other in pairwise(ordered):
            findings += _compare(page, other)
            findings += _compare(other, page)
    return findings


def _compare(page: Page, other: Page) -> list[Finding]:
    """Return what stands on one page and not on its other version."""
    findings: list[Finding] = []
    findings += _surplus(
        page, other, "LM305", "section", [(item.id, item.offset) for item in page.source.sections], [item.id for item in other.source.sections]
    )
    findings += _surplus(page, other, "LM302", "claim", _claims(page), [key for key, _ in _claims(other)])
    findings += _surplus(
        page,
        other,
        "LM302",
        "given number",
        [(item.source and "given", item.start) for item in page.claims.given],
        ["given"] * len(other.claims.given),
    )
    findings += _surplus(
        page, other, "LM303", "figure", [(item.argument, item.start) for item in page.figures], [item.argument for item in other.figures]
    )
    findings += _surplus(
        page,
        other,
        "LM303",
        "evidence block",
        [(item.argument, item.start) for item in page.evidence],
        [item.argument for item in other.evidence],
    )
    theirs = {erratum.id: erratum for erratum in other.errata}
    for erratum in page.errata:
        place = page.source.place(erratum.start)
        counterpart = theirs.get(erratum.id)
        if counterpart is None:
            findings.append(Finding(page.source.path, *place, "LM304", f"the erratum '{erratum.id}' is not in {other.source.path}"))
        elif page.language < other.language and counterpart.date != erratum.date:
            findings.append(
                Finding(
                    page.source.path,
                    *place,
                    "LM304",
                    f"'{erratum.id}' is dated {erratum.date} here and {counterpart.date} in {other.source.path}",
                )
            )
        elif page.language < other.language and set(counterpart.affects) != set(erratum.affects):
            differing = ", ".join(sorted(set(counterpart.affects) ^ set(erratum.affects)))
            findings.append(
                Finding(page.source.path, *place, "LM304", f"'{erratum.id}' affects other names in {other.source.path}: {differing}")
            )
    if page.language < other.language and page.published != other.published:
        findings.append(
            Finding(page.source.path, 1, 1, "LM305", f"the page is dated {page.published} here and {other.published} in {other.source.path}")
        )
    return findings


def _claims(page: Page) -> list[tuple[str, int]]:
    return [(claim.key.replace("&amp;", "&"), claim.start) for claim in page.claims.claims]


def _surplus(page: Page, other: Page, code: str, what: str, here: list[tuple[str, int]], there: Iterable[str]) -> list[Finding]:
    """Return a finding for each item that stands more often here than there, at its last places here."""
    left = Counter(there)
    findings: list[Finding] = []
    for name, offset in here:
        if left[name] > 0:
            left[name] -= 1
            continue
        message = f"the {what} '{name}' is not in {other.source.path}, or less often"
        findings.append(Finding(page.source.path, *page.source.place(offset), code, message))
    return findings
