"""Counted texts with several numbers in all languages, and sentences that are put together from parts."""

import datetime as dt
import re

import pytest
from babel import Locale
from babel.messages.pofile import read_po
from django.conf import settings as site_settings
from django.utils import formats, timezone
from django.utils.translation import get_language, npgettext, override, to_locale

from feed.forms.posts import PostForm
from notifications.selectors.read_state import PLURAL_SAMPLES, new_notifications_texts
from socialsite.local.processes import ROOT

from .visible_text import sentence_faults

LANGUAGES = [code for code, _name in site_settings.LANGUAGES]
NUMBERS = (0, 1, 2, 5, 21)
MANY_NUMBERS = range(201)
PLACEHOLDER = re.compile(r"%\(\w+\)[sd]|\{\w+\}")
NUMBER_BEFORE_PLURAL = re.compile(
    r"(?:%[sd]|%%s|%\((?:n|count|number|shown|days|hours|minutes|seconds)\)[sd])\+? (?:new )?[a-z]+s\b"
)
CONSTANT = (
    "The limits are %(frames)d frames and %(seconds)d seconds.",
    "All pages show it within %(seconds)d seconds.",
    "Only the first %(number)s items are included.",
    "A profile has at most %(number)s fields.",
    "You already have %(count)d files in progress.",
    "You can pin up to %(number)d posts.",
    "You can have up to %(number)d filters.",
    "You can have up to %(number)d lists.",
    "A post can have up to %(count)d pictures.",
    "A post can have up to %(count)s pictures.",
    "Search for at most %(number)d words and phrases.",
    "%(n)s+ new posts since your last visit",
)
"""Parts of texts whose number is a constant larger than one."""


@pytest.fixture(scope="module")
def messages():
    """The texts of a catalog, which are those of the site: reading the code takes seconds."""
    with (ROOT / "socialsite/locale/de/LC_MESSAGES/django.po").open("rb") as file:
        return [message for message in read_po(file) if message.id]


def test_a_text_with_a_varying_number_has_plural_forms(messages):
    texts = [message.id for message in messages if isinstance(message.id, str)]
    assert len(texts) > 1000
    without_plural = [text for text in texts if NUMBER_BEFORE_PLURAL.search(text)]
    assert [text for text in without_plural if not any(part in text for part in CONSTANT)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_counted_texts_name_every_number(messages, language):
    """A form may leave the number out only if it stands for that number alone, such as "a day"."""
    faults = []
    with override(language):
        for message in messages:
            if isinstance(message.id, str):
                continue
            form_of = {n: npgettext(message.context or "", *message.id, n) for n in MANY_NUMBERS}
            expected = sorted(PLACEHOLDER.findall(message.id[1]))
            for number in NUMBERS:
                form = form_of[number]
                users = {n for n in MANY_NUMBERS if form_of[n] == form}
                is_complete = sorted(PLACEHOLDER.findall(form)) == expected
                if not (is_complete or users <= {0, 1} or users == {2}):
                    faults.append((number, form))
    assert faults == []


def test_english_counts_one_thing_as_one_thing(messages):
    same = {
        message.id[0]
        for message in messages
        if not isinstance(message.id, str) and message.id[0] == message.id[1]
    }
    nouns = re.compile(r"%\((?:n|count|number|shown|people)\)[sd] (?:\w+ )?\w+s\b")
    shown_from_1000 = {"Delivered to all %(people)s followers"}
    assert {text for text in same if nouns.search(text)} == shown_from_1000


@pytest.mark.parametrize("language", LANGUAGES)
def test_scripts_choose_the_form_of_a_number_as_the_server_does(language):
    assert set(PLURAL_SAMPLES) == {"zero", "one", "two", "few", "many", "other"}
    locale = Locale.parse(to_locale(language))
    with override(language):
        texts = new_notifications_texts()
        for number in MANY_NUMBERS[1:]:
            text = npgettext(
                "", "%(count)d new notification", "%(count)d new notifications", number
            )
            shown = texts[locale.plural_form(number)].replace("%s", str(number))
            assert shown == text % {"count": number}


def test_english_says_one_new_notification():
    with override("en"):
        assert new_notifications_texts()["one"] == "%s new notification"


@pytest.mark.parametrize(
    ("seconds", "length"), [(300, "5 minutes"), (60, "1 minute"), (45, "45 seconds")]
)
def test_the_composer_says_how_long_a_clip_may_be(settings, seconds, length):
    settings.CLIP_MAX_SECONDS = seconds
    assert PostForm().max_clip_length == length


@pytest.mark.parametrize("language", LANGUAGES)
def test_dates_and_times_do_not_end_with_a_full_stop(language):
    """Sentences end with them, and add a full stop of their own."""
    with override(language):
        assert get_language() == language
        for hour in (0, 10, 12, 22):
            moment = dt.datetime(2026, 9, 3, hour, 52, tzinfo=timezone.get_current_timezone())
            for name in ("DATE_FORMAT", "TIME_FORMAT", "DATETIME_FORMAT", "YEAR_MONTH_FORMAT"):
                assert formats.date_format(moment, name)[-1].isalnum()


def test_texts_of_the_style_sheets_do_not_end_with_a_space():
    """A box drops this space: the text stuck to the next one ("1m ·edited")."""
    sheets = sorted((ROOT / "socialsite").glob("static*/css/*.css"))
    contents = [
        text for path in sheets for text in re.findall(r'content: "([^"]*)"', path.read_text())
    ]
    assert len(contents) > 2
    assert [text for text in contents if text != text.strip()] == []


@pytest.mark.parametrize(
    "text",
    [
        "Logged in on Nov. 3, 2026, 10:52 a.m.. Last active",
        "1m ·edited",
        "Saved .",
        "Saved.Reload the page",
        "Alice , Bob",
        "Likes: , shares",
    ],
)
def test_faults_of_sentences_are_noticed(text):
    assert sentence_faults(text)


@pytest.mark.parametrize(
    "text",
    [
        "Nov. 3, 2026, 10:52 AM. Last active today…",
        "1m · edited",
        "Really? Yes! (Twice.)",
        "example.org, @alice.b and 1.5",
        "from:alice, has:picture",
    ],
)
def test_good_sentences_have_no_faults(text):
    assert sentence_faults(text) == []


def test_only_names_and_addresses_are_written_from_left_to_right():
    """The class ``handle`` writes its text from left to right, which misplaces numbers in other texts."""
    templates = [path.read_text() for path in (ROOT / "templates").rglob("*.html")]
    texts = [text for html in templates for text in re.findall(r'class="handle">(.{2,30})', html)]
    assert len(texts) > 20
    assert [
        text for text in texts if not re.match(r"@|\{\{ (card\.host|post\.row\.details\.url)", text)
    ] == []


def test_names_and_hashtags_stay_together_in_arabic():
    """A sign in front of Latin letters needs a mark (U+200E), unless an element isolates the name."""
    path = ROOT / "socialsite/locale/ar/LC_MESSAGES/django.po"
    with path.open("rb") as file:
        strings = [text for message in read_po(file) for text in _strings(message)]
    assert len(strings) > 2000
    assert [text for text in strings if re.search(r"(?<![\u200e>])[@#]%\(", text)] == []


def _strings(message):
    return message.string if isinstance(message.string, tuple) else (message.string,)
