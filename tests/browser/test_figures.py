"""Charts: asked for late and once, drawn wherever the reader comes from, read by mouse and keyboard, a picture when they cannot be drawn."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.reader import ARTICLE, BUNDLE, HYBRID, LADDER, Reader, wait_for

NewReader = Callable[..., Reader]
VIEWS = "#fig-hybrid_ladder"
HOSTILE = '<img src=x onerror="window.hit=1"></text><script>window.hit=1</script><a href="javascript:window.hit=1">\'&\u202e</a>'


def is_whole(page: Page, figure: str = LADDER) -> bool:
    """Say whether the chart's parts lie within its figure, as they do only with the library's style rules in force."""
    script = """figure => {
      const inside = document.querySelector(figure).getBoundingClientRect();
      return [...document.querySelectorAll(`${figure} :is(.main-svg, .xtitle, .ytitle, .modebar)`)].every(part => {
        const box = part.getBoundingClientRect();
        return box.top >= inside.top && box.bottom <= inside.bottom && box.left >= inside.left && box.right <= inside.right + 1;
      });
    }"""
    return bool(page.evaluate(script, figure))


def point_at(page: Page, figure: str = LADDER) -> None:
    """Put the mouse on the first point of a chart."""
    box = page.locator(f"{figure} .scatterlayer .point").first.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2 - 3, box["y"] + box["height"] / 2)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)


def test_the_library_is_asked_for_once_and_only_when_a_figure_comes_near(reader: Reader) -> None:
    page = reader.open(f"en/{ARTICLE}")
    assert reader.times_asked(BUNDLE) == 0
    for figure in page.locator(".lm-figure").all():
        reader.draw(f"#{figure.get_attribute('id')}")
    assert page.locator(".lm-figure.is-drawn").count() == page.locator(".lm-figure").count() >= 5
    assert reader.times_asked(BUNDLE) == 1


@pytest.mark.parametrize("path", ["en/reproduce/", "zh/reproduce/", "en/method/", "en/errata/"])
def test_a_page_without_figures_never_asks_for_the_library(reader: Reader, path: str) -> None:
    page = reader.open(path)
    page.mouse.wheel(0, 20_000)
    page.wait_for_load_state("networkidle")
    assert page.locator(".lm-figure").count() == 0
    assert reader.times_asked(BUNDLE) == 0


def test_charts_are_drawn_after_an_in_site_click_and_after_back_and_let_go(reader: Reader) -> None:
    page = reader.open("en/")
    page.evaluate("window.sameDocument = true")
    page.locator(f".lm-page a[href*='{ARTICLE}']").first.click()
    reader.draw()
    assert is_whole(page)

    page.evaluate("window.firstChart = document.querySelector('.lm-figure__canvas')")
    page.locator(".lm-header__pages a").first.click()
    page.wait_for_url("**/method/")
    wait_for(page, "() => !window.firstChart.isConnected && window.firstChart._fullLayout === undefined")

    page.go_back()
    page.wait_for_url(f"**/{ARTICLE}")
    reader.draw()
    assert is_whole(page)
    point_at(page)
    expect(page.locator(f"{LADDER} .hoverlayer .hovertext").first).to_be_visible()
    assert page.evaluate("window.sameDocument")
    assert reader.times_asked(BUNDLE) == 1


def test_charts_follow_the_dark_toggle(reader: Reader) -> None:
    page = reader.open(f"en/{ARTICLE}")
    reader.draw()
    light = reader.colour()
    assert light == reader.variable("--lm-series-1")

    page.locator("form[data-md-component=palette] label:visible").click()
    expect(page.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
    wait_for(page, "([at, was]) => getComputedStyle(document.querySelector(at)).stroke !== was", [f"{LADDER} path.js-line", light])
    assert reader.colour() == reader.variable("--lm-series-1")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_charts_fit_a_narrow_page_and_follow_its_width(new_reader: NewReader, lang: str) -> None:
    reader = new_reader(width=360)
    page = reader.open(f"{lang}/{ARTICLE}")
    for figure in page.locator(".lm-figure").all():
        name = f"#{figure.get_attribute('id')}"
        reader.draw(name)
        assert is_whole(page, name)
    assert reader.spills() == []

    page.set_viewport_size({"width": 700, "height": 900})
    wait_for(page, "at => document.querySelector(at).getBoundingClientRect().width > 500", f"{LADDER} .main-svg")


@pytest.mark.parametrize(("lang", "ratio"), [("en", "+36.9 %"), ("zh", "+36.9 %")])
def test_hover_gives_both_rates_and_the_ratio(reader: Reader, lang: str, ratio: str) -> None:
    page = reader.open(f"{lang}/{ARTICLE}")
    reader.draw()
    point_at(page)
    label = page.locator(f"{LADDER} .hoverlayer .hovertext").first
    for shown in (ratio, "59.43 tok/s", "43.42 tok/s"):
        expect(label).to_contain_text(shown)


def test_arrow_keys_walk_the_points_and_say_them_aloud(reader: Reader) -> None:
    page = reader.open(f"en/{ARTICLE}")
    figure = reader.draw()
    said = figure.locator("[aria-live]")
    figure.locator(".lm-figure__plot").focus()

    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text("59.43 tok/s")
    page.keyboard.press("End")
    expect(said).to_contain_text("−70.8 %")
    expect(figure.locator(".hovertext").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    expect(said).to_contain_text("8.81 tok/s")
    page.keyboard.press("Escape")
    expect(figure.locator(".hovertext")).to_have_count(0)
    expect(said).to_be_empty()


def test_a_pill_takes_its_series_out_and_puts_it_back(reader: Reader) -> None:
    reader.open(f"en/{ARTICLE}")
    figure = reader.draw()
    lines = figure.locator(".scatterlayer .trace")
    legend = figure.locator(".lm-figure__legend")
    pill = legend.get_by_role("button", pressed=True).first
    before = lines.count()

    pill.focus()
    pill.press("Enter")
    expect(lines).to_have_count(before - 1)
    legend.get_by_role("button", pressed=False).click()
    expect(lines).to_have_count(before)


@pytest.mark.parametrize(("lang", "rate", "share"), [("en", "Decode rate, tok/s", "Share of the rate"), ("zh", "解码速率", "相对 500 token")])
def test_views_show_the_same_series_otherwise(reader: Reader, lang: str, rate: str, share: str) -> None:
    reader.open(f"{lang}/{HYBRID}")
    figure = reader.draw(VIEWS)
    views, lines = figure.get_by_role("radiogroup"), figure.locator(".scatterlayer .trace")
    expect(views).to_have_accessible_name({"en": "What the chart shows", "zh": "图上看什么"}[lang])
    choices = views.get_by_role("radio")
    expect(choices).to_have_count(3)
    expect(choices.first).to_be_checked()
    expect(figure.locator(".ytitle")).to_contain_text(rate)

    choices.first.focus()
    reader.page.keyboard.press("ArrowRight")
    expect(choices.nth(1)).to_be_checked()
    expect(figure.locator(".ytitle")).to_contain_text(share)
    expect(lines).to_have_count(2)
    point_at(reader.page, VIEWS)
    expect(figure.locator(".hoverlayer .hovertext").first).to_contain_text("100.00 %")


def test_a_series_that_waits_comes_when_it_is_asked_for_and_stays_in_each_view(reader: Reader) -> None:
    reader.open(f"en/{HYBRID}")
    figure = reader.draw(VIEWS)
    lines, legend = figure.locator(".scatterlayer .trace"), figure.locator(".lm-figure__legend")
    expect(legend.get_by_role("button", pressed=True)).to_have_count(2)
    expect(lines).to_have_count(2)

    legend.get_by_role("button", name="gemma-4-31B").click()
    expect(lines).to_have_count(3)
    figure.get_by_text("Time of a token", exact=True).click()
    expect(figure.locator(".ytitle")).to_contain_text("Time of a generated token, ms")
    expect(lines).to_have_count(3)


def test_a_figure_without_views_offers_none(reader: Reader) -> None:
    reader.open(f"en/{ARTICLE}")
    expect(reader.draw().get_by_role("radio")).to_have_count(0)


@pytest.mark.parametrize("missing", [BUNDLE, "assets/figures/mtp_gain.en.json"])
def test_what_cannot_be_drawn_stays_a_picture_or_a_table_and_says_so(new_reader: NewReader, missing: str) -> None:
    reader = new_reader(tolerant=True)
    reader.page.route(f"**/{missing}", lambda route: route.abort())
    page = reader.open(f"en/{ARTICLE}")
    figure = page.locator(LADDER)
    figure.scroll_into_view_if_needed()
    expect(figure.get_by_role("status")).not_to_be_empty()
    expect(figure.locator(".lm-figure__still:visible, .lm-figure__data summary").first).to_be_visible()


def test_figure_files_are_valid_for_the_library_that_draws_them(reader: Reader, built_site: Path) -> None:
    page = reader.open(f"zh/{ARTICLE}")
    reader.draw()
    files = sorted((built_site / "assets" / "figures").glob("*.json"))
    assert len(files) >= 10
    for file in files:
        spec = json.loads(file.read_text(encoding="utf-8"))
        faults = page.evaluate("spec => (Plotly.validate(spec.data, spec.layout) ?? []).map(fault => fault.msg)", spec)
        assert faults == [], file.name


def test_the_chart_speaks_the_language_of_the_page(reader: Reader) -> None:
    page = reader.open(f"zh/{ARTICLE}")
    figure = reader.draw()
    figure.hover()
    assert page.locator(f"{LADDER} .modebar-btn").first.get_attribute("data-title") == "下载图表为PNG格式"
    assert page.locator(f"{LADDER} .modebar-btn").count() == 1


def test_charts_draw_and_hover_without_eval(reader: Reader) -> None:
    def lock(route: Route) -> None:
        answer = route.fetch()
        policy = "default-src 'self'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"
        route.fulfill(response=answer, headers={**answer.headers, "content-security-policy": policy})

    reader.page.route(f"**/{ARTICLE}", lock)
    page = reader.open(f"en/{ARTICLE}")
    with pytest.raises(Exception, match="unsafe-eval"):
        page.evaluate("() => new Promise((done, fail) => setTimeout(() => { try { done(Function('return 1')()) } catch (e) { fail(e) } }))")
    reader.draw()
    point_at(page)
    expect(page.locator(f"{LADDER} .hovertext").first).to_be_visible()


def test_hostile_text_in_a_figure_stays_text(new_reader: NewReader, built_site: Path) -> None:
    spec = json.loads((built_site / "assets" / "figures" / "mtp_gain.en.json").read_text(encoding="utf-8"))
    for trace in spec["data"]:
        trace["name"] = HOSTILE
        trace["customdata"] = [[HOSTILE for _ in row] for row in trace["customdata"]]
        trace["text"] = [HOSTILE for _ in trace["x"]]
    reader = new_reader(tolerant=True)
    reader.page.route("**/mtp_gain.en.json", lambda route: route.fulfill(json=spec))
    page = reader.open(f"en/{ARTICLE}")
    figure = reader.draw()
    point_at(page)
    expect(figure.locator(".hovertext").first).to_be_visible()
    assert figure.locator("img:not(.lm-figure__still), script, [onerror]").count() == 0
    assert figure.locator("a").evaluate_all("links => links.filter(link => /script:/.test(link.outerHTML)).length") == 0
    assert page.evaluate("window.hit") is None
