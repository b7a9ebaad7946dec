"""A part and its whole."""

from __future__ import annotations

import pytest

from ledgermark.claims import find_claims
from ledgermark.pages import read_page
from ledgermark.passages import Reading
from ledgermark.portions import check_portions
from ledgermark.quantity import Quantity
from ledgermark.source import Source

VALUES = {
    "nine": (Quantity.of("9", "1"),),
    "ten": (Quantity.of("10", "1"),),
    "rows": (Quantity.of("10", "row"),),
    "calls": (Quantity.of("5", "call"),),
    "share": (Quantity.of("90", "%"),),
    "two": (Quantity.of("9", "1"), Quantity.of("10", "1")),
}


def parts_of(text: str) -> list[str]:
    """Return the texts of the parts that are larger than their wholes."""
    source = Source("p.md", text)
    page = read_page(source, "p.md", "en")
    return [str(finding.shown) for finding in check_portions(page, Reading(source, find_claims(source)), VALUES)]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("[9](claim:nine) of its [10](claim:ten) cells", []),
        ("[10](claim:ten) of its [9](claim:nine) cells", ["10"]),
        ("[10](claim:ten) of all the\n[9](claim:nine) cells", ["10"]),
        ("**[10](claim:ten)** out of [9](claim:nine)", ["10"]),
        ("[10](claim:ten) of [10](claim:ten)", []),
        ("[10](claim:ten) runs of [9](claim:nine) calls", []),
        ("[10](claim:ten). Of its [9](claim:nine) cells", []),
        ("[10](claim:ten) and [9](claim:nine) of them", []),
        ("[10](claim:rows) of the [5](claim:calls)", []),
        ("[90 %](claim:share) of the [9](claim:nine)", []),
        ("[9, 10](claim:two) of the [9](claim:nine)", []),
        ("at least [10](claim:ten?is=at_least) of [9](claim:nine)", []),
        ("[10](claim:gone) of [9](claim:nine)", []),
        ("[10](claim:ten) 格里有 [9](claim:nine) 格", []),
        ("[9](claim:nine) 格里的 [10](claim:ten) 格", ["10"]),
        ("[9](claim:nine) 种大小里只有 [10](claim:ten) 种", ["10"]),
        ("共 [9](claim:nine) 格，其中 [10](claim:ten) 格", ["10"]),
        ("[9](claim:nine) 个 workgroup 里，有 [10](claim:ten) 个", ["10"]),
        ("[9](claim:nine) 轮里有 [10](claim:ten) 次", []),
        ("[9](claim:nine) 格，[10](claim:ten) 格", []),
        ("[9](claim:nine) 格。其中 [10](claim:ten) 格", []),
    ],
)
def test_a_part_is_no_larger_than_its_whole(text: str, parts: list[str]) -> None:
    assert parts_of(text) == parts
