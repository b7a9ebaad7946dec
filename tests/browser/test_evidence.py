"""Evidence: a reader asks a number what it stands on, by mouse, keyboard or finger, and gets rows that are in the data."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.reader import ARTICLE, Reader

NewReader = Callable[..., Reader]
ROOT = Path(__file__).parents[2]
CLAIM = "spec_ladder.tok_s?arm=mtp_stock&context=32768"
HOSTILE = '<img src=x onerror="window.hit=1"><script>window.hit=1</script></p>\'"&\u202e'


def claim(page: Page, key: str = CLAIM) -> Locator:
    """Return the first number on the page that is bound to a key."""
    return page.locator(f'.lm-claim[data-claim="{key}"]').first


def card(page: Page) -> Locator:
    """Return the evidence shown."""
    return page.locator(".lm-evidence-card[role=dialog]")


def by_mouse(number: Locator) -> None:
    number.hover()


def by_key(number: Locator) -> None:
    number.focus()
    number.press("Enter")


def by_finger(number: Locator) -> None:
    number.tap()


@pytest.mark.parametrize(("ask", "options"), [(by_mouse, {}), (by_key, {}), (by_finger, {"has_touch": True, "width": 360})])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_number_shows_the_rows_it_stands_on(
    new_reader: NewReader, lang: str, ask: Callable[[Locator], None], options: dict[str, Any]
) -> None:
    reader = new_reader(**options)
    page = reader.open(f"{lang}/{ARTICLE}")
    assert reader.times_asked("evidence.json") == 0
    number = claim(page)
    number.scroll_into_view_if_needed()
    ask(number)

    table = card(page).locator("table")
    expect(table).to_contain_text("8.85")
    place = re.search(r"data/spec_ladder\.csv:([0-9]+)", table.inner_text())
    assert place
    line = (ROOT / "data" / "spec_ladder.csv").read_text(encoding="utf-8").splitlines()[int(place[1]) - 1]
    assert "mtp_stock" in line
    assert "8.85" in line
    assert reader.times_asked("evidence.json") == 1
    assert reader.spills() == []
    box, window = card(page).bounding_box(), page.viewport_size
    assert box
    assert window
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= window["width"]
    assert box["y"] >= 0


def test_the_keyboard_gets_in_and_out(reader: Reader) -> None:
    page = reader.open(f"en/{ARTICLE}")
    number = claim(page)
    by_key(number)
    expect(card(page).locator("table")).to_be_visible()
    expect(card(page).get_by_role("button")).to_be_focused()
    expect(number).to_have_attribute("aria-expanded", "true")
    assert card(page).get_attribute("aria-labelledby") == card(page).locator("p").first.get_attribute("id")

    page.keyboard.press("Escape")
    expect(card(page)).to_have_count(0)
    expect(number).to_be_focused()


def test_a_click_elsewhere_closes_and_a_second_number_replaces(reader: Reader) -> None:
    page = reader.open(f"en/{ARTICLE}")
    claim(page).click()
    expect(card(page).locator("table")).to_be_visible()
    other = page.locator(".lm-given").first
    other.click()
    expect(card(page)).to_have_count(1)
    expect(card(page)).to_contain_text(str(other.get_attribute("data-given")))
    page.locator(".lm-masthead__kicker").click()
    expect(card(page)).to_have_count(0)


def test_every_number_on_the_page_has_evidence(reader: Reader) -> None:
    for lang in ("en", "zh"):
        page = reader.open(f"{lang}/{ARTICLE}")
        asked = page.locator("[data-claim]").evaluate_all("all => all.map(one => one.dataset.claim)")
        given = page.evaluate(
            "async () => Object.keys((await (await fetch(document.querySelector('.lm-page').dataset.evidence)).json()).claims)"
        )
        assert set(asked) <= set(given)
        assert len(asked) > 50


def test_hostile_evidence_stays_text(new_reader: NewReader) -> None:
    row = {HOSTILE: HOSTILE, "a": "1"}
    hostile = {
        "commit": HOSTILE,
        "commit_url": "javascript:window.hit=1",
        "labels": dict.fromkeys(("inputs", "formula", "state", "commit", "file"), HOSTILE),
        "claims": {
            CLAIM: {
                "sentence": HOSTILE,
                "formula": HOSTILE,
                "values": [HOSTILE],
                "badge": 'x" onclick="window.hit=1',
                "state_label": HOSTILE,
                "inputs": [{"at": 0, "used": [HOSTILE]}],
            }
        },
        "rows": [{"file": HOSTILE, "line": 1, "url": "javascript:window.hit=1", "row": row}],
    }
    reader = new_reader()
    reader.page.route("**/evidence.json", lambda route: route.fulfill(json=hostile))
    page = reader.open(f"en/{ARTICLE}")
    claim(page).click()
    expect(card(page).locator("table")).to_be_visible()
    assert card(page).inner_text().count("<script>") >= 8
    assert card(page).locator("img, script, a, [onclick]").count() == 0
    assert page.evaluate("window.hit") is None


def test_lost_evidence_is_said(new_reader: NewReader) -> None:
    reader = new_reader(tolerant=True)
    reader.page.route("**/evidence.json", lambda route: route.abort())
    page = reader.open(f"en/{ARTICLE}")
    claim(page).click()
    expect(card(page)).to_contain_text(str(page.locator(".lm-page").get_attribute("data-word-failed")))
