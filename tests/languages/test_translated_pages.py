"""Request every page in other languages, and look for texts of the English catalogue.

``test_marked_texts.py`` shows that all texts are marked, and ``make check`` that all are translated. This
test finds what neither of them does: texts that are translated too early, cached for another language or
assembled in English. These mistakes do not depend on the language. By default, one language is enough that
has no words in common with English.
"""

import io
import os
import re

import pytest
from babel.messages.pofile import read_po
from django.utils.translation import (
    get_supported_language_variant,
    gettext,
    npgettext,
    override,
    pgettext,
)

from socialsite.local.compile_translations import catalog_paths
from tests.access.test_access_table import ROUTES
from tests.access.world import site

from .pages import VIEWERS, distinct_pages
from .visible_text import sentence_faults, visible_texts

LOCALES = os.environ.get("PAGE_LOCALES", "ja").split()
"""Languages to request all pages in: ``PAGE_LOCALES="fr ar" pytest ...``."""

PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|%%s|\{\w*\}|<[^>]+>")
MIN_LETTERS = 4

# Content of the world that is also a text of the site, and names of users that are also words.
CONTENT = {"word", "List", "No"}
NAMES = re.compile(r"\b(follower|owner|moderator|administrator|stranger)\b")


def untranslated_texts(language: str) -> tuple[set[str], list[tuple[str, re.Pattern[str]]]]:
    """Return the English texts that must not appear on pages in this language.

    Those with placeholders are patterns, each with its longest part, because a search for it is fast.
    """
    whole, patterns, all_translations = set(), [], set()
    with override(language):
        for message in read_po(
            io.BytesIO(catalog_paths()[0].read_bytes())
        ):  # all catalogues have the same texts
            if not message.id:
                continue
            texts = (message.id,) if isinstance(message.id, str) else message.id
            translations = {_translation(message, number) for number in (0, 1, 2, 3, 11, 100)}
            all_translations |= translations
            for text in texts:
                if text in translations:
                    continue  # the same word in both languages, such as "Hashtags"
                plain = " ".join(text.split())
                if not PLACEHOLDER.search(plain):
                    whole.add(plain)
                    continue
                parts = PLACEHOLDER.split(plain)
                if sum(map(str.isalpha, "".join(parts))) >= MIN_LETTERS:
                    pattern = re.compile(".*".join(map(re.escape, parts)))
                    patterns.append((max(parts, key=len), pattern))
    # The German plural of "Profil" is the English "Profile".
    return whole - all_translations, patterns


def _translation(message, number):
    if isinstance(message.id, str):
        return pgettext(message.context, message.id) if message.context else gettext(message.id)
    return npgettext(message.context or "", *message.id, number)


@pytest.mark.parametrize("locale", LOCALES)
def test_no_page_has_an_english_text(locale, settings):
    language = get_supported_language_variant(locale.lower())
    settings.ACCOUNT_REAUTHENTICATION_TIMEOUT = 24 * 60 * 60
    whole, patterns = untranslated_texts(language)
    filled = site.restore()
    shown, pages = {}, 0
    for viewer in VIEWERS:
        client = filled.client(viewer)
        for name in distinct_pages(viewer):
            path = filled.path(name, ROUTES[name])
            response = client.get(path, headers={"accept-language": language})
            if "html" in response.get("Content-Type", "") and not response.streaming:
                pages += 1
                for text in visible_texts(response.content.decode()):
                    shown.setdefault(text, f"{viewer} {path}")
            response.close()
    assert pages > 150

    def is_english(text):
        plain = NAMES.sub("", text)
        return text in whole or any(
            part in plain and pattern.fullmatch(plain) for part, pattern in patterns
        )

    faults = {text: sentence_faults(text) for text in shown if sentence_faults(text)}
    assert faults == {}

    leftovers = {text: where for text, where in shown.items() if is_english(text)}
    assert leftovers.keys() <= CONTENT, leftovers
