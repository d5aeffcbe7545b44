"""The languages of the site's own texts. Posts may be in any language (``feed.text.languages``)."""

from django.conf import settings
from django.utils.translation import get_supported_language_variant

from .brand.current import current_brand


def is_offered(*, language: str) -> bool:
    """Return whether pages exist in this language."""
    return any(language == code for code, _ in settings.LANGUAGES)


def offered_variant(*, language: str) -> str:
    """Return the language of the site that serves a language best: "pt-br" for "pt-PT". "" if none does."""
    try:
        return get_supported_language_variant(language.replace("_", "-"))
    except (LookupError, ValueError):
        return ""


def message_language(*, chosen: str) -> str:
    """Return the language of a mail or push to a user who chose ``chosen`` ("" if none).

    Without a valid choice, it is the default language of the site.
    """
    return chosen if is_offered(language=chosen) else current_brand().language
