"""Request every page in a language whose translations are in brackets, and look for texts without them."""

import re

import pytest
from django.conf import settings as site_settings

from feed.text.languages import language_choices
from socialsite.local.processes import ROOT
from tests.access.test_access_table import ROUTES, response_in_table
from tests.access.world import site
from tests.database import command_log

from .pages import VIEWERS, distinct_pages
from .pseudo import CLOSE, LANGUAGE, OPEN, write_pseudo_catalog
from .visible_text import sentence_faults, visible_texts

SEARCH_HELP = ROOT / "templates" / "feed" / "_search_help.html"
CONTENT = (
    r"https?://\S+", r"\S+@\S+",
    # What users and administrators of the world wrote, and their names.
    r"@?\b(alice|olga|asking|follower|stranger|owner|moderator|administrator|root_admin)\b",
    r"for my followers", r"and nobody else", r"I say", r"#?\btea\b", r"\bList\b", r"\bword\b", r"Ours",
    r"Hello", r"Look at this", r"Tea or coffee\?", r"^Tea$", r"^Coffee$", r"^Later$", r"^No$",
    # Names and notations that are the same in every language.
    r"Socialsite", r"127\.0\.0\.1", r"\bUTC\b", r"\bCSV\b", r"^ALT$", r"[A-Z][A-Za-z]+/[A-Z][\w/+ -]+",
    r"^has:\w+$",
    # For developers of apps.
    r"Test app", r"^profile read write follow push$", r"Missing client_id parameter\.",
    r"405 Method Not Allowed",
    # Images of Django's admin.
    r"^(True|False|None)$",
)  # fmt: skip
LANGUAGE_NAMES = {name for _, name in (*site_settings.LANGUAGES, *language_choices())}
SEARCH_EXAMPLES = set(re.findall("<dt>(.*?)</dt>", SEARCH_HELP.read_text()))


@pytest.fixture(scope="module")
def catalog(tmp_path_factory):
    folder = tmp_path_factory.mktemp("locale")
    write_pseudo_catalog(folder)
    return folder


@pytest.fixture
def pseudo_language(settings, catalog):
    settings.LOCALE_PATHS = [catalog]
    settings.LANGUAGES = [("en", "English"), (LANGUAGE, f"{OPEN}Pseudo{CLOSE}")]
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 24 * 60 * 60


def unmarked(text: str) -> str:
    """Return the letters of a text that are neither translated nor content."""
    if text in LANGUAGE_NAMES | SEARCH_EXAMPLES:
        return ""
    while (rest := re.sub(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}", "", text)) != text:
        text = rest
    for pattern in (*CONTENT, r"\bEnglish\b"):
        text = re.sub(pattern, "", text)
    return " ".join(re.findall(r"[^\W\d_]{2,}", text))


def problems_of(response) -> list[str]:
    if response.streaming or "html" not in response.get("Content-Type", ""):
        return []
    texts = visible_texts(response.content.decode())
    return [text for text in texts if unmarked(text) or sentence_faults(unbracketed(text))]


def unbracketed(text: str) -> str:
    return re.sub(f"[{OPEN}{CLOSE}]", "", text)


@pytest.mark.parametrize("viewer", VIEWERS)
def test_every_text_of_a_page_is_marked_for_translation(viewer, pseudo_language):
    filled = site.restore()
    client = filled.client(viewer)
    problems = {}
    for name in distinct_pages(viewer):
        path = filled.path(name, ROUTES[name])
        response = client.get(path, headers={"accept-language": LANGUAGE})
        problems[path] = problems_of(response)
        response.close()
    assert not {path: texts for path, texts in problems.items() if texts}


def test_every_message_about_an_empty_form_is_marked_for_translation(pseudo_language):
    filled = site.restore()
    problems = {}
    with command_log.uncounted():
        for name, parameters in ROUTES.items():
            if response_in_table(name, "POST", "owner") in ("405", "login"):
                continue
            path = filled.path(name, parameters)
            response = filled.client("owner").post(path, headers={"accept-language": LANGUAGE})
            problems[path] = problems_of(response)
            response.close()
            site.undo_changes()
    assert not {path: texts for path, texts in problems.items() if texts}
