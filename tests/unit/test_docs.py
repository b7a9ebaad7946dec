"""The documentation of findings has an entry for each code, and for nothing else."""

import re
from pathlib import Path

from ledgermark.findings import CODES

FINDINGS = Path(__file__).resolve().parents[2] / "docs/findings.md"


def test_each_code_is_documented_once_and_in_order() -> None:
    documented = re.findall(r"^### (LM[0-9]+)$", FINDINGS.read_text("utf-8"), re.MULTILINE)
    assert documented == sorted(CODES)


def test_each_entry_says_something() -> None:
    entries = re.split(r"^### LM[0-9]+$", FINDINGS.read_text("utf-8"), flags=re.MULTILINE)[1:]
    assert [entry for entry in entries if not re.search(r"^\S.+\.", entry, re.MULTILINE)] == []
