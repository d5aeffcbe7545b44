"""What a post can be: a class for each kind of activity, and a template, ``feed/kinds/<name>.html``.

To add a kind, write its class here, or in any module that is imported when Django starts, with
``@register``, and its template. ``Post.kind`` names it; ``Post.details`` holds what it has beside its text.
"""

from typing import Any, ClassVar
from unicodedata import category

from django import forms
from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from accounts.forms import SingleLineField

from .text.phrases import normalize_text
from .text.urls import host_of

Details = dict[str, Any]
Attribute = dict[str, Any]
MAX_STARS = 5


class Activity:
    """``label``: what many of them are called; ``title``: one, in the composer. ``is_written``: people
    write it; other kinds follow from what they do. ``is_doing``: it only tells of something done, and
    nobody is told what they did themselves. ``fields``: what the composer asks besides."""

    name: ClassVar[str]
    plural_label: ClassVar[str | Promise]
    singular_label: ClassVar[str | Promise] = ""
    is_written: ClassVar[bool] = True
    is_side_effect: ClassVar[bool] = False
    fields: ClassVar[dict[str, forms.Field]] = {}

    @property
    def template(self) -> str:
        return f"feed/kinds/{self.name}.html"

    def clean_details(self, cleaned_data: dict[str, Any]) -> Details:
        """Of the cleaned ``fields``, what is kept. Raises ValidationError."""
        return {name: cleaned_data[name] for name in self.fields}

    def attributes(self, details: Details) -> list[Attribute]:
        """What it is about besides what its text says, as in ``Post.entities``."""
        return []

    def named_uids(self, details: Details) -> list[int]:
        """The uids of those it shows by name."""
        return []

    def extra_text(self, details: Details) -> str:
        """What it says besides its text, in one line."""
        return ""


_registered: dict[str, Activity] = {}


def register_kind(kind: type[Activity]) -> type[Activity]:
    """Class decorator: there is a kind of this name now."""
    _registered[kind.name] = kind()
    return kind


def activity_kind(name: str) -> Activity:
    """The kind of this name; of a kind that is not there any more, a plain note."""
    return _registered.get(name, _registered[Note.name])


def kinds() -> list[Activity]:
    """All, in the order in which they were registered."""
    return list(_registered.values())


def home_kinds() -> list[Activity]:
    """Those that this site brings to home timelines (``FEED_KINDS``)."""
    return [one for one in kinds() if one.name in settings.FEED_KINDS]


@register_kind
class Note(Activity):
    name = "note"
    label = _("Posts")
    title = _("Post")


@register_kind
class Link(Activity):
    """A page somewhere else: ``{url, host}``."""

    name = "link"
    label = _("Links")
    title = _("Link")
    fields = {
        "url": forms.URLField(
            label=_("Address of the page"),
            max_length=2000,
            assume_scheme="https",
            # A field of type "url" would make the browser refuse an address without its scheme.
            widget=forms.TextInput({"inputmode": "url", "autocapitalize": "none"}),
        )
    }

    def details(self, given: dict[str, Any]) -> Details:
        host = host_of(given["url"])
        # It is shown as it is, and must not turn or hide anything.
        shows = not any(category(one).startswith("C") for one in given["url"])
        is_web = given["url"].lower().startswith(("http://", "https://"))
        if not (host and shows and is_web):
            raise forms.ValidationError({"url": _("This is no address of a page.")})
        return {"url": given["url"], "host": host}

    def entities(self, details: Details) -> list[Attribute]:
        return [{"kind": "host", "value": details["host"]}]

    def words(self, details: Details) -> str:
        return str(details["url"])


@register_kind
class Review(Activity):
    """What somebody thinks of a thing: ``{title, item, stars}``, 1 to 5 stars."""

    ITEMS = (
        ("book", _("Book")),
        ("film", _("Film or series")),
        ("music", _("Music")),
        ("game", _("Game")),
        ("place", _("Place")),
        ("other", _("Something else")),
    )

    name = "review"
    label = _("Reviews")
    title = _("Review")
    fields = {
        "title": SingleLineField(label=_("What it is called"), max_length=120),
        "item": forms.ChoiceField(label=_("What it is"), choices=ITEMS),
        "stars": forms.TypedChoiceField(
            label=_("Stars"),
            choices=[(n, "★" * n + "☆" * (MAX_STARS - n)) for n in range(MAX_STARS, 0, -1)],
            coerce=int,
        ),
    }

    def entities(self, details: Details) -> list[Attribute]:
        return [{"kind": "item", "value": f"{details['item']}:{normalize_text(details['title'])}"}]

    def words(self, details: Details) -> str:
        return str(details["title"])


@register_kind
class Share(Activity):
    """Somebody's post, brought to one's own followers: ``Post.share_of``."""

    name = "share"
    label = _("What people share")
    is_written = False


@register_kind
class Comment(Activity):
    """A post to which one has said something, ``Post.share_of``: ``{comment}``."""

    name = "comment"
    label = _("What people comment on")
    is_written, is_doing = False, True


@register_kind
class Follow(Activity):
    """Whom one has followed: ``{followee}``."""

    name = "follow"
    label = _("Whom people follow")
    is_written, is_doing = False, True

    def people(self, details: Details) -> list[int]:
        return [int(details["followee"])]
