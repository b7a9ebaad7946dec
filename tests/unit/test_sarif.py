"""SARIF logs satisfy the schema of SARIF 2.1.0, whatever the findings say, and columns mean what they say."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ledgermark.findings import CODES, Finding
from ledgermark.sarif import sarif

if TYPE_CHECKING:
    from tests.copies import Copy

SCHEMA = Path(__file__).resolve().parents[2] / "node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"


@lru_cache
def validator() -> jsonschema.protocols.Validator:
    """Return what holds a log against the schema; skips the test where that is not there."""
    if not SCHEMA.is_file():
        pytest.skip("no SARIF schema here: it comes with the npm packages (`npm ci`)")
    schema = json.loads(SCHEMA.read_text("utf-8"))
    kind = jsonschema.validators.validator_for(schema)
    kind.check_schema(schema)
    made: jsonschema.protocols.Validator = kind(schema)
    return made


def complaints(log: dict[str, Any]) -> list[str]:
    """Return what the schema says against a log."""
    return [f"{error.json_path}: {error.message}" for error in validator().iter_errors(log)]


def test_the_schema_would_notice() -> None:
    log = sarif([Finding("a.md", 1, 1, "LM101", "x")], "1")
    log["runs"][0]["results"][0]["level"] = "fatal"
    log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    assert len(complaints(log)) == 2


TEXTS = st.text(max_size=12)
FINDINGS = st.lists(
    st.builds(
        Finding,
        path=st.text(min_size=1, max_size=12),
        line=st.integers(1, 10_000),
        column=st.integers(1, 10_000),
        code=st.sampled_from(sorted(CODES)),
        message=TEXTS,
        shown=st.none() | TEXTS,
        rows=st.lists(st.builds("{}:{}".format, TEXTS, st.integers(1, 99)), max_size=2, unique=True).map(tuple),
    ),
    max_size=4,
)


@settings(max_examples=25)
@given(FINDINGS)
def test_every_log_is_valid(findings: list[Finding]) -> None:
    assert complaints(json.loads(json.dumps(sarif(findings, "1.2.3")))) == []


def test_a_real_log_is_valid_and_its_regions_hold_what_is_shown(tiny: Copy) -> None:
    tiny.edit("en/report.md", "[15.0×]", "[15.1×]")
    tiny.edit("zh/report.md", "中位的调用", "中位的调用 7 次，")
    tiny.edit("data/ladder.csv", "40.00", "41.00")
    status, lines = tiny.check("--format", "sarif")
    log = json.loads("\n".join(lines))
    assert status == 1
    assert complaints(log) == []
    (run,) = log["runs"]
    assert run["columnKind"] == "unicodeCodePoints"
    texts = []
    for result in run["results"]:
        place = result["locations"][0]["physicalLocation"]
        line = tiny.read(place["artifactLocation"]["uri"]).split("\n")[place["region"]["startLine"] - 1]
        texts.append((result["ruleId"], line[place["region"]["startColumn"] - 1 : place["region"].get("endColumn", 0) - 1]))
    assert ("LM101", "15.1") in texts
    assert ("LM201", "7 次") in texts
    assert [
        result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in run["results"]
        if result["message"]["text"].startswith("shows 15.1")
    ] == ["data/trace.csv"]
