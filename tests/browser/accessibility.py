"""Find accessibility problems of pages, with axe and with checks that axe lacks (``audit.js``)."""

from collections import Counter
from collections.abc import Container, Iterable
from pathlib import Path
from urllib.parse import urlsplit

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

AUDIT = Path(__file__).with_name("audit.js").read_text()
FIND_NEW_LOOKS = Path(__file__).with_name("looks.js").read_text()
CHECK_TARGETS = Path(__file__).with_name("targets.js").read_text()
OPEN_DETAILS = """document
  .querySelectorAll('.fold > details, .alt-texts, .filtered-post, .actions > details')
  .forEach((element) => { element.open = true; })"""
FINISH_ANIMATIONS = "document.getAnimations().forEach((animation) => animation.finish())"
FIND_APPEARING = """(isFirstWidth) => {
  const visible = [...document.body.querySelectorAll('*')].filter(
    (element) => element.checkVisibility({ visibilityProperty: true }));
  const fresh = new Set(isFirstWidth ? [] : visible.filter((element) => !visibleBefore.has(element)));
  self.appearing = isFirstWidth
    ? [document.documentElement] : [...fresh].filter((element) => !fresh.has(element.parentElement));
  self.visibleBefore = new Set(visible);
}"""
"""Finds the whole page at the first width, and at the next what was not visible before."""

# The sidebar is loaded late, so an element that was found can be gone.
RUN_AXE = """async (options) => {
  const elements = options.runOnly ? [...newLooks.keys()] : appearing;
  const include = elements.filter((element) => element.isConnected);
  const looksOf = (texts) => texts.map((element) => newLooks.get(element));
  if (!include.length) return { problems: [], unexamined: looksOf(elements) };
  const { violations, incomplete } = await axe.run({ include }, { ...options, elementRef: true });
  const problems = violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.html.slice(0, 160)} ${node.failureSummary}`));
  const doubtful = [...violations, ...incomplete].flatMap((rule) => rule.nodes.map((node) => node.element));
  const gone = elements.filter((element) => !element.isConnected);
  return { problems, unexamined: looksOf([...doubtful, ...gone]) };
}"""
"""Examines what ``FIND_APPEARING`` has found, or with ``runOnly`` the text that ``looks.js`` has found."""

# ``preload`` fetches stylesheets again, for one rule about screen orientation. The other option saves time:
# the result has no selectors.
OPTIONS = {"preload": False, "selectors": False}
COLOR_RULES = ["color-contrast", "link-in-text-block"]
OTHER_RULES = {
    **OPTIONS,
    "resultTypes": ["violations"],
    "rules": {rule: {"enabled": False} for rule in COLOR_RULES},
}
ONLY_TARGETS = {**OPTIONS, "resultTypes": ["violations"], "runOnly": ["target-size"]}
ONLY_COLORS = {**OPTIONS, "resultTypes": ["violations", "incomplete"], "runOnly": COLOR_RULES}

TOUCH_TARGET, MOUSE_TARGET = 44, 24
"""Minimum width and height of links and buttons, in pixels."""

LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft " * 3
ADDRESS = "https://example.org/" + "a-very-long-path-without-a-break" * 6
"""Texts that widen a page if it does not break them."""

WIDTHS = (390, 1280)
NARROWEST = 320
PHONE_SCREEN = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
IS_PHONE = "document.documentElement.clientWidth === 390 && matchMedia('(pointer: coarse)').matches"


MAX_TRIES = 3
"""Axe cannot examine some text, for example on a gradient. Its look is tried so often, at any width."""

Looks = Counter[int]
"""How often each look was examined. ``MAX_TRIES`` means that it needs no further examination."""

_examined_looks: Looks = Counter()


def problems_of_pages(
    page: Page, addresses: Iterable[str], *, without_touch: Container[str] = ()
) -> list[str]:
    """Return the problems of these pages on phones and desktops, in the light and the dark theme.

    Each page is loaded once, because no script depends on width, theme or pointer. A process examines the
    contrast of text once for each look (``looks.js``), because most text of a page looks like text of
    other pages. ``without_touch``: pages that nobody has to use with a finger.
    """
    problems = []
    screen = page.context.new_cdp_session(page)
    for address in addresses:
        _open(page, address)
        page_problems = problems_of_open_page(page, _examined_looks)
        if address not in without_touch:
            screen.send("Emulation.setDeviceMetricsOverride", PHONE_SCREEN)
            screen.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
            assert page.evaluate(IS_PHONE)
            touch_problems = page.evaluate(AUDIT, TOUCH_TARGET)
            page_problems += [f"touch {problem}" for problem in touch_problems]
            screen.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
            screen.send("Emulation.clearDeviceMetricsOverride")
        problems += [f"{address} {problem}" for problem in page_problems]
    screen.detach()
    return problems


def problems_of_open_page(page: Page, looks: Looks | None = None) -> list[str]:
    """Return the problems of the page that is open, on phones and desktops, in both themes.

    Other rules than those about colors examine at the second width only what was not visible at the first.
    ``looks``: the looks of text that were examined before. New looks are added.
    """
    looks = Counter() if looks is None else looks
    problems = []
    page.wait_for_load_state()
    page.evaluate(AXE_SCRIPT)
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 844})
        page.evaluate(FIND_APPEARING, width == WIDTHS[0])
        problems_of_width = [
            *_color_problems(page, looks),
            *page.evaluate(RUN_AXE, OTHER_RULES)["problems"],
            *page.evaluate(CHECK_TARGETS, ONLY_TARGETS),
            *page.evaluate(AUDIT, 0),
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


def _color_problems(page: Page, looks: Looks) -> list[str]:
    """Return the problems of text with new looks in both themes. Count its looks in ``looks``.

    Up to ``MAX_TRIES``, looks with problems are examined again, and looks that axe could not examine, for
    example because something covers the text.
    """
    page.emulate_media(color_scheme="light")
    page.evaluate(FINISH_ANIMATIONS)
    examined = [look for look, tries in looks.items() if tries >= MAX_TRIES]
    new_looks = set(page.evaluate(FIND_NEW_LOOKS, examined))
    looks.update(new_looks)
    problems = []
    for theme in ("light", "dark") if new_looks else ():
        page.emulate_media(color_scheme=theme)
        page.evaluate(FINISH_ANIMATIONS)
        result = page.evaluate(RUN_AXE, ONLY_COLORS)
        problems += [f"{theme} {problem}" for problem in result["problems"]]
        new_looks.difference_update(result["unexamined"])
    page.emulate_media(color_scheme="light")
    looks.update(dict.fromkeys(new_looks, MAX_TRIES))
    return problems
