"""A reader of the site: a page in Chromium, what it asked for, and what it complained of."""

from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Locator, Page

ARTICLE = "speculative-decoding-gate/"
HYBRID = "hybrid-decode/"
BUNDLE = "assets/vendor/plotly.min.js"
LADDER = "#fig-mtp_gain"


@dataclass
class Reader:
    """One tab.

    Attributes:
        page: the page shown.
        root: address of the site's root.
        asked: addresses requested, in order.
        complaints: errors thrown or logged by the page, and answers that were errors.
    """

    page: Page
    root: str
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Listen from the first request on."""
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        self.page.on("response", lambda answer: self.complaints.append(f"{answer.status} {answer.url}") if answer.status >= 400 else None)

    def open(self, path: str) -> Page:
        """Go to a page of the site and wait until it is quiet."""
        self.page.goto(self.root + path, wait_until="networkidle")
        return self.page

    def times_asked(self, name: str) -> int:
        """Return how often an address that ends in `name` was requested."""
        return sum(url.endswith(name) for url in self.asked)

    def draw(self, figure: str = LADDER) -> Locator:
        """Scroll to a figure, wait for its chart and return the figure."""
        found = self.page.locator(figure)
        found.scroll_into_view_if_needed()
        found.locator(".lm-figure__canvas .cartesianlayer .trace path").first.wait_for(state="attached")
        return found

    def colour(self, figure: str = LADDER) -> str:
        """Return the colour of the first line drawn in a figure."""
        return str(self.page.locator(f"{figure} .scatterlayer path.js-line").first.evaluate("line => getComputedStyle(line).stroke"))

    def variable(self, name: str) -> str:
        """Return a colour of the theme in force, as the browser writes colours."""
        script = """name => {
          const probe = document.body.appendChild(document.createElement("i"));
          probe.style.color = `var(${name})`;
          const colour = getComputedStyle(probe).color;
          probe.remove();
          return colour;
        }"""
        return str(self.page.evaluate(script, name))

    def spills(self) -> list[str]:
        """Return what is wider than the window, outermost first; empty when nothing has to be scrolled sideways."""
        script = """() => document.documentElement.scrollWidth <= window.innerWidth ? [] :
          [...document.querySelectorAll("body *")].filter(e => e.getBoundingClientRect().right > window.innerWidth + 1)
            .slice(0, 5).map(e => e.outerHTML.slice(0, 120))"""
        return list(self.page.evaluate(script))


def wait_for(page: Page, condition: str, argument: Any = None) -> None:
    """Wait until a JavaScript expression holds."""
    page.wait_for_function(condition, arg=argument)
