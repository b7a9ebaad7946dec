"""Findings as SARIF 2.1.0, the format code hosts show beside the lines of a change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from ledgermark.findings import CODES
from ledgermark.messages import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ledgermark.findings import Finding
    from ledgermark.messages import Say

_SCHEMA: Final = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"


def sarif(findings: Sequence[Finding], version: str, say: Say = str) -> dict[str, Any]:
    """Return a SARIF log with one run.

    Args:
        findings: sorted.
        version: the tool's own version.
        say: in which language.
    """
    used = sorted({finding.code for finding in findings})
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "ledgermark",
                        "version": version,
                        "rules": [{"id": code, "shortDescription": {"text": say(Message(CODES[code]))}} for code in used],
                    }
                },
                # Columns count characters; SARIF's own default is UTF-16 units.
                "columnKind": "unicodeCodePoints",
                "results": [_result(finding, used) for finding in findings],
            }
        ],
    }


def _result(finding: Finding, used: list[str]) -> dict[str, Any]:
    region: dict[str, Any] = {"startLine": finding.line, "startColumn": finding.column}
    if finding.shown and "\n" not in finding.shown:
        region |= {"endLine": finding.line, "endColumn": finding.column + len(finding.shown)}
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.path)}, "region": region}
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": used.index(finding.code),
        "level": "error",
        "message": {"text": str(finding.message)},
        "locations": [{"physicalLocation": place}],
    }
    if finding.rows:
        result["relatedLocations"] = [_row(row) for row in finding.rows]
    return result


def _row(row: str) -> dict[str, Any]:
    path, _, line = row.rpartition(":")
    return {"physicalLocation": {"artifactLocation": {"uri": _uri(path)}, "region": {"startLine": int(line)}}}


def _uri(path: str) -> str:
    from urllib.parse import quote  # noqa: PLC0415  (only this format pays)

    return quote(path)
