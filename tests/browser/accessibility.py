"""Find accessibility problems of pages, with axe and with checks that axe lacks (``audit.js``)."""

from collections import Counter
from collections.abc import Callable, Container, Iterable
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import CDPSession, Page

AUDIT = Path(__file__).with_name("audit.js").read_text()
FIND_NEW_LOOKS = Path(__file__).with_name("looks.js").read_text()
FIND_NEW_MARKUP = Path(__file__).with_name("markup.js").read_text()
FIND_DOUBTFUL_TARGETS = Path(__file__).with_name("targets.js").read_text()
FINISH_ANIMATIONS = "document.getAnimations().forEach((animation) => animation.finish())"
OPEN_DETAILS = """document
  .querySelectorAll('.fold > details, .alt-texts, .filtered-post, .actions > details')
  .forEach((element) => { element.open = true; })"""

COLOR_RULES = ["color-contrast", "link-in-text-block"]
PAGE_RULES = (
    "accesskeys|bypass|document-title|frame-title-unique|heading-order|html-.*|landmark-.*|meta-.*"
    "|page-has-heading-one|region|skip-link"
)
"""Rules that relate elements of the whole page."""

SET_UP_RULES = """([colorRules, pageRules]) => {
  if (self.areRulesSetUp) return;
  self.areRulesSetUp = true;
  for (const rule of axe._audit.rules) {
    const matches = rule.matches;
    const needs = (element) => {
      if (colorRules.includes(rule.id)) return self.newLooks.has(element);
      if (rule.id === "target-size") return self.doubtfulTargets.has(element);
      if (new RegExp(`^(${pageRules})$`).test(rule.id)) return self.isNewOutline;
      return newMarkup.has(element) || !element.checkVisibility({ visibilityProperty: true });
    };
    rule.matches = function (element, ...others) {
      return needs(element) && matches.call(this, element, ...others);
    };
  }
}"""
"""Makes each rule skip what was examined. ``FIND_NEW_MARKUP`` and others have found what is new."""

RUN_AXE = """async ([colorRules, options]) => {
  const { violations, incomplete } = await axe.run({ ...options, elementRef: true });
  const problems = violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.html.slice(0, 160)} ${node.failureSummary}`));
  const doubtful = [...violations, ...incomplete].filter(({ id }) => colorRules.includes(id))
    .flatMap((rule) => rule.nodes.map((node) => node.element));
  const gone = [...newLooks.keys()].filter((element) => !element.isConnected);
  return { problems, unexamined: [...doubtful, ...gone].map((element) => newLooks.get(element)) };
}"""

# ``preload`` fetches stylesheets again, for one rule about screen orientation. The other option saves time:
# the result has no selectors.
OPTIONS = {"preload": False, "selectors": False, "resultTypes": ["violations", "incomplete"]}
ALL_RULES = {**OPTIONS, "rules": {"target-size": {"enabled": True}}}
ONLY_COLORS = {**OPTIONS, "runOnly": COLOR_RULES}

TOUCH_TARGET, MOUSE_TARGET = 44, 24
"""Minimum width and height of links and buttons, in pixels."""

LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft " * 3
ADDRESS = "https://example.org/" + "a-very-long-path-without-a-break" * 6
"""Texts that widen a page if it does not break them."""

DESKTOP, NARROWEST, PHONE = 1280, 320, 390
"""Widths of screens."""

MAX_TRIES = 3
"""Axe cannot examine some text, for example on a gradient. Its look is tried so often, at any width."""


class Examined:
    """What this process has examined with axe."""

    def __init__(self) -> None:
        self.markup: set[str] = set()
        self.looks: Counter[int] = Counter()
        """How often each look was examined. ``MAX_TRIES`` means that it needs no further examination."""


_examined = Examined()


def problems_of_pages(
    page: Page, addresses: Iterable[str], *, without_touch: Container[str] = ()
) -> list[str]:
    """Return the problems of these pages on phones and desktops, in the light and the dark theme.

    Each page is loaded once, because no script depends on width, theme or pointer. ``without_touch``: pages
    that nobody has to use with a finger.
    """
    problems = []
    screen = page.context.new_cdp_session(page)
    page.add_init_script(AXE_SCRIPT)
    for address in addresses:
        _open(page, address)
        has_touch = address not in without_touch
        if has_touch:
            resize, least = partial(_resize_and_touch, screen), TOUCH_TARGET
        else:
            resize, least = partial(_resize, screen), 0
        texts = _problems(page, resize, _examined, least_on_phone=least)
        problems += [f"{address} {text}" for text in texts]
        if has_touch:
            screen.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    screen.detach()
    return problems


