"""The Atom feed of errata: newest first, and every text inert."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from datetime import date

from ledgermark.feed import Entry, atom_feed

BUILT = date(2026, 12, 1)
ATOM = "{http://www.w3.org/2005/Atom}"
EVIL = "<script>&amp;</script>]]>\u202e\"'"


def test_a_feed() -> None:
    entries = [
        Entry("Old", "https://x.example/en/a/#erratum-a", date(2026, 8, 26), "<p>A</p>"),
        Entry(EVIL, "https://x.example/en/a/#erratum-b", date(2026, 8, 29), f"<p>{EVIL}</p>"),
        Entry("Same day", "https://x.example/en/a/#erratum-c", date(2026, 8, 29), ""),
    ]
    text = atom_feed("Errata", "https://x.example/en/errata/", "https://x.example/en/errata/feed.xml", "en", entries, BUILT)
    feed = ET.fromstring(text)  # noqa: S314  (made here)
    assert feed.get("{http://www.w3.org/XML/1998/namespace}lang") == "en"
    assert [entry.findtext(f"{ATOM}title") for entry in feed.iter(f"{ATOM}entry")] == ["Same day", EVIL, "Old"]
    assert [entry.findtext(f"{ATOM}updated") for entry in feed.iter(f"{ATOM}entry")] == ["2026-08-29T00:00:00+00:00"] * 2 + [
        "2026-08-26T00:00:00+00:00"
    ]
    assert feed.findtext(f"{ATOM}updated") == "2026-08-29T00:00:00+00:00"
    assert [entry.findtext(f"{ATOM}summary") for entry in feed.iter(f"{ATOM}entry")][1] == f"<p>{EVIL}</p>"
    assert "<script" not in text
    assert text == atom_feed("Errata", "https://x.example/en/errata/", "https://x.example/en/errata/feed.xml", "en", reversed(entries), BUILT)


def test_an_empty_feed_is_a_feed() -> None:
    feed = ET.fromstring(atom_feed("Errata", "https://x.example/", "https://x.example/feed.xml", "zh", [], BUILT))  # noqa: S314  (made here)
    assert list(feed.iter(f"{ATOM}entry")) == []
    assert feed.findtext(f"{ATOM}updated") == "2026-12-01T00:00:00+00:00"
