"""Pages: languages, search, no script, paper, weight, and what an accessibility checker says."""

import gzip
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Response, expect

from tests.browser.reader import ARTICLE, BUNDLE, Reader, wait_for

NewReader = Callable[..., Reader]
ROOT = Path(__file__).parents[2]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
FIRST_VIEW_BYTES, BUNDLE_BYTES = 200_000, 400_000


@pytest.mark.parametrize(("here", "there", "name"), [("en", "zh", "中文"), ("zh", "en", "English")])
def test_the_switcher_keeps_page_and_section(reader: Reader, here: str, there: str, name: str) -> None:
    page = reader.open(f"{here}/")
    page.locator(f".lm-page a[href*='{ARTICLE}']").first.click()
    page.wait_for_url(f"**/{here}/{ARTICLE}")
    page.locator(".md-sidebar--secondary a[href$='#control']").click()
    page.wait_for_url("**#control")

    page.locator("header").get_by_role("link", name=name).click()
    page.wait_for_url(f"**/{there}/{ARTICLE}#control")
    expect(page.locator("html")).to_have_attribute("lang", there)
    expect(page.locator("#control")).to_be_in_viewport()


def test_the_switcher_takes_along_the_section_being_read(reader: Reader) -> None:
    page = reader.open(f"en/{ARTICLE}")
    page.locator("#other-vendor").evaluate("heading => heading.scrollIntoView()")
    page.locator("header").get_by_role("link", name="中文").click()
    page.wait_for_url(f"**/zh/{ARTICLE}#other-vendor")


def test_the_switcher_works_without_scripts(new_reader: NewReader) -> None:
    page = new_reader(java_script_enabled=False).open(f"en/{ARTICLE}")
    page.locator("header").get_by_role("link", name="中文").click()
    page.wait_for_url(f"**/zh/{ARTICLE}")


def test_the_index_of_the_search_waits_for_a_reader(reader: Reader) -> None:
    index = "en/search/search_index.json"
    page = reader.open("en/method/")
    page.mouse.wheel(0, 2000)
    page.wait_for_load_state("networkidle")
    assert reader.times_asked(index) == 0
    page.keyboard.press("/")  # Material's key for the search
    page.keyboard.type("gate")
    page.locator("a.md-search-result__link").first.wait_for()
    assert reader.times_asked(index) == 1


def test_a_query_in_the_address_is_answered(reader: Reader) -> None:
    page = reader.open("zh/method/?q=解码")
    page.locator("a.md-search-result__link").first.wait_for()


def test_search_finds_a_chinese_word_from_the_middle_of_a_sentence(reader: Reader) -> None:
    word, article = "草稿", (ROOT / "zh" / ARTICLE.rstrip("/")).with_suffix(".md").read_text(encoding="utf-8")
    assert re.search(f"[\u4e00-\u9fff]{word}[\u4e00-\u9fff]", article), "the word must stand among others"
    page = reader.open("zh/")
    page.locator(".md-search__input").click()
    page.keyboard.type(word)
    page.keyboard.press("End")  # an input method ends with a key, and Material looks when a key comes up
    results = page.locator("a.md-search-result__link")
    expect(results.first).to_be_visible()
    addresses = results.evaluate_all("links => links.map(link => new URL(link.href).pathname)")
    assert any(ARTICLE in address for address in addresses)
    assert all("/zh/" in address for address in addresses)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_without_scripts_each_figure_is_a_picture_or_an_open_table(new_reader: NewReader, lang: str) -> None:
    page = new_reader(java_script_enabled=False).open(f"{lang}/{ARTICLE}")
    for figure in page.locator(".lm-figure").all():
        figure.scroll_into_view_if_needed()
        expect(figure.locator(".lm-figure__still:visible, table:visible").first).to_be_visible()
        expect(figure.locator("summary")).to_be_visible()


def test_paper_gets_stills_and_no_controls(new_reader: NewReader) -> None:
    reader = new_reader(dark=True)
    page = reader.open(f"en/{ARTICLE}")
    figure = reader.draw()
    page.emulate_media(media="print")
    expect(figure.locator(".lm-figure__canvas")).to_be_hidden()
    expect(figure.locator(".lm-figure__legend")).to_be_hidden()
    expect(page.locator(".md-header")).to_be_hidden()
    if figure.locator(".lm-figure__still").count():
        expect(figure.locator(".lm-figure__still[data-scheme=light]")).to_be_visible()
        expect(figure.locator(".lm-figure__still[data-scheme=dark]")).to_be_hidden()
    else:
        expect(figure.locator("table")).to_be_visible()


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_first_view_is_light(reader: Reader, lang: str) -> None:
    answers: list[Response] = []
    reader.page.on("response", lambda answer: answers.append(answer))  # noqa: PLW0108  (Playwright takes no method of a list)
    reader.open(f"{lang}/{ARTICLE}")
    sizes = {}
    for answer in answers:
        body = answer.body()
        sizes[answer.url.removeprefix(reader.root)] = min(len(body), len(gzip.compress(body)))
    assert BUNDLE not in sizes
    assert sum(sizes.values()) <= FIRST_VIEW_BYTES, sizes


def test_the_chart_library_is_the_small_one(built_site: Path) -> None:
    assert len(gzip.compress((built_site / BUNDLE).read_bytes())) <= BUNDLE_BYTES


@pytest.mark.parametrize("path", ["", "method/", "errata/", ARTICLE, "second-card/"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_nothing_spills_on_a_narrow_page(new_reader: NewReader, lang: str, path: str) -> None:
    reader = new_reader(width=360)
    reader.open(f"{lang}/{path}")
    assert reader.spills() == []
    assert reader.page.locator("h1").count() == 1


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_axe_finds_no_serious_fault(new_reader: NewReader, lang: str, *, dark: bool) -> None:
    reader = new_reader(dark=dark)
    faults = []
    for path in (f"{lang}/{ARTICLE}", f"{lang}/second-card/", f"{lang}/", f"{lang}/method/", f"{lang}/errata/", "404.html"):
        page = reader.open(path)
        if path.endswith(ARTICLE):
            reader.draw()
            page.locator(".lm-abstract .lm-claim").first.click()
            page.locator(".lm-evidence-card table").wait_for()
        page.evaluate(AXE.read_text(encoding="utf-8"))
        wait_for(page, "() => document.fonts.status === 'loaded'")
        found = page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
        faults += [(path, one["id"], one["nodes"][0]["html"][:160]) for one in found if one["impact"] in {"serious", "critical"}]
    assert faults == []
