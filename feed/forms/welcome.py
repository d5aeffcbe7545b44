"""Forms of the steps after sign-up."""

from collections.abc import Callable
from typing import Any

from django import forms
from django.utils.translation import gettext as _

from accounts.infra.cursors import parse_id
from feed.models import MAX_TEXT_LENGTH
from feed.text.hashtags import is_tag_key, normalize_tag

MAX_TAGS, MAX_PEOPLE = 300, 50
"""Maximum numbers of values in one form, more than any page shows."""


class ValuesField(forms.Field):
    """All values of a parameter that may occur several times. Refuses more than ``max_count`` values."""

    widget = forms.MultipleHiddenInput

    def __init__(self, parse: Callable[[str], Any], max_count: int) -> None:
        self._parse, self._max_count = parse, max_count
        super().__init__(required=False)

    def to_python(self, value: Any) -> list[Any]:
        values = list(value or ())
        if len(values) > self._max_count:
            raise forms.ValidationError("Too many values.")
        return [self._parse(text) for text in values]


def _parse_tag(text: str) -> str:
    key = normalize_tag(text) if len(text) <= MAX_TEXT_LENGTH else ""
    if not is_tag_key(key):
        raise forms.ValidationError("Not a hashtag.")
    return key


def _parse_uid(text: str) -> int:
    uid = parse_id(text)
    if uid is None:
        raise forms.ValidationError("Not an id.")
    return uid


class ChoicesForm(forms.Form):
    @property
    def error(self) -> str:
        """Return the text for the user, "" if there is no error. Only hostile input has invalid values."""
        if not self.errors:
            return ""
        return str(next(iter(self.non_field_errors()), "") or _("Choose from the list."))


class TopicsForm(ChoicesForm):
    """The chosen hashtags, ``tag``, and all hashtags of the page, ``shown``."""

    tag = ValuesField(_parse_tag, MAX_TAGS)
    shown = ValuesField(_parse_tag, MAX_TAGS)


class PeopleForm(ChoicesForm):
    """The chosen users, ``uid``, and all users of the page, ``shown``. ``all`` chooses all of them."""

    uid = ValuesField(_parse_uid, MAX_PEOPLE)
    shown = ValuesField(_parse_uid, MAX_PEOPLE)
    all = forms.BooleanField(required=False)

    @property
    def chosen_uids(self) -> list[int]:
        data = self.cleaned_data
        uids: list[int] = data["shown"] if data["all"] else data["uid"]
        return uids
