"""The figures of the draft methods: lying bars say their values by mouse and keyboard, and fit a phone."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.reader import Reader

NewReader = Callable[..., Reader]
PAGE = "draft-methods/"
FIGURES = ("#fig-amd_ratios", "#fig-draft_sweep", "#fig-draft_positions")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_keys_walk_along_the_bars_and_to_the_marks(reader: Reader, lang: str) -> None:
    page = reader.open(f"{lang}/{PAGE}")
    figure = reader.draw(FIGURES[0])
    said = figure.locator("[aria-live]")
    figure.locator(".lm-figure__plot").focus()
    page.keyboard.press("ArrowRight")
    for text in ("gemma-4-26B-A4B-it", "DFlash", "2.87", "MATH500", "N = 7"):
        expect(said).to_contain_text(text)
    page.keyboard.press("ArrowUp")
    expect(said).to_contain_text("2.87")
    expect(said).to_contain_text({"en": "Appendix of the article", "zh": "原文附录"}[lang])


def test_the_mouse_on_a_bar_shows_its_setting(reader: Reader) -> None:
    page = reader.open(f"en/{PAGE}")
    reader.draw(FIGURES[0])
    box = page.locator(f"{FIGURES[0]} .barlayer .point").first.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + box["height"] / 2 - 1)
    page.mouse.move(box["x"] + box["width"] * 0.8, box["y"] + box["height"] / 2)
    label = page.locator(f"{FIGURES[0]} .hoverlayer .hovertext").first
    for text in ("2.87×", "MATH500, N = 7", "Summary"):
        expect(label).to_contain_text(text)


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_fits_a_phone_and_is_transcribed(new_reader: NewReader, lang: str, figure: str) -> None:
    reader = new_reader(width=360)
    page = reader.open(f"{lang}/{PAGE}")
    card = reader.draw(figure)
    assert reader.spills() == []
    expect(card).to_have_attribute("data-badge", "transcribed")
    outside = """figure => {
      const inside = document.querySelector(figure).getBoundingClientRect();
      return [...document.querySelectorAll(`${figure} :is(.annotation-text, .xtitle, .ytitle, .bartext)`)]
        .map(part => part.getBoundingClientRect())
        .filter(box => box.left < inside.left || box.right > inside.right + 1).length;
    }"""
    assert page.evaluate(outside, figure) == 0
