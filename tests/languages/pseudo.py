"""A language whose translations are the English texts in brackets, to find texts that are not translated.

It translates the texts of this site and of the packages whose texts pages show. So every text without
brackets either is content or lacks a mark for translation.
"""

import io
from pathlib import Path

import allauth
import django
import rest_framework
from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from socialsite.local.compile_translations import catalog_paths, write_compiled

LANGUAGE = "xx"
OPEN, CLOSE = "⟦", "⟧"


def write_pseudo_catalog(folder: Path) -> None:
    """Write the catalogue of the language below ``folder``."""
    catalog = Catalog(locale="en")
    # ``make check`` proves that each catalogue has all texts of the site.
    for source in (_package_messages(), read_po(io.BytesIO(catalog_paths()[0].read_bytes()))):
        for message in source:
            if not message.id or message.id in ("", ()):
                continue
            if isinstance(message.id, str):
                translation: str | tuple[str, ...] = f"{OPEN}{message.id}{CLOSE}"
            else:
                translation = tuple(f"{OPEN}{text}{CLOSE}" for text in message.id)
            catalog.add(message.id, translation, context=message.context)
    path = folder / LANGUAGE / "LC_MESSAGES" / "django.po"
    path.parent.mkdir(parents=True)
    write_compiled(path, catalog)


def _package_messages() -> Catalog:
    catalog = Catalog(locale="en")
    for package in (django, allauth, rest_framework):
        folder = Path(package.__file__ or "").parent
        # allauth has no English catalogue, but its other catalogues have the English texts.
        paths = [*folder.rglob("locale/en/LC_MESSAGES/django.po")] or [
            *folder.rglob("locale/de/LC_MESSAGES/django.po")
        ]
        for path in paths:
            with path.open("rb") as file:
                for message in read_po(file):
                    if message.id:
                        catalog.add(message.id, context=message.context)
    return catalog