def _resize(screen: CDPSession, width: int, *, is_phone: bool = False) -> None:
    size = {"width": width, "height": 844, "deviceScaleFactor": 1, "mobile": is_phone}
    screen.send("Emulation.setDeviceMetricsOverride", size)


def _resize_and_touch(screen: CDPSession, width: int) -> None:
    _resize(screen, width, is_phone=width == PHONE)
    if width == PHONE:
        screen.send("Emulation.setTouchEmulationEnabled", {"enabled": True})


def problems_of_open_page(page: Page, examined: Examined | None = None) -> list[str]:
    """Return the problems of the page that is open, on phones and desktops, in both themes.

    ``examined``: what was examined with the colors of this page, by default what this process has examined.
    """

    def resize(width: int) -> None:
        page.set_viewport_size({"width": width, "height": 844})

    return _problems(page, resize, examined or _examined, least_on_phone=0)


def _problems(
    page: Page, resize: Callable[[int], None], examined: Examined, *, least_on_phone: int
) -> list[str]:
    """Return the problems of the page that is open. ``least_on_phone``: minimum size of targets there.

    A process examines equal markup (``markup.js``) once, and the contrast of text once for each look
    (``looks.js``), because most of a page is like parts of other pages. Cheap checks (``audit.js``) and
    rules about the page as a whole have no such limits. The phone comes last, because the check of its
    targets scrolls the page.
    """
    page.wait_for_load_state()
    problems = []
    for width, least in ((DESKTOP, 0), (NARROWEST, -1), (PHONE, least_on_phone)):
        resize(width)
        texts = (
            [] if width == NARROWEST else _axe_problems(page, examined, has_mouse=width == DESKTOP)
        )
        texts += page.evaluate(AUDIT, least)
        problems += [f"{width} {text}" for text in texts]
    return problems


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


def _axe_problems(page: Page, examined: Examined, *, has_mouse: bool) -> list[str]:
    """Return the problems that axe finds in what is new, in both themes.

    Markup without problems counts as examined. Up to ``MAX_TRIES``, looks with problems are examined again,
    and looks that axe could not examine, for example because something covers the text.
    """
    new_markup = page.evaluate(FIND_NEW_MARKUP, " ".join(examined.markup))
    targets = page.evaluate(FIND_DOUBTFUL_TARGETS, has_mouse)
    if not new_markup and not targets:
        return []
    new_looks = _find_new_looks(page, examined.looks)
    if not page.evaluate("Boolean(self.axe)"):
        page.evaluate(AXE_SCRIPT)
    page.evaluate(SET_UP_RULES, [COLOR_RULES, PAGE_RULES])
    result = page.evaluate(RUN_AXE, [COLOR_RULES, ALL_RULES])
    problems = [f"light {problem}" for problem in result["problems"]]
    examined_looks = new_looks.difference(result["unexamined"])
    if new_looks:
        page.emulate_media(color_scheme="dark")
        page.evaluate(FINISH_ANIMATIONS)
        result = page.evaluate(RUN_AXE, [COLOR_RULES, ONLY_COLORS])
        page.emulate_media(color_scheme="light")
        problems += [f"dark {problem}" for problem in result["problems"]]
        examined_looks.difference_update(result["unexamined"])
    examined.looks.update(new_looks)
    examined.looks.update(dict.fromkeys(examined_looks, MAX_TRIES))
    if not problems:
        examined.markup.update(new_markup.split(" "))
    return problems


def _find_new_looks(page: Page, looks: Counter[int]) -> set[int]:
    """Return the looks of text with new markup that need an examination."""
    page.emulate_media(color_scheme="dark")
    page.evaluate(FIND_NEW_LOOKS)
    page.emulate_media(color_scheme="light")
    examined = [look for look, tries in looks.items() if tries >= MAX_TRIES]
    return set(page.evaluate(FIND_NEW_LOOKS, examined))
