"""Pages of the data: rows sorted, filtered, paged and found one by one, in both languages, with and without scripts."""

import csv
import gzip
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.reader import ARTICLE, Reader, wait_for

NewReader = Callable[..., Reader]
ROOT = Path(__file__).parents[2]
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
SWEEP, LADDER = "h200_attention", "spec_ladder"
PAGE_BYTES = 350_000
LANGUAGES = pytest.mark.parametrize("lang", ["en", "zh"])
HOSTILE = "<img src=x onerror=window.hit=1><script>window.hit=1</script>"
SAID = {
    "en": {"all": "Rows 1 to 20 of 2042", "lost": "No row of the file begins on line 9999.", "none": "No row matches"},
    "zh": {"all": "第 1 到 20 行，共 2042 行", "lost": "文件里没有从第 9999 行开始的记录。", "none": "没有符合的行"},
}


def records(name: str) -> list[dict[str, str]]:
    """Return the rows of a data file."""
    with (ROOT / "data" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def rows(page: Page) -> Locator:
    """Return the rows shown."""
    return page.locator(".lm-data tbody tr")


def column(page: Page, name: str) -> list[str]:
    """Return the cells shown of a column."""
    at = page.locator(".lm-data thead th").evaluate_all("(heads, name) => heads.findIndex(head => head.dataset.column === name)", name)
    return [str(text) for text in rows(page).evaluate_all("(rows, at) => rows.map(row => row.cells[at].textContent)", at)]


def head(page: Page, name: str) -> Locator:
    """Return the head of a column."""
    return page.locator(f'.lm-data thead th[data-column="{name}"]')


def status(page: Page) -> Locator:
    """Return the line that says which rows are shown."""
    return page.locator(".lm-data [role=status]")


@LANGUAGES
def test_the_rows_are_fetched_when_asked_for(reader: Reader, lang: str) -> None:
    page = reader.open(f"{lang}/data/{SWEEP}/")
    expect(rows(page)).to_have_count(20)
    assert reader.times_asked(".csv") == 0
    page.locator(".lm-data__pager button").nth(1).click()
    expect(page.locator("#row-22")).to_be_visible()
    assert reader.times_asked(f"{SWEEP}.csv") == 1
    expect(status(page)).to_contain_text("21")
    page.locator(".lm-data__pager button").nth(0).click()
    expect(status(page)).to_have_text(SAID[lang]["all"])
    page.locator(".lm-data select").select_option("100")
    expect(rows(page)).to_have_count(100)
    assert reader.times_asked(".csv") == 1


@LANGUAGES
def test_sorting_goes_up_down_and_back(reader: Reader, lang: str) -> None:
    page = reader.open(f"{lang}/data/{SWEEP}/")
    times = sorted(float(row["median_us"]) for row in records(SWEEP))
    button = head(page, "median_us").get_by_role("button")
    button.focus()
    page.keyboard.press("Enter")
    expect(head(page, "median_us")).to_have_attribute("aria-sort", "ascending")
    assert [float(cell) for cell in column(page, "median_us")] == times[:20]
    page.keyboard.press("Enter")
    expect(head(page, "median_us")).to_have_attribute("aria-sort", "descending")
    assert [float(cell) for cell in column(page, "median_us")] == times[::-1][:20]
    page.keyboard.press("Enter")
    expect(head(page, "median_us")).not_to_have_attribute("aria-sort", re.compile("."))
    assert rows(page).first.get_attribute("id") == "row-2"
    expect(button).to_be_focused()


def test_what_is_empty_comes_last_whichever_way(reader: Reader) -> None:
    page = reader.open(f"en/data/{SWEEP}/")
    page.locator(".lm-data select").select_option("500")
    for _ in range(2):
        head(page, "segments").get_by_role("button").click()
        assert "–" not in column(page, "segments")


@LANGUAGES
def test_filters_are_words_and_comparisons(reader: Reader, lang: str) -> None:
    page = reader.open(f"{lang}/data/{SWEEP}/")
    data = records(SWEEP)
    field = page.locator(".lm-data input")
    for query, wanted in {
        "sdpa": [row for row in data if any("sdpa" in cell for cell in row.values())],
        'contender="vllm 0.28.0 2D" kv_len>65536 query_rows=8': [
            row for row in data if row["contender"] == "vllm 0.28.0 2D" and int(row["kv_len"]) > 65536 and row["query_rows"] == "8"
        ],
        "segments=": [row for row in data if not row["segments"]],
        "segments!=1 tile<=16": [row for row in data if row["segments"] != "1" and row["tile"] and int(row["tile"]) <= 16],
    }.items():
        field.fill(query)
        expect(status(page)).to_contain_text(f" {len(wanted)} ")
        assert column(page, "median_us") == [row["median_us"] for row in wanted][:20], query
    field.fill("no such word")
    expect(status(page)).to_contain_text(SAID[lang]["none"])
    expect(rows(page)).to_have_count(0)


@LANGUAGES
def test_an_address_leads_to_a_row(reader: Reader, lang: str) -> None:
    page = reader.open(f"{lang}/data/{SWEEP}/#row-1500")
    row = page.locator("#row-1500")
    expect(row).to_be_in_viewport()
    expect(row).to_be_focused()
    expect(row).to_have_class(re.compile("is-target"))
    line = (ROOT / "data" / f"{SWEEP}.csv").read_text("utf-8").splitlines()[1499]
    assert all(cell in line for cell in row.locator("td").all_inner_texts() if cell != "–")

    page.locator(".lm-data input").fill("kv_len=16")
    expect(row).to_have_count(0)
    page.evaluate("location.hash = '#row-1501'")
    expect(page.locator("#row-1501")).to_be_in_viewport()
    expect(page.locator(".lm-data input")).to_have_value("")
    page.evaluate("location.hash = '#row-9999'")
    expect(status(page)).to_have_text(SAID[lang]["lost"])


@LANGUAGES
def test_evidence_leads_to_its_row(reader: Reader, lang: str) -> None:
    page = reader.open(f"{lang}/{ARTICLE}")
    page.locator('.lm-claim[data-claim="spec_ladder.tok_s?arm=mtp_stock&context=32768"]').first.click()
    link = page.locator(".lm-evidence-card td code a").first
    line = link.inner_text().rpartition(":")[2]
    link.click()
    page.wait_for_url(f"**/{lang}/data/{LADDER}/#row-{line}")
    row = page.locator(f"#row-{line}")
    expect(row).to_be_in_viewport()
    expect(row).to_contain_text("8.85")
    expect(row).to_have_class(re.compile("is-target"))
    expect(page.locator(".lm-evidence-card")).to_have_count(0)


def test_every_row_of_every_card_is_there(reader: Reader) -> None:
    for lang in ("en", "zh"):
        page = reader.open(f"{lang}/{ARTICLE}")
        named = page.evaluate("""async () => {
          const evidence = await (await fetch(document.querySelector('.lm-page').dataset.evidence)).json();
          return evidence.rows.map(row => [new URL(evidence.pages[row.file], document.baseURI).href, row.file, row.line]);
        }""")
        assert len(named) > 50
        for address, file, line in named:
            name = Path(file).stem
            assert address == f"{reader.root}{lang}/data/{name}/"
            assert 2 <= line <= len(records(name)) + 1


@LANGUAGES
@pytest.mark.parametrize("name", ["", SWEEP, LADDER])
def test_without_scripts_the_first_rows_stand_there(new_reader: NewReader, lang: str, name: str) -> None:
    page = new_reader(java_script_enabled=False).open(f"{lang}/data/{name}/".replace("//", "/"))
    if not name:
        expect(page.locator(".lm-data__table--index tbody tr")).to_have_count(len(list((ROOT / "data").glob("*.csv"))))
        return
    data = records(name)
    expect(rows(page)).to_have_count(min(len(data), 20) if len(data) > 40 else len(data))
    expect(status(page)).to_contain_text(str(len(data)))
    assert page.locator(".lm-data :is(button, input, select)").count() == 0
    expect(page.locator('a[download$=".csv"]')).to_have_attribute("href", f"../../../assets/data/{name}.csv")


def test_the_file_is_the_data_itself(reader: Reader, built_site: Path) -> None:
    page = reader.open(f"en/data/{LADDER}/")
    with page.expect_download() as download:
        page.locator('a[download$=".csv"]').click()
    assert Path(download.value.path()).read_bytes() == (ROOT / "data" / f"{LADDER}.csv").read_bytes()
    assert (built_site / "assets/data" / f"{LADDER}.csv").read_bytes() == (ROOT / "data" / f"{LADDER}.csv").read_bytes()


def test_hostile_rows_stay_text(new_reader: NewReader) -> None:
    names = records(LADDER)[0].keys()
    first = ",".join(f'"{HOSTILE}"' if name == "arm" else "1" for name in names)
    second = ",".join('"two\r\nlines \u202e ""x"""' if name == "arm" else "=1+1" for name in names)
    body = f"\ufeff{','.join(names)}\r\n{first}\r\n\r\n{second}\n{first}"
    reader = new_reader()
    reader.page.route(f"**/{LADDER}.csv", lambda route: route.fulfill(body=body, content_type="text/csv"))
    page = reader.open(f"en/data/{LADDER}/")
    page.locator(".lm-data thead button").first.click()
    expect(rows(page)).to_have_count(3)
    assert rows(page).evaluate_all("rows => rows.map(row => row.id)") == ["row-2", "row-4", "row-6"]
    assert column(page, "arm") == [HOSTILE, 'two⟨U+000D⟩⟨U+000A⟩lines ⟨U+202E⟩ "x"', HOSTILE]
    assert column(page, "context")[1] == "=1+1"
    assert page.locator(".lm-data :is(img, script)").count() == 0
    assert page.evaluate("window.hit") is None


def test_lost_rows_are_said_and_the_first_stay(new_reader: NewReader) -> None:
    reader = new_reader(tolerant=True)
    reader.page.route(f"**/{SWEEP}.csv", lambda route: route.abort())
    page = reader.open(f"en/data/{SWEEP}/")
    page.locator(".lm-data__pager button").nth(1).click()
    expect(status(page)).to_contain_text("could not be loaded")
    expect(rows(page)).to_have_count(20)


@LANGUAGES
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_no_serious_fault(new_reader: NewReader, lang: str, *, dark: bool) -> None:
    reader = new_reader(dark=dark)
    faults = []
    for path in ("data/", f"data/{SWEEP}/#row-1500", f"data/{LADDER}/", "data/kernel_trace_32k/"):
        page = reader.open(f"{lang}/{path}")
        if "#" in path:
            page.locator(".is-target").wait_for()
            head(page, "kv_len").get_by_role("button").click()
        page.evaluate(AXE.read_text(encoding="utf-8"))
        wait_for(page, "() => document.fonts.status === 'loaded'")
        found = page.evaluate("async () => (await axe.run(document, {resultTypes: ['violations']})).violations")
        faults += [(path, one["id"], one["nodes"][0]["html"][:160]) for one in found if one["impact"] in {"serious", "critical"}]
    assert faults == []


@LANGUAGES
@pytest.mark.parametrize("name", ["", SWEEP, "kernel_compile"])
def test_on_a_narrow_page_only_the_tables_scroll(new_reader: NewReader, lang: str, name: str) -> None:
    reader = new_reader(width=360)
    page = reader.open(f"{lang}/data/{name}/".replace("//", "/"))
    assert reader.spills() == []
    assert page.locator("h1").count() == 1
    scroll = page.locator(".lm-data__scroll").first
    assert scroll.evaluate("box => box.scrollWidth > box.clientWidth && getComputedStyle(box).overflowX === 'auto'")
    scroll.focus()
    page.keyboard.press("ArrowRight")
    wait_for(page, "() => document.querySelector('.lm-data__scroll').scrollLeft > 0")


@LANGUAGES
def test_a_page_of_data_is_light(built_site: Path, lang: str) -> None:
    sizes = {path.parent.name: len(gzip.compress(path.read_bytes())) for path in (built_site / lang / "data").rglob("index.html")}
    assert len(sizes) > 10
    assert max(sizes.values()) <= 20_000, sizes
    # With all of its rows, which come when they are asked for.
    assert max(sizes.values()) + len(gzip.compress((built_site / "assets/data" / f"{SWEEP}.csv").read_bytes())) <= PAGE_BYTES


@LANGUAGES
def test_a_search_finds_a_column_and_no_cell(built_site: Path, lang: str) -> None:
    entries = json.loads((built_site / lang / "search/search_index.json").read_text("utf-8"))["docs"]
    index = json.dumps([entry for entry in entries if entry["location"].startswith("data/")], ensure_ascii=False)
    assert "scratch_bytes" in index
    assert "2.176e-03" not in index
    assert not re.search("5\\.307|4179\\.4", index)
    assert len(index) < 150_000
    assert f"/{lang}/data/{SWEEP}/</loc>" in (built_site / lang / "sitemap.xml").read_text("utf-8")


@LANGUAGES
def test_the_bar_leads_to_the_data(reader: Reader, lang: str) -> None:
    page = reader.open(f"{lang}/")
    page.locator(".lm-header__pages a[href*='data/']").click()
    page.wait_for_url(f"**/{lang}/data/")
    page.locator(f".lm-data__table a[href$='{LADDER}/']").click()
    page.wait_for_url(f"**/{lang}/data/{LADDER}/")
    head(page, "arm").get_by_role("button").click()
    expect(head(page, "arm")).to_have_attribute("aria-sort", "ascending")
    page.locator("header").get_by_role("link", name={"en": "中文", "zh": "English"}[lang]).click()
    page.wait_for_url(f"**/{'zh' if lang == 'en' else 'en'}/data/{LADDER}/*")


@LANGUAGES
def test_the_front_page_leads_to_findings_data_and_corrections(reader: Reader, lang: str) -> None:
    page = reader.open(f"{lang}/")
    dates = page.locator(".lm-corrections time").evaluate_all("times => times.map(time => time.dateTime)")
    assert len(dates) == 5
    assert dates == sorted(dates, reverse=True)
    assert page.locator(".lm-page li > .lm-claim:first-child").count() >= 3
    link = page.locator(".lm-corrections a").first
    link.scroll_into_view_if_needed()
    page.wait_for_timeout(400)  # Material notes where a reader has scrolled to a moment later, and would go back there
    link.click()
    page.wait_for_url(f"**/{lang}/**#erratum-*")
    expect(page.locator(f"aside{page.evaluate('location.hash')}")).to_be_in_viewport()
