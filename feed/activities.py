"""Activity kinds: a class and a template, ``feed/kinds/<name>.html``, for each kind of post.

To add a kind, write a class with ``@register_kind`` and a template. The classes of kinds that viewers
answer, such as polls, are in ``feed.kinds``. ``Post.kind`` stores the name of the kind. ``Post.details``
stores the data of the kind, except the text.
"""

from collections.abc import Collection, Mapping
from copy import deepcopy
from typing import Any, ClassVar
from unicodedata import category

from django import forms
from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.forms import SingleLineField
from accounts.infra.refusals import Refused

from .text.phrases import normalize_text
from .text.urls import host_of

Details = dict[str, Any]
Attribute = dict[str, Any]
MAX_STARS = 5
POST_BODY = "feed/_post_body.html"


class CannotAnswer(Refused):
    """The answer is not accepted. The message is shown to the user."""


class HasAnswered(CannotAnswer):
    """The user has already answered."""


class AnswersClosed(CannotAnswer):
    """The post takes no more answers, is hidden, or was changed after the caller read it."""


def choices_mask(numbers: Collection[int]) -> int:
    """Return the bit mask of the choices of an answer, which are numbered from 0."""
    return sum(1 << number for number in set(numbers))


def numbers_in(mask: int) -> tuple[int, ...]:
    """Return the numbers of the choices in a bit mask, in ascending order."""
    return tuple(number for number in range(mask.bit_length()) if mask >> number & 1)


class Activity:
    """A kind of activity.

    Attributes:
        plural_label, singular_label: the names of the kind in settings and in the composer.
        is_written: True if users write posts of this kind, False if the site creates the posts.
        is_side_effect: True if a post only reports an action of its author. The author does not see
            such posts in the home timeline.
        fields: fields that the composer shows in addition to the text.
        is_question: True if the text is a question, which is required, and the fields follow the text.
        is_editable: True if edits change the details, not only the text.
        takes_answers: True if posts show a card, ``card_template``, that viewers answer.
            Their details have ``counts`` of answers by choice, ``voters``, and ``ends_at``.
        is_in_home: True if home timelines show the kind on sites that do not set ``FEED_HOME_KINDS``.
        show_label: the link to a quoted post with a card.
        addition_refusal: the message to apps that add the kind to a published post.
        versioned: names of the details that the history shows after ``version_label``.
        edit_help: what the form to edit the post says below the fields.
    """

    name: ClassVar[str]
    plural_label: ClassVar[str | Promise]
    singular_label: ClassVar[str | Promise] = ""
    is_written: ClassVar[bool] = True
    is_side_effect: ClassVar[bool] = False
    fields: ClassVar[dict[str, forms.Field]] = {}
    is_question: ClassVar[bool] = False
    is_editable: ClassVar[bool] = False
    takes_answers: ClassVar[bool] = False
    is_in_home: ClassVar[bool] = True
    show_label: ClassVar[str | Promise] = ""
    addition_refusal: ClassVar[str | Promise] = ""
    versioned: ClassVar[tuple[str, ...]] = ()
    version_label: ClassVar[str | Promise] = ""
    edit_help: ClassVar[str | Promise] = ""

    @property
    def requires_text(self) -> bool:
        """Return whether a post of this kind without pictures needs a text."""
        return self.is_question or not self.fields

    @property
    def template(self) -> str:
        """Return the template of a post. That of a kind without an own one is ``POST_BODY``."""
        return f"feed/kinds/{self.name}.html"

    @property
    def card_template(self) -> str:
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

    def edit_fields(self, details: Details) -> dict[str, forms.Field]:
        """Return the fields of a form that edits ``details``."""
        return self.form_fields(self.field_values(details))

    def changed_details(self, *, old: Details, new: Details) -> Details:
        """Return the details after an edit. If this is ``new`` itself, the edit deletes all answers."""
        return old

    def version_details(self, details: Details) -> Details:
        """Return the details that earlier versions of a post keep."""
        return {name: details[name] for name in self.versioned}

    def version_lines(self, details: Mapping[str, Any]) -> list[str]:
        """Return the lines of the history for the ``version_details`` of a version."""
        values = [details[name] for name in self.versioned if name in details]
        return [
            line for value in values for line in (value if isinstance(value, list) else [value])
        ]

    def choice_texts(self, details: Details) -> list[str]:
        """Return the texts of the choices that viewers have."""
        return list(details.get("choices", ()))

    def answer_card(self, details: Details, *, answer: int, is_own: bool, has_viewer: bool) -> Any:
        """Return the ``kinds.AnswerCard`` of a post, or None if it takes no answers.

        ``answer``: the viewer's choices as a bit mask, 0 without an answer.
        """
        return None

    def attributes(self, details: Details) -> list[Attribute]:
        """Return the attributes of ``details``. The attributes of the text are added elsewhere."""
        return []

    def named_uids(self, details: Details) -> list[int]:
        """Return the uids of users whose names the template shows."""
        return []

    def public_details(self, details: Details, card: Any) -> Details:
        """Return the details that apps get. ``card`` is the ``answer_card``."""
        return details

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
    """Return all kinds in order of registration, but those that users write first."""
    return sorted(_registered.values(), key=lambda kind: not kind.is_written)


def kinds_with_fields() -> list[Activity]:
    """Return the kinds that users write and find with ``has:``, besides notes."""
    return [kind for kind in kinds() if kind.fields]


def home_kinds() -> list[Activity]:
    """Return the kinds that home timelines on this site show (``FEED_HOME_KINDS``)."""
    names = settings.FEED_HOME_KINDS
    return [kind for kind in kinds() if (kind.name in names if names else kind.is_in_home)]


@register_kind
class Note(Activity):
    name = "note"
    plural_label = _("Posts")
    singular_label = _("Post")
    template = POST_BODY


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


@register_kind
class Share(Activity):
    """A share of the post ``Post.share_of``, delivered to the sharer's followers."""

    name = "share"
    plural_label = _("Shared posts")
    is_written = False
    template = POST_BODY


@register_kind
class Comment(Activity):
    """A report that the author commented on the post ``Post.share_of``.

    Its details are ``{comment}``, the id of the comment.
    """

    name = "comment"
    plural_label = _("Posts people commented on")
    is_written, is_side_effect, is_in_home = False, True, False
    template = POST_BODY


@register_kind
class Follow(Activity):
    """A report that the author followed a user. Its details are ``{followee}``, a uid."""

    name = "follow"
    plural_label = _("New follows")
    is_written, is_side_effect, is_in_home = False, True, False

    def named_uids(self, details: Details) -> list[int]:
        return [int(details["followee"])]
