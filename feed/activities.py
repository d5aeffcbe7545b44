"""Activity kinds: a class and a template, ``feed/kinds/<name>.html``, for each kind of post.

To add a kind, write a class with ``@register_kind`` and a template. The class may be here or in any module
that Django imports at startup. ``Post.kind`` stores the name of the kind. ``Post.details`` stores the data
of the kind, except the text.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, ClassVar
from unicodedata import category

from django import forms
from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.forms import SingleLineField
from accounts.infra.rate_limits import format_duration

from . import poll_details
from .text.phrases import normalize_text
from .text.urls import host_of

Details = dict[str, Any]
Attribute = dict[str, Any]
MAX_STARS = 5


class Activity:
    """A kind of activity.

    Attributes:
        plural_label, singular_label: the names of the kind in settings and in the composer.
        is_written: True if users write posts of this kind, False if the site creates the posts.
        is_side_effect: True if a post only reports an action of its author. The author does not see
            such posts in the home timeline.
        fields: fields that the composer shows in addition to the text.
        is_question: True if the text is a question, which is required, and the fields follow the text.
    """

    name: ClassVar[str]
    plural_label: ClassVar[str | Promise]
    singular_label: ClassVar[str | Promise] = ""
    is_written: ClassVar[bool] = True
    is_side_effect: ClassVar[bool] = False
    fields: ClassVar[dict[str, forms.Field]] = {}
    is_question: ClassVar[bool] = False

    @property
    def requires_text(self) -> bool:
        """Return whether a post of this kind without pictures needs a text."""
        return self.is_question or not self.fields

    @property
    def template(self) -> str:
        return f"feed/kinds/{self.name}.html"

    def clean_details(self, cleaned_data: dict[str, Any]) -> Details:
        """Return ``Post.details`` for the cleaned values of ``fields``. Raises ValidationError."""
        return {name: cleaned_data[name] for name in self.fields}

    def form_fields(self, values: Mapping[str, Any]) -> dict[str, forms.Field]:
        """Return copies of ``fields`` for a form that starts with stored ``values``."""
        return deepcopy(self.fields)

    def build_details(self, values: dict[str, Any]) -> Details:
        """Return ``Post.details`` for stored values of ``fields``. Raises ValidationError."""
        form = type("ValuesForm", (forms.Form,), self.form_fields(values))(values)
        if not form.is_valid():
            raise forms.ValidationError(form.errors)
        return self.clean_details(form.cleaned_data)

    def field_values(self, details: Details) -> dict[str, Any]:
        """Return the values of ``fields`` for ``details``, to write the post again."""
        return details

    def attributes(self, details: Details) -> list[Attribute]:
        """Return the attributes of ``details``. The attributes of the text are added elsewhere."""
        return []

    def named_uids(self, details: Details) -> list[int]:
        """Return the uids of users whose names the template shows."""
        return []

    def extra_text(self, details: Details) -> str:
        """Return the text in ``details``, such as the title of a review, or "" if there is none."""
        return ""

    def full_text(self, details: Details) -> str:
        """Return all text in ``details``, for filters and moderators, or "" if there is none."""
        return self.extra_text(details)


_registered: dict[str, Activity] = {}


def register_kind(kind: type[Activity]) -> type[Activity]:
    """Register the decorated class as a kind."""
    _registered[kind.name] = kind()
    return kind


def activity_kind(name: str) -> Activity:
    """Return the kind with this name, or ``Note`` if no such kind is registered any more."""
    return _registered.get(name, _registered[Note.name])


def kinds() -> list[Activity]:
    """Return all kinds, in order of registration."""
    return list(_registered.values())


def home_kinds() -> list[Activity]:
    """Return the kinds that home timelines on this site show (``FEED_HOME_KINDS``)."""
    return [kind for kind in kinds() if kind.name in settings.FEED_HOME_KINDS]


@register_kind
class Note(Activity):
    name = "note"
    plural_label = _("Posts")
    singular_label = _("Post")


@register_kind
class Link(Activity):
    """A link to a page on another site. Its details are ``{url, host}``."""

    name = "link"
    plural_label = _("Links")
    singular_label = _("Link")
    fields = {
        "url": forms.URLField(
            label=_("Web address (URL)"),
            max_length=2000,
            assume_scheme="https",
            # With type="url", the browser would refuse an address without "https://".
            widget=forms.TextInput({"inputmode": "url", "autocapitalize": "none"}),
        )
    }

    def clean_details(self, cleaned_data: dict[str, Any]) -> Details:
        url = cleaned_data["url"]
        host = host_of(url)
        # Pages show the whole address. Control characters could hide or reverse parts of the address.
        is_printable = not any(category(char).startswith("C") for char in url)
        is_web = url.lower().startswith(("http://", "https://"))
        if not (host and is_printable and is_web):
            raise forms.ValidationError(
                {"url": _("Enter a valid web address, such as https://example.org.")}
            )
        return {"url": url, "host": host}

    def attributes(self, details: Details) -> list[Attribute]:
        return [{"kind": "host", "value": details["host"]}]

    def extra_text(self, details: Details) -> str:
        return str(details["url"])


@register_kind
class Review(Activity):
    """A review of a book, film or the like. Its details are ``{title, item, stars}``, with 1 to 5 stars."""

    ITEMS = (
        ("book", _("Book")),
        ("film", _("Film or series")),
        ("music", _("Music")),
        ("game", _("Game")),
        ("place", _("Place")),
        ("other", _("Other")),
    )

    name = "review"
    plural_label = _("Reviews")
    singular_label = _("Review")
    fields = {
        "title": SingleLineField(label=_("Title"), max_length=120),
        "item": forms.ChoiceField(label=_("Type"), choices=ITEMS),
        "stars": forms.TypedChoiceField(
            label=_("Rating"),
            choices=[(n, "★" * n + "☆" * (MAX_STARS - n)) for n in range(MAX_STARS, 0, -1)],
            coerce=int,
        ),
    }

    def attributes(self, details: Details) -> list[Attribute]:
        return [{"kind": "item", "value": f"{details['item']}:{normalize_text(details['title'])}"}]

    def extra_text(self, details: Details) -> str:
        return str(details["title"])


def _choice_field(number: int) -> forms.Field:
    return SingleLineField(
        label=_("Choice %(number)d") % {"number": number}
        if number <= poll_details.MIN_CHOICES
        else _("Choice %(number)d (optional)") % {"number": number},
        max_length=poll_details.MAX_CHOICE_LENGTH,
        required=number <= poll_details.MIN_CHOICES,
    )


@register_kind
class Poll(Activity):
    """A question with choices (``poll_details``). Votes are in ``store.polls``."""

    DURATIONS = (
        (300, _("5 minutes")),
        (3600, _("1 hour")),
        (6 * 3600, _("6 hours")),
        (86_400, _("1 day")),
        (3 * 86_400, _("3 days")),
        (7 * 86_400, _("7 days")),
        (30 * 86_400, _("30 days")),
    )
    CHOICE_NAMES = tuple(f"choice_{n}" for n in range(1, poll_details.MAX_CHOICES + 1))

    name = "poll"
    plural_label = _("Polls")
    singular_label = _("Poll")
    is_question = True
    fields = {
        **{name: _choice_field(number) for number, name in enumerate(CHOICE_NAMES, 1)},
        "duration": forms.TypedChoiceField(
            label=_("Duration"), choices=DURATIONS, coerce=int, initial=86_400
        ),
        "is_multiple": forms.BooleanField(label=_("Allow several choices"), required=False),
        "hides_totals": forms.BooleanField(
            label=_("Hide results until the poll ends"), required=False
        ),
    }

    def clean_details(self, cleaned_data: dict[str, Any]) -> Details:
        choices = {name: cleaned_data[name] for name in self.CHOICE_NAMES if cleaned_data[name]}
        for name, text in choices.items():
            if list(choices.values()).index(text) != list(choices).index(name):
                raise forms.ValidationError({name: _("Two choices are the same.")})
        return poll_details.new_details(
            choices=list(choices.values()),
            is_multiple=cleaned_data["is_multiple"],
            hides_totals=cleaned_data["hides_totals"],
            seconds=cleaned_data["duration"],
        )

    def form_fields(self, values: Mapping[str, Any]) -> dict[str, forms.Field]:
        fields = super().form_fields(values)
        duration = values.get("duration")
        if isinstance(duration, int) and duration not in dict(self.DURATIONS):
            # An app chose a duration that pages do not offer.
            chosen = (duration, format_duration(seconds=duration))
            fields["duration"] = forms.TypedChoiceField(
                label=_("Duration"), choices=[*self.DURATIONS, chosen], coerce=int
            )
        return fields

    def field_values(self, details: Details) -> dict[str, Any]:
        return {
            **dict(zip(self.CHOICE_NAMES, details["choices"], strict=False)),
            "is_multiple": details["is_multiple"],
            "hides_totals": details["hides_totals"],
        }

    def full_text(self, details: Details) -> str:
        return "\n".join(details["choices"])


@register_kind
class Share(Activity):
    """A share of the post ``Post.share_of``, delivered to the sharer's followers."""

    name = "share"
    plural_label = _("Shared posts")
    is_written = False


@register_kind
class Comment(Activity):
    """A report that the author commented on the post ``Post.share_of``.

    Its details are ``{comment}``, the id of the comment.
    """

    name = "comment"
    plural_label = _("Posts people commented on")
    is_written, is_side_effect = False, True


@register_kind
class Follow(Activity):
    """A report that the author followed a user. Its details are ``{followee}``, a uid."""

    name = "follow"
    plural_label = _("New follows")
    is_written, is_side_effect = False, True

    def named_uids(self, details: Details) -> list[int]:
        return [int(details["followee"])]
