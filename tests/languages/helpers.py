"""Helpers for tests of translated texts."""

import re

from django.utils.translation import gettext, override


def translated(text: str, language: str) -> str:
    """Return a translation that differs from the English text."""
    with override(language):
        translation = gettext(text)
    assert translation != text, f"{text!r} is not translated into {language}"
    return translation


def language_of(page: str) -> tuple[str, str]:
    """Return the language and the direction of a page."""
    match = re.search(r'<html lang="([\w-]+)" dir="(\w+)"', page)
    assert match, page[:300]
    return match[1], match[2]
