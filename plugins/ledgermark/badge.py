"""Badges: what a reader can recompute, worked out from where the rows come from. Nobody can type one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ledgermark.descriptor import Dataset

# From the weakest to the strongest; a figure has the badge of its weakest input.
BADGES: Final = ("transcribed", "raw-missing", "recomputable", "rerun")
WORDS: Final = {
    "transcribed": "Transcribed",
    "raw-missing": "Raw data not in the repository",
    "recomputable": "Recomputable",
    "rerun": "Recomputable and rerunnable",
}
MEANINGS: Final = {
    "transcribed": "The rows were copied from a publication; the runs behind them are not public.",
    "raw-missing": "The rows summarize raw data that exists but is not in this repository.",
    "recomputable": "Each run is a row in this repository; the command below recomputes what is shown.",
    "rerun": "Each run is a row in this repository, and the script that measured it is here too: you can recompute it and measure it again.",
}
_OF_EVIDENCE: Final = {"published": "transcribed", "summary": "raw-missing", "raw": "recomputable"}


def badge_of(datasets: Iterable[Dataset]) -> str:
    """Return the badge for a figure or number made from these datasets: the weakest of theirs. Raises ValueError for none."""
    return min((_badge(dataset) for dataset in datasets), key=BADGES.index)


def _badge(dataset: Dataset) -> str:
    return "rerun" if dataset.evidence == "raw" and dataset.instrument else _OF_EVIDENCE[dataset.evidence]
