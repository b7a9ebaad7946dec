"""Badges follow from where the rows come from."""

from __future__ import annotations

import itertools

import pytest

from ledgermark.badge import BADGES, MEANINGS, WORDS, badge_of
from ledgermark.descriptor import EVIDENCE, Dataset


def dataset(evidence: str, instrument: str = "") -> Dataset:
    return Dataset("d", "d.csv", (), (), evidence, instrument=instrument)


KINDS = {
    "transcribed": dataset("published"),
    "raw-missing": dataset("summary"),
    "recomputable": dataset("raw"),
    "rerun": dataset("raw", "scripts/sweep.py"),
}


@pytest.mark.parametrize("badge", BADGES)
def test_one_dataset(badge: str) -> None:
    assert badge_of([KINDS[badge]]) == badge
    assert WORDS[badge]
    assert MEANINGS[badge].endswith(".")


@pytest.mark.parametrize(("weaker", "stronger"), list(itertools.combinations(BADGES, 2)))
def test_the_weakest_counts(weaker: str, stronger: str) -> None:
    assert badge_of([KINDS[weaker], KINDS[stronger]]) == badge_of([KINDS[stronger], KINDS[weaker]]) == weaker


def test_an_instrument_does_not_make_up_for_missing_rows() -> None:
    assert badge_of([dataset("summary", "scripts/sweep.py")]) == "raw-missing"


def test_no_dataset_has_no_badge() -> None:
    with pytest.raises(ValueError, match=r".+"):
        badge_of([])


def test_every_kind_of_evidence_has_a_badge() -> None:
    assert {badge_of([dataset(evidence)]) for evidence in EVIDENCE} == set(BADGES) - {"rerun"}
