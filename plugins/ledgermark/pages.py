"""A page as the check sees it: its front matter, claims, figures, errata and silences."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Final

from ledgermark.blocks import KINDS, Block, find_blocks, misspelt_blocks
from ledgermark.claims import PageClaims, find_claims
from ledgermark.errata import Erratum, check_corrections, read_errata
from ledgermark.findings import CODES, Finding, nearest
from ledgermark.messages import Message
from ledgermark.yamls import YamlError, read_yaml

if TYPE_CHECKING:
    from ledgermark.source import Source

# What says that a bound number is wrong, or that it cannot be known to be right: no comment talks that away.
_FIRM: Final = frozenset((*(f"LM{code}" for code in range(101, 111)), "LM112", "LM113"))
_SILENCE: Final = re.compile(r"ledgermark:\s*allow\b\s*(?P<code>\S+)?\s*(?P<reason>.*)", re.DOTALL)


@dataclass(frozen=True)
class Silence:
    """A comment `<!-- ledgermark: allow CODE reason -->`: it holds for its own line and the next."""

    code: str
    reason: str
    line: int
    column: int


@dataclass(frozen=True)
class Page:
    """One page in one language.

    Attributes:
        path: the path without the language's folder: what pairs it with the other languages.
        language: its language code, or an empty text for a page that belongs to none.
        meta: the front matter.
        published: its `date`, if it has one.
        findings: what is wrong with how it is written.
    """

    source: Source
    path: str
    language: str
    claims: PageClaims
    figures: tuple[Block, ...]
    evidence: tuple[Block, ...]
    errata: tuple[Erratum, ...]
    silences: tuple[Silence, ...]
    published: date | None = None
    meta: dict[str, Any] = field(default_factory=dict, hash=False)
    findings: tuple[Finding, ...] = ()


def read_page(source: Source, path: str, language: str) -> Page:
    """Return a page with everything on it that concerns the ledger, and findings for what is malformed."""
    findings: list[Finding] = []
    meta = _read_meta(source, findings)
    claims = find_claims(source)
    blocks = find_blocks(source, KINDS)
    findings += [Finding(source.path, *source.place(offset), "LM406", message) for offset, message in misspelt_blocks(source)]
    errata, problems = read_errata(source, [block for block in blocks if block.kind == "erratum"])
    findings += check_corrections(source, (block for block in blocks if block.kind == "corrections"))
    figures = tuple(block for block in blocks if block.kind == "figure")
    findings += [
        Finding(source.path, *source.place(block.start), "LM601" if block.kind == "figure" else "LM406", block.problem)
        for block in blocks
        if block.problem and block.kind != "erratum"
    ]
    silences = _read_silences(source, findings)
    return Page(
        source=source,
        path=path,
        language=language,
        claims=claims,
        figures=figures,
        evidence=tuple(block for block in blocks if block.kind == "evidence"),
        errata=errata,
        silences=silences,
        published=_published(source, meta, findings),
        meta=meta,
        findings=(*findings, *claims.findings, *problems),
    )


def _read_meta(source: Source, findings: list[Finding]) -> dict[str, Any]:
    if not source.front.strip():
        return {}
    try:
        meta = read_yaml(source.front)
    except YamlError as error:
        findings.append(
            Finding(source.path, error.line + 1, error.column, "LM901", Message("the front matter is no YAML: {error}", error=error))
        )
        return {}
    if not isinstance(meta, dict):
        findings.append(Finding(source.path, 2, 1, "LM901", Message("the front matter must be 'key: value' lines")))
        return {}
    return {str(key): value for key, value in meta.items()}


def _published(source: Source, meta: dict[str, Any], findings: list[Finding]) -> date | None:
    value = meta.get("date")
    if value is None:
        return None
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    message = Message("the page's date is '{value}', expected one such as 2026-08-01", value=value)
    findings.append(Finding(source.path, *source.place(max(source.text.find("date:"), 0)), "LM901", message))
    return None


def _read_silences(source: Source, findings: list[Finding]) -> tuple[Silence, ...]:
    found: list[Silence] = []
    for offset, text in source.comments:
        match = _SILENCE.match(text)
        if not match:
            continue
        line, column = source.place(offset)
        code, reason = match["code"] or "", match["reason"].strip()
        if code not in CODES:
            message = Message(
                "'{code}' is no code{hint}; expected <!-- ledgermark: allow CODE reason -->", code=code, hint=nearest(code, CODES)
            )
            findings.append(Finding(source.path, line, column, "LM903", message))
        elif code in _FIRM:
            title = Message(CODES[code])
            message = Message(
                "no comment silences {code} ({title}); mend the number or its link and remove the comment", code=code, title=title
            )
            findings.append(Finding(source.path, line, column, "LM903", message))
        elif not reason:
            findings.append(
                Finding(source.path, line, column, "LM903", Message("no reason; expected <!-- ledgermark: allow {code} reason -->", code=code))
            )
        else:
            found.append(Silence(code, reason, line + text.count("\n"), column))
    return tuple(found)


def apply_silences(page: Page, findings: list[Finding]) -> list[Finding]:
    """Return the findings of a page without those silenced there, plus one for each silence that silenced nothing."""
    if not page.silences:
        return findings
    used: set[Silence] = set()
    kept: list[Finding] = []
    for finding in findings:
        silence = next((item for item in page.silences if item.code == finding.code and finding.line in (item.line, item.line + 1)), None)
        if silence is None:
            kept.append(finding)
        else:
            used.add(silence)
    unused = (silence for silence in page.silences if silence not in used)
    return kept + [
        Finding(
            page.source.path,
            item.line,
            item.column,
            "LM902",
            Message("nothing here is {code} ({title}); remove the comment", code=item.code, title=Message(CODES[item.code])),
        )
        for item in unused
    ]
