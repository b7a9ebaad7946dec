"""Chromium, the served site, and readers of it. Whatever a test is about, no reader may see an error or send a request elsewhere."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.reader import Reader
from tests.browser.serving import serve

HERE = Path(__file__).parent
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
NewReader = Callable[..., Reader]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is in this folder, so that it can be left out with `-m 'not browser'`."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def site_url(built_site: Path) -> Iterator[str]:
    """The address of the served site."""
    with serve(built_site) as address:
        yield address


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """The Chromium of this machine."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if not path:
        if os.environ.get("CI"):
            pytest.fail("no Chromium on this machine")
        pytest.skip("no Chromium on this machine")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def new_reader(chromium: Browser, site_url: str) -> Iterator[NewReader]:
    """Make readers; at the end of the test, look at what each of them met.

    A reader made with `tolerant=True` may have met errors (the test breaks something on purpose), but never another origin.
    """
    readers: list[tuple[Reader, bool]] = []

    def make(*, width: int = 1280, dark: bool = False, tolerant: bool = False, **options: Any) -> Reader:
        context = chromium.new_context(
            viewport={"width": width, "height": 900}, color_scheme="dark" if dark else "light", reduced_motion="reduce", **options
        )
        context.set_default_timeout(15_000)
        reader = Reader(context.new_page(), site_url)
        readers.append((reader, tolerant))
        return reader

    yield make
    for reader, tolerant in readers:
        reader.page.context.close()
        assert [url for url in reader.asked if url.startswith("http") and not url.startswith(site_url)] == []
        assert tolerant or reader.complaints == []


@pytest.fixture
def reader(new_reader: NewReader) -> Reader:
    """A reader at a desk, in daylight."""
    return new_reader()
