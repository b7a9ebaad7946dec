"""The calculator: the same arithmetic as in Python, a form that keyboard and screen reader can use, and a table where there are no scripts."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.reader import Reader

NewReader = Callable[..., Reader]
ROOT = Path(__file__).parents[2]
PAGE, SCRIPT = "draft-methods/", "assets/js/expected-tokens.js"
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
CASES: list[dict[str, Any]] = json.loads((ROOT / "tests/vectors/expected_tokens.json").read_text(encoding="utf-8"))["cases"]
WORDS = {
    "en": {
        "title": "Calculator: tokens per step and speed-up",
        "length": "Proposal length N",
        "none": "none: no length gains anything",
        "times": "×",
    },
    "zh": {"title": "计算器：每步 token 数与加速比", "length": "提议长度 N", "none": "没有：多长都不赚", "times": " 倍"},
}
COMPUTE = """cases => cases.map(({acceptance: a, length, draft, row, parallel}) => {
  const m = window.ledgermark.expectedTokens;
  const shares = a.log ?? m.reached(a.each ?? m.decaying(a.first, a.decay, a.count));
  const costs = {draft, row, parallel};
  const used = shares.slice(0, length);
  return [m.expectedTokens(used), m.stepCost(used.length, costs), m.speedup(used, costs), m.bestLength(shares, costs)];
})"""


def form_of(page: Page) -> Locator:
    return page.locator("form.lm-calc")


def shown(page: Page, part: str) -> Locator:
    return form_of(page).locator(f'[data-part="{part}"]')


def enter(page: Page, case: dict[str, Any]) -> None:
    """Fill in the form as a reader would."""
    form, acceptance = form_of(page), case["acceptance"]
    kind = next((name for name in ("each", "log") if name in acceptance), "decay")
    form.locator("[name=given]").select_option(kind)
    if kind == "decay":
        form.locator("[name=first]").fill(str(acceptance["first"]))
        form.locator("[name=decay]").fill(str(acceptance["decay"]))
    else:
        form.locator("[name=list]").fill(", ".join(map(str, acceptance[kind])))
    for name in ("length", "draft", "row"):
        form.locator(f"[name={name}]").fill(str(case[name]))
    form.locator("[name=drafting]").select_option("parallel" if case["parallel"] else "serial")


def test_the_script_computes_what_python_does(reader: Reader) -> None:
    page = reader.open(f"en/{PAGE}")
    for case, values in zip(CASES, page.evaluate(COMPUTE, CASES), strict=True):
        assert values[:3] == pytest.approx([case["tokens"], case["cost"], case["speedup"]], rel=1e-12), case["name"]
        assert values[3] == case["best"], case["name"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_form_shows_what_the_cases_say(reader: Reader, lang: str) -> None:
    page = reader.open(f"{lang}/{PAGE}")
    times = WORDS[lang]["times"]
    for case in CASES:
        enter(page, case)
        expect(shown(page, "tokens")).to_have_text(f"{case['tokens']:.2f}")
        expect(shown(page, "cost")).to_have_text(f"{case['cost']:.2f}{times}")
        expect(shown(page, "speedup")).to_have_text(f"{case['speedup']:.2f}{times}")
        best = shown(page, "best")
        if case["best"]:
            assert best.inner_text().startswith(str(case["best"]))
            row = form_of(page).locator("tr.is-best td").first
            assert row.text_content() == str(case["best"])
        else:
            expect(best).to_have_text(WORDS[lang]["none"])


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_form_speaks_the_language_of_the_page(reader: Reader, lang: str) -> None:
    page = reader.open(f"{lang}/{PAGE}")
    expect(page.get_by_role("form", name=WORDS[lang]["title"])).to_be_visible()
    field = page.get_by_role("spinbutton", name=WORDS[lang]["length"])
    said = shown(page, "said")
    expect(said).to_be_empty()
    field.focus()
    page.keyboard.press("ArrowUp")
    expect(field).to_have_value("8")
    expect(said).to_contain_text(shown(page, "speedup").inner_text())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "given"


def test_another_way_of_giving_acceptance_begins_with_the_same_numbers(reader: Reader) -> None:
    page = reader.open(f"en/{PAGE}")
    before = shown(page, "speedup").inner_text()
    for kind in ("log", "each", "log", "decay"):
        form_of(page).locator("[name=given]").select_option(kind)
        expect(shown(page, "speedup")).to_have_text(before)
    expect(form_of(page).locator("[name=list]")).to_be_hidden()


@pytest.mark.parametrize(
    ("field", "value", "kind"),
    [
        ("length", "0", "decay"),
        ("length", "2.5", "decay"),
        ("length", "33", "decay"),
        ("first", "1.2", "decay"),
        ("row", "", "decay"),
        ("draft", "-1", "decay"),
        ("list", "0.9, <img src=x onerror=alert(1)>", "each"),
        ("list", "0.5, 0.6, 0.6, 0.6, 0.6, 0.6, 0.6", "log"),
        ("list", "", "log"),
    ],
)
def test_what_cannot_be_computed_is_marked_and_said(reader: Reader, field: str, value: str, kind: str) -> None:
    page = reader.open(f"en/{PAGE}")
    form_of(page).locator("[name=given]").select_option(kind)
    entry = form_of(page).locator(f"[name={field}]")
    entry.fill(value)
    expect(entry).to_have_attribute("aria-invalid", "true")
    expect(shown(page, "fault")).to_be_visible()
    expect(shown(page, "results")).to_be_hidden()
    expect(shown(page, "said")).to_have_text(shown(page, "fault").inner_text())
    assert form_of(page).locator("img").count() == 0


def test_a_list_shorter_than_the_proposal_is_said(reader: Reader) -> None:
    page = reader.open(f"en/{PAGE}")
    form_of(page).locator("[name=given]").select_option("log")
    form_of(page).locator("[name=list]").fill("86 % 74 % 63 %".replace(" %", "%"))
    expect(shown(page, "fault")).to_contain_text("3 positions")
    form_of(page).locator("[name=length]").fill("3")
    expect(shown(page, "tokens")).to_have_text("3.23")


def test_the_script_is_loaded_on_its_page_only_and_after_an_in_site_click(reader: Reader) -> None:
    page = reader.open("en/method/")
    assert reader.times_asked(SCRIPT) == 0
    page.evaluate("window.sameDocument = true")
    page.evaluate(
        "path => { const a = document.createElement('a'); a.href = path; a.id = 'go'; a.textContent = 'go'; "
        "document.querySelector('.lm-page').prepend(a) }",
        f"../{PAGE}",
    )
    for turn in (1, 2):
        page.locator("#go").click() if turn == 1 else page.go_forward()
        page.wait_for_url(f"**/{PAGE}")
        expect(shown(page, "speedup")).to_contain_text("×")
        assert form_of(page).count() == 1
        page.go_back()
        page.wait_for_url("**/method/")
        expect(form_of(page)).to_have_count(0)
    assert page.evaluate("window.sameDocument")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_without_scripts_the_worked_table_stands(new_reader: NewReader, lang: str) -> None:
    page = new_reader(java_script_enabled=False).open(f"{lang}/{PAGE}")
    expect(form_of(page)).to_have_count(0)
    table = page.locator("[data-calculator] ~ table, [data-calculator] ~ * table").first
    expect(table).to_be_visible()
    for ratio in ("2.91", "2.72"):
        expect(table).to_contain_text(ratio)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_it_fits_a_narrow_page(new_reader: NewReader, lang: str) -> None:
    reader = new_reader(width=360)
    page = reader.open(f"{lang}/{PAGE}")
    form_of(page).locator("summary").click()
    assert reader.spills() == []
    form_of(page).locator("[name=given]").select_option("each")
    assert reader.spills() == []


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_axe_finds_no_serious_fault(new_reader: NewReader, lang: str, *, dark: bool) -> None:
    reader = new_reader(dark=dark)
    page = reader.open(f"{lang}/{PAGE}")
    for figure in page.locator(".lm-figure").all():
        reader.draw(f"#{figure.get_attribute('id')}")
    form_of(page).locator("summary").click()
    form_of(page).locator("[name=length]").fill("99")
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
    faults = [(one["id"], one["nodes"][0]["html"][:160]) for one in found if one["impact"] in {"serious", "critical"}]
    assert faults == []


def test_paper_carries_no_form(reader: Reader) -> None:
    page = reader.open(f"en/{PAGE}")
    page.emulate_media(media="print")
    expect(form_of(page)).to_be_hidden()
