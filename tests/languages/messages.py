"""``make messages``: collect the texts of the site, and update and compile their translations.

    python -m tests.languages.messages [--check] [--sample 60 [--seed 1] [--language fr]]

Each language is a folder ``socialsite/locale/<locale>/LC_MESSAGES`` with ``django.po``, which translators
edit, and ``django.mo``, which Django reads (``compile_translations``).

``--check`` changes nothing. It fails if a catalogue lacks a translation, if a translation is fuzzy or has
other placeholders than the English text, or if a catalogue is not up to date. ``--sample`` prints random
texts of each language for a review.
"""

import argparse
import io
import random
import re
import secrets
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import django
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract_from_dir
from babel.messages.pofile import read_po, write_po
from django.template import engines
from django.template.backends.django import DjangoTemplates
from django.template.base import FilterExpression
from django.templatetags.i18n import BlockTranslateNode, TranslateNode

from socialsite.local.compile_translations import LOCALE_FOLDER, catalog_paths, write_compiled
from socialsite.local.processes import ROOT

PYTHON_FOLDERS = ("accounts", "feed", "notifications", "socialsite")
DJANGO_TEMPLATES = "django"
"""The folder in ``templates`` whose templates Django's engine renders."""

KEYWORDS = {
    **DEFAULT_KEYWORDS,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext_lazy": (1, 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext_lazy": ((1, "c"), 2, 3),
}
TRANSLATOR_COMMENT = "Translators:"
JINJA_OPTIONS = {
    "extensions": "socialsite.jinja.WithoutIndentation",
    "newstyle_gettext": "true",
    "trim_blocks": "true",
    "lstrip_blocks": "true",
    "silent": "false",
}
LINE_WIDTH = 100
PLACEHOLDER = re.compile(r"%\(\w+\)(?:\.\d)?[sdf]|%%|\{\w*\}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="make messages", description="Update translations.")
    parser.add_argument("--check", action="store_true", help="change nothing, report problems")
    parser.add_argument("--sample", type=int, default=0, help="print so many random translations")
    parser.add_argument("--seed", type=int, help="of an earlier sample, to draw it again")
    parser.add_argument("--language", default="*", help="a folder of socialsite/locale")
    options = parser.parse_args()
    django.setup()
    if options.sample:
        seed = secrets.randbelow(10**6) if options.seed is None else options.seed
        for path in sorted(LOCALE_FOLDER.glob(f"{options.language}/LC_MESSAGES/django.po")):
            sys.stdout.writelines(sample(path, count=options.sample, seed=seed))
        return 0
    template = collect_messages()
    problems: list[object] = []
    for path in catalog_paths():
        problems += check(path, template) if options.check else update(path, template)
    if options.check:
        sys.stdout.writelines(f"{problem}\n" for problem in problems)
        return 1 if problems else 0
    sys.stdout.write(f"{len(template)} texts. Missing or fuzzy translations: {len(problems)}.\n")
    return 0


def collect_messages() -> Catalog:
    """Return a catalogue of all texts in the code and the templates, without translations."""
    catalog = Catalog(fuzzy=False)
    for folder in PYTHON_FOLDERS:
        for name, _, message, comments, context in extract_from_dir(
            ROOT / folder,
            [("**.py", "python")],
            keywords=KEYWORDS,
            comment_tags=[TRANSLATOR_COMMENT],
            strip_comment_tags=True,
        ):
            add_text(catalog, message, f"{folder}/{name}", context, comments)
    for name, _, message, comments, context in extract_from_dir(
        ROOT / "templates",
        [(f"{DJANGO_TEMPLATES}/**", "ignore"), ("**", "jinja2")],
        options_map={"**": JINJA_OPTIONS},
        keywords=KEYWORDS,
        comment_tags=[TRANSLATOR_COMMENT],
        strip_comment_tags=True,
    ):
        add_text(catalog, message, f"templates/{name}", context, comments)
    for path, message, context in _messages_of_django_templates():
        add_text(catalog, message, path, context)
    return catalog


def add_text(
    catalog: Catalog,
    message: str | tuple[str, ...],
    path: str,
    context: str | None,
    comments: Sequence[str] = (),
) -> None:
    """Add a text. Raises ValueError if the text is also used with a number, or also without one.

    A catalogue has only one entry for both, and some versions of Python (3.11.2 of Debian 12) do not find
    it without a number.
    """
    text = message if isinstance(message, str) else message[0]
    known = catalog.get(text, context)
    if known is not None and known.pluralizable is isinstance(message, str):
        raise ValueError(
            f"{text!r} in {path} is used with and without a number. Give one of them a context."
        )
    # Without line numbers, catalogues change only with the texts.
    location: Any = (path, None)
    catalog.add(message, None, [location], (), comments, context=context)


def update(path: Path, template: Catalog) -> list[Message]:
    """Add new texts to a catalogue, remove unused ones, and compile it. Return what lacks a translation."""
    catalog = updated(path, template)
    path.write_bytes(po_bytes(catalog))
    write_compiled(path, catalog)
    return [message for message in _messages(catalog) if not is_translated(message)]


def check(path: Path, template: Catalog) -> Iterator[str]:
    """Report the problems of a catalogue, one line each."""
    name = path.parent.parent.name
    catalog = updated(path, template)
    for message in _messages(catalog):
        text = message.id if isinstance(message.id, str) else message.id[0]
        if not is_translated(message):
            yield f"{name}: {'fuzzy' if message.fuzzy else 'not translated'}: {text!r}"
        elif not has_same_placeholders(message):
            yield f"{name}: other placeholders: {text!r}"
    if path.read_bytes() != po_bytes(catalog):
        yield f"{name}: django.po is not up to date: run make messages"


def sample(path: Path, *, count: int, seed: int) -> Iterator[str]:
    """Yield ``count`` random texts of a catalogue with their translations and the files that use them."""
    locale = path.parent.parent.name
    with path.open("rb") as file:
        messages = sorted(
            _messages(read_po(file, locale=locale)), key=lambda message: str(message.id)
        )
    yield f"# {locale}, seed {seed}\n"
    for message in random.Random(seed).sample(messages, min(count, len(messages))):
        files = sorted({name for name, _ in message.locations})
        context = f" ({message.context})" if message.context else ""
        yield f"\n{', '.join(files)}{context}\n  {message.id!r}\n  {message.string!r}\n"


def updated(path: Path, template: Catalog) -> Catalog:
    """Return the catalogue in the file, with exactly the texts of ``template``."""
    locale = path.parent.parent.name
    with path.open("rb") as file:
        catalog = read_po(file, locale=locale)
    catalog.update(
        template,
        no_fuzzy_matching=True,  # translators should not have to correct guesses
        update_header_comment=False,
        update_creation_date=False,
    )
    catalog.obsolete.clear()
    catalog.header_comment = f"# Texts of Socialsite in {catalog.locale.english_name}."
    catalog.fuzzy, catalog.msgid_bugs_address = False, ""
    catalog.project = catalog.last_translator = catalog.language_team = "Socialsite"
    catalog.revision_date = catalog.creation_date
    return catalog


def is_translated(message: Message) -> bool:
    texts = [message.string] if isinstance(message.id, str) else message.string or [""]
    return all(texts) and not message.fuzzy


def has_same_placeholders(message: Message) -> bool:
    """Return whether the translations can be formatted with the values for the English text.

    A form for exactly one, such as "once", need not contain the number. The last form is for any number.
    """
    texts = [message.id] if isinstance(message.id, str) else list(message.id)
    string: Any = message.string
    forms: list[str] = [string] if isinstance(message.id, str) else list(string)
    names = [set(PLACEHOLDER.findall(text)) for text in texts]
    used = [set(PLACEHOLDER.findall(form)) for form in forms]
    # Templates format every text, so a single percent sign would be an error.
    has_percent = any("%" in PLACEHOLDER.sub("", form) for form in forms)
    return (
        not has_percent
        and all(form_names <= set.union(*names) for form_names in used)
        and used[-1] >= names[-1]
    )


def po_bytes(catalog: Catalog) -> bytes:
    out = io.BytesIO()
    write_po(
        out, catalog, width=LINE_WIDTH, sort_by_file=True, include_previous=True, omit_header=False
    )
    return out.getvalue()


def _messages(catalog: Catalog) -> Iterable[Message]:
    return (message for message in catalog if message.id)


def _messages_of_django_templates() -> Iterator[tuple[str, str | tuple[str, str], str | None]]:
    """Yield ``(path, text or texts, context)`` of the templates that Django's engine renders."""
    engine = cast("DjangoTemplates", engines["django"]).engine
    for path in sorted((ROOT / "templates" / DJANGO_TEMPLATES).rglob("*.html")):
        nodes = engine.from_string(path.read_text()).nodelist
        name = str(path.relative_to(ROOT))
        node: Any
        for node in nodes.get_nodes_by_type(TranslateNode):
            context = node.message_context and _constant(node.message_context)
            yield name, _constant(node.filter_expression), context or None
        for node in nodes.get_nodes_by_type(BlockTranslateNode):
            context = node.message_context and _constant(node.message_context)
            singular = node.render_token_list(node.singular)[0]
            if node.plural:
                yield name, (singular, node.render_token_list(node.plural)[0]), context or None
            else:
                yield name, singular, context or None


def _constant(expression: FilterExpression) -> str:
    """Return the text of an expression without variables. Django wraps some of them."""
    return str(getattr(expression.var, "literal", expression.var))


if __name__ == "__main__":
    sys.exit(main())
