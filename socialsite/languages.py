"""The languages of the site: the folders of translations (docs/languages.md)."""

from pathlib import Path

from django.conf.locale import LANG_INFO
from django.utils.translation import to_language

SOURCE_LANGUAGE = "en"


def languages_in(folder: Path) -> list[tuple[str, str]]:
    """Return ``(code, name in the language itself)`` of English and of each folder such as ``pt_BR``."""
    codes = {
        to_language(path.parent.parent.name) for path in folder.glob("*/LC_MESSAGES/django.po")
    }
    languages = [(code, _name(code)) for code in codes | {SOURCE_LANGUAGE}]
    return sorted(languages, key=lambda language: language[1])


def _name(code: str) -> str:
    name = str(LANG_INFO[code]["name_local"])
    return name[:1].upper() + name[1:]
