"""Each folder here, laid over `base`, makes `ledgermark check` print exactly what its `expected.txt` holds."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ledgermark.findings import CODES
from tests.copies import lay_over

HERE = Path(__file__).parent
CASES = sorted(path.name for path in HERE.iterdir() if path.is_dir() and path.name != "__pycache__")
# `base` without anything over it is a case, too.
LAYERS = {name: () if name == "base" else (HERE / name,) for name in CASES}


def _status(output: str) -> int:
    """Return the exit status that fits an output."""
    return 2 if output.startswith("Error: ") else int("ledgermark: no findings" not in output)


@pytest.mark.parametrize("name", CASES)
def test_check_prints_what_is_expected(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    site = lay_over(HERE / "base", LAYERS[name], tmp_path / "site")
    status, lines = site.check()
    output = "\n".join(lines).replace(str(site.root), "ROOT") + "\n"
    expected = HERE / name / "expected.txt"
    if request.config.getoption("--write-expected"):
        expected.write_text(output, "utf-8")
    assert output == expected.read_text("utf-8")
    assert status == _status(output)


# What a site here cannot show, because it needs more than files; it has a test of its own.
ELSEWHERE = {"LM411": "unit/test_published.py"}


def test_every_code_is_met() -> None:
    texts = [(HERE / name / "expected.txt").read_text("utf-8") for name in CASES]
    assert {code for text in texts for code in re.findall(r": (LM[0-9]{3}) ", text)} | set(ELSEWHERE) == set(CODES)
    assert [code for code, name in ELSEWHERE.items() if code not in (HERE.parent / name).read_text("utf-8")] == []


@pytest.mark.parametrize("name", CASES)
def test_findings_have_a_place_and_come_in_order(name: str) -> None:
    *lines, _ = (HERE / name / "expected.txt").read_text("utf-8").splitlines()
    places = [re.match(r"(\S+):([0-9]+):([0-9]+): LM[0-9]{3} \S", line) for line in lines]
    assert [line for line, place in zip(lines, places, strict=True) if not place] == []
    keys = [(place[1], int(place[2]), int(place[3])) for place in places if place]
    assert keys == sorted(keys)
