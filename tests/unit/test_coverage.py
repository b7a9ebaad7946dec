"""What `coverage` counts, prints and reports."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from ledgermark.claims import Claim, Given
from ledgermark.coverage import coverage_of, reader_of
from ledgermark.findings import ConfigError
from ledgermark.pages import read_page
from ledgermark.project import load_project
from ledgermark.settings import read_settings
from ledgermark.source import Source
from ledgermark.unbound import UNBOUND, numbers_of
from tests.copies import ROOT

if TYPE_CHECKING:
    from tests.copies import Copy

TERMS = "      stills: false\n      terms: {A 100: a card, 7B: a model}\n"


def test_the_miniature_is_wholly_covered(tiny: Copy) -> None:
    coverage = coverage_of(load_project(tiny.root / "mkdocs.yml"))
    for language in ("en", "zh"):
        counts = coverage.of_language(language)
        assert (counts.unbound, counts.given, counts.exempt) == (0, 1, {})
        assert counts.total == counts.bound + counts.given == coverage.of_page(language, "report.md").total + 1


def test_each_number_has_its_place_and_answer(tiny: Copy) -> None:
    tiny.edit("mkdocs.yml", "      stills: false\n", TERMS)
    tiny.edit("en/index.md", "# Tiny\n", "# Tiny\n\nOn 2026-08-29 an A 100 took 70 ms, 75.0 % less.\n")
    tiny.write("site_src/mastheads.yml", "report:\n  - {kind: scale, en: 'a 7B model, 3 cards', zh: 两块卡}\n")
    status, lines = tiny.run("coverage", "-v")
    assert status == 0
    assert "en/index.md: 5 numbers: 1 bound, 0 given, 2 exempt (date 1, term 1), 2 unbound" in lines
    assert "  6:4 date '2026-08-29'" in lines
    assert "  6:20 term 'A 100'" in lines
    assert "  6:29 unbound '70 ms'" in lines
    assert "site_src/mastheads.yml (zh): 1 numbers: 0 bound, 0 given, 0 exempt, 1 unbound" in lines
    assert "term '7B': 1" in lines
    answer = json.loads("\n".join(tiny.run("coverage", "--format", "json")[1]))
    assert answer["languages"]["zh"]["unbound"] == 1
    assert answer["terms"] == {"A 100": 1, "7B": 1}
    found = [line for line in tiny.check()[1] if " LM2" in line]
    ways = "make it a claim, give its source (given:), list its phrase in terms, or say it without a number"
    gives = "claim:gain?context=32768 gives −75 % and claim:gain?context=1024,32768 gives −75 % and claim:widest?contexts=1024,32768 gives 75 %"
    assert found == [
        f"en/index.md:6:29: LM201 '70 ms' is bound to nothing; {ways}",
        f"en/index.md:6:36: LM201 '75.0 %' is bound to nothing; {gives}",
        f"site_src/mastheads.yml:2:36: LM201 '3' is bound to nothing; {ways}",
        f"site_src/mastheads.yml:2:50: LM201 '两块' is bound to nothing; {ways}",
    ]


def test_terms_are_used_and_are_names(tiny: Copy) -> None:
    tiny.edit("mkdocs.yml", "      stills: false\n", "      stills: false\n      terms:\n        A 100: a card\n        75 %: a loss\n")
    found = [line for line in tiny.check()[1] if " LM2" in line]
    assert found == [
        "mkdocs.yml:14:9: LM206 the term 'A 100' lets no number stand anywhere; remove it",
        "mkdocs.yml:15:9: LM207 the term '75 %' has a number with a unit in it; that is a measurement",
    ]


def test_a_silence_holds_for_an_unbound_number(tiny: Copy) -> None:
    tiny.edit("en/index.md", "# Tiny\n", "# Tiny\n\n<!-- ledgermark: allow LM201 a quotation -->\nThey said 70 %.\n")
    lines = tiny.check()[1]
    assert not [line for line in lines if " LM2" in line or " LM9" in line]
    assert re.search(r"\(claims: [0-9]+ en, [0-9]+ zh; 1 silenced\)$", lines[-1])
    assert tiny.check()[1] == lines


@pytest.mark.parametrize("terms", [["A 100"], {"A 100": ""}, {"A 100": 1}, "A 100"])
def test_a_term_has_a_reason(terms: object) -> None:
    with pytest.raises(ConfigError, match="terms"):
        read_settings({"terms": terms})


def test_without_their_links_the_claims_of_the_site_would_be_found() -> None:
    project = load_project(ROOT / "mkdocs.yml")
    reader = reader_of(project)
    missed: list[str] = []
    for page in project.all_pages:
        text, bare, position = page.source.text, "", 0
        reaches: dict[range, str] = {}
        items: list[Claim | Given] = [*page.claims.claims, *page.claims.given]
        for item in sorted(items, key=lambda item: item.start):
            quote = text.index('"', text.index('"', item.end) + 1) if isinstance(item, Given) else item.end
            bare += text[position : item.start - 1]
            reaches[range(len(bare), len(bare) + len(item.text))] = item.text
            bare += item.text
            position = text.index(")", quote) + 1
        changed = read_page(Source(page.source.path, bare + text[position:]), page.path, page.language)
        found = [number.offset for number in numbers_of(changed, reader) if number.code or number.state == UNBOUND]
        missed += [shown for reach, shown in reaches.items() if not any(offset in reach for offset in found)]
    # Which row, not how many: the only bound text on the site that a rule would let stand.
    assert set(missed) <= {"一行"}
