"""Find accessibility problems of pages, with axe and with checks that axe lacks (``audit.js``)."""

from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlsplit

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

AUDIT = Path(__file__).with_name("audit.js").read_text()
OPEN_DETAILS = """document
  .querySelectorAll('.fold > details, .alt-texts, .filtered-post, .actions > details')
  .forEach((element) => { element.open = true; })"""
FINISH_ANIMATIONS = "document.getAnimations().forEach((animation) => animation.finish())"
RUN_AXE = """async (options) => (await axe.run(options)).violations.flatMap((violation) =>
  violation.nodes.map((node) => `${violation.id}: ${node.html.slice(0, 160)} ${node.failureSummary}`))"""
# ``preload`` fetches stylesheets again, for one rule about screen orientation. The other two options save
# time: the result has no passed elements and no selectors.
OPTIONS = {"preload": False, "resultTypes": ["violations"], "selectors": False}
EVERY_RULE = {**OPTIONS, "rules": {"target-size": {"enabled": True}}}
COLOR_RULES = {**OPTIONS, "runOnly": ["color-contrast", "link-in-text-block"]}

TOUCH_TARGET, MOUSE_TARGET = 44, 24
"""Minimum width and height of links and buttons, in pixels."""

LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft " * 3
ADDRESS = "https://example.org/" + "a-very-long-path-without-a-break" * 6
"""Texts that widen a page if it does not break them."""

WIDTHS = (390, 1280)
NARROWEST = 320


def problems_in_every_theme(page: Page, addresses: Iterable[str]) -> list[str]:
    """Return the problems of these pages on phones and desktops, in the light and the dark theme.

    Each page is loaded once, because no script depends on width or theme.
    """
    problems = []
    for address in addresses:
        _open(page, address)
        problems += [f"{address} {problem}" for problem in problems_of_open_page(page)]
    return problems


def problems_of_open_page(page: Page) -> list[str]:
    """Return the problems of the page that is open, on phones and desktops, in both themes."""
    problems = []
    page.wait_for_load_state()
    page.evaluate(AXE_SCRIPT)
    for width in WIDTHS:
        problems_of_width = [
            *_problems_of_theme(page, width, "light", EVERY_RULE),
            *page.evaluate(AUDIT, 0),
            *_problems_of_theme(page, width, "dark", COLOR_RULES),
        ]
        problems += [f"{width} {problem}" for problem in problems_of_width]
    page.set_viewport_size({"width": NARROWEST, "height": 700})
    return problems + [f"{NARROWEST} {problem}" for problem in page.evaluate(AUDIT, 0)]


def problems_for_touch(page: Page, addresses: Iterable[str]) -> list[str]:
    """Return the small touch targets of these pages, and other problems that axe does not find."""
    problems = []
    for address in addresses:
        _open(page, address)
        problems += [f"{address} {problem}" for problem in touch_problems_of_open_page(page)]
    return problems


def touch_problems_of_open_page(page: Page) -> list[str]:
    """Return the small touch targets of the page that is open, and other problems that axe does not find.

    After a click, text can be visible before the stylesheet applies, so this waits for the stylesheet.
    """
    page.wait_for_load_state()
    return page.evaluate(AUDIT, TOUCH_TARGET)


def _open(page: Page, address: str) -> None:
    page.goto(address)
    assert urlsplit(page.url).path == urlsplit(address).path, f"{address} leads to {page.url}"
    page.evaluate(OPEN_DETAILS)


def _problems_of_theme(page: Page, width: int, theme: str, options: dict) -> list[str]:
    page.set_viewport_size({"width": width, "height": 844})
    page.emulate_media(color_scheme=theme)
    page.evaluate(FINISH_ANIMATIONS)
    return [f"{theme} {problem}" for problem in page.evaluate(RUN_AXE, options)]
