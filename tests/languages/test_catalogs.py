"""The tool for translations finds what is missing, and overriding a text works."""

import io

import pytest
from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation import gettext, ngettext, override

from tests.check_templates import unmarked_texts

from . import messages


@pytest.fixture
def template():
    catalog = Catalog(fuzzy=False)
    catalog.add("Save", locations=[("templates/a.html", None)])
    catalog.add(("%(n)s post", "%(n)s posts"), locations=[("feed/b.py", None)])
    catalog.add("Open", context="cases", locations=[("feed/b.py", None)])
    return catalog


@pytest.fixture
def path(tmp_path, template):
    """A complete German catalogue."""
    path = tmp_path / "de" / "LC_MESSAGES" / "django.po"
    path.parent.mkdir(parents=True)
    path.touch()
    messages.update(path, template)
    fill(path, {"Save": "Sichern", "Open": "Offen", "%(n)s post": ("%(n)s Post", "%(n)s Posts")})
    messages.update(path, template)
    return path


def fill(path, translations, flags=()):
    with path.open("rb") as file:
        catalog = read_po(file, locale="de")
    for message in catalog:
        key = message.id if isinstance(message.id, str) else message.id[0]
        if key in translations:
            message.string = translations[key]
            message.flags |= set(flags)
    with path.open("wb") as file:
        write_po(file, catalog)


@pytest.mark.parametrize("texts", [("post", ("post", "posts")), (("post", "posts"), "post")])
def test_a_text_with_and_without_a_number_needs_a_context(texts):
    catalog = Catalog(fuzzy=False)
    messages.add_text(catalog, texts[0], "feed/a.py", None)
    messages.add_text(catalog, texts[0], "feed/b.py", None)
    messages.add_text(catalog, texts[1], "feed/b.py", "after a number")
    with pytest.raises(ValueError, match=r"'post' in feed/c\.py is used with and without a number"):
        messages.add_text(catalog, texts[1], "feed/c.py", None)


def problems(path, template):
    return list(messages.check(path, template))


def test_a_complete_catalog_has_no_problems(path, template):
    assert problems(path, template) == []
    assert messages.update(path, template) == []


@pytest.mark.parametrize(
    ("translations", "flags", "problem"),
    [
        ({"Save": ""}, (), "de: not translated: 'Save'"),
        ({"Save": "Sichern"}, ("fuzzy",), "de: fuzzy: 'Save'"),
        ({"%(n)s post": ("%(n)s Post", "")}, (), "de: not translated: '%(n)s post'"),
        ({"%(n)s post": ("%(n)s Post", "%(m)s Posts")}, (), "de: other placeholders: '%(n)s post'"),
        ({"%(n)s post": ("%(n)d Post", "%(n)s Posts")}, (), "de: other placeholders: '%(n)s post'"),
    ],
)
def test_problems_of_a_translation_are_reported(path, template, translations, flags, problem):
    fill(path, translations, flags)
    assert any(line.startswith(problem) for line in problems(path, template))


def test_a_new_text_is_missing_until_it_is_translated(path, template):
    template.add("Publish", locations=[("templates/a.html", None)])
    assert "de: not translated: 'Publish'" in problems(path, template)
    assert [message.id for message in messages.update(path, template)] == ["Publish"]
    assert "Sichern" in path.read_text()


def test_a_text_that_is_no_longer_used_is_removed(path):
    smaller = Catalog(fuzzy=False)
    smaller.add("Save", locations=[("templates/a.html", None)])
    assert "de: django.po is not up to date: run make messages" in problems(path, smaller)
    messages.update(path, smaller)
    assert "Posts" not in path.read_text()
    assert problems(path, smaller) == []


def test_a_sample_can_be_drawn_again(path):
    first = list(messages.sample(path, count=2, seed=7))
    assert first == list(messages.sample(path, count=2, seed=7))
    assert first[0] == "# de, seed 7\n"
    assert len(first) == 3
    assert len(list(messages.sample(path, count=100, seed=7))) == 4


@pytest.mark.parametrize(
    "source",
    [
        "<p>Hello</p>",
        "<p>{{ name }} said</p>",
        '<img alt="A picture">',
        '<a aria-label="Close {{ name }}">x</a>',
        '{% if x %}<b title="Yes">{{ _("Yes") }}</b>{% endif %}',
        "Dear {{ name }},",
        '{{ _("Marked") }} and not',
    ],
)
def test_unmarked_texts_of_templates_are_found(source):
    assert list(unmarked_texts(source))


@pytest.mark.parametrize(
    "source",
    [
        '<p class="text">{{ _("Hello") }} · {{ count }}</p>',
        "{% trans name=user.name %}Posts by <b>{{ name }}</b>{% pluralize n %}Posts{% endtrans %}",
        "{% blocktranslate with a=b %}Posts by {{ a }}{% endblocktranslate %}",
        "{# A comment. #}<script>let word = 1;</script><kbd>Ctrl</kbd>",
        '<input type="hidden" name="next" value="home"><svg><title>Logo</title></svg>',
    ],
)
def test_marked_texts_and_markup_are_no_problem(source):
    assert list(unmarked_texts(source)) == []


def test_an_administrator_can_replace_single_texts(settings, tmp_path):
    catalog = Catalog(locale="de")
    catalog.add("Explore", "Herumstöbern")
    compiled = io.BytesIO()
    write_mo(compiled, catalog)
    folder = tmp_path / "de" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    (folder / "django.mo").write_bytes(compiled.getvalue())
    about = _german("About")
    settings.LOCALE_PATHS = [tmp_path]
    assert _german("Explore") == "Herumstöbern"
    assert _german("About") == about != "About"


def _german(text):
    with override("de"):
        return gettext(text)


def test_arabic_has_more_than_two_plural_forms():
    with override("ar"):
        forms = {ngettext("%(n)d minute", "%(n)d minutes", number) for number in (1, 2, 103, 11)}
    assert len(forms) == 4
