"""What a post can be: a class for each kind of activity, and a template, ``feed/kinds/<name>.html``.

To add a kind, write the class here (or in any module that is imported when Django starts) with
``@register``, and its template. ``Post.kind`` names it, ``Post.details`` holds what it has beside its text.
"""

from typing import Any, ClassVar

from django.conf import settings
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from .text.matching import key

Details = dict[str, Any]
Entity = dict[str, Any]


class Activity:
    """``is_written``: people write it; the others follow from what they do. ``is_listed``: it stands in
    everybody's timeline, not only in those of followers."""

    name: ClassVar[str]
    label: ClassVar[str | Promise]
    is_written: ClassVar[bool] = True
    is_listed: ClassVar[bool] = True

    @property
    def template(self) -> str:
        return f"feed/kinds/{self.name}.html"

    def entities(self, details: Details) -> list[Entity]:
        """What it is about besides what its text says, as in ``Post.entities``."""
        return []

    def people(self, details: Details) -> list[int]:
        """The uids of those it shows by name."""
        return []


_registered: dict[str, Activity] = {}


def register(kind: type[Activity]) -> type[Activity]:
    """Class decorator: there is a kind of this name now."""
    _registered[kind.name] = kind()
    return kind


def activity(name: str) -> Activity:
    """The kind of this name; of a kind that is not there any more, a plain note."""
    return _registered.get(name, _registered[Note.name])


def kinds() -> list[Activity]:
    """All, in the order in which they were registered."""
    return list(_registered.values())


def distributed() -> list[Activity]:
    """Those that this site brings to home timelines (``FEED_KINDS``)."""
    return [one for one in kinds() if one.name in settings.FEED_KINDS]


@register
class Note(Activity):
    name = "note"
    label = _("Posts")


@register
class Link(Activity):
    """A page somewhere else: ``{url, host}``."""

    name = "link"
    label = _("Links")

    def entities(self, details: Details) -> list[Entity]:
        return [{"kind": "host", "value": details["host"]}]


@register
class Review(Activity):
    """What somebody thinks of a thing: ``{title, item, stars}``, 1 to 5 stars."""

    name = "review"
    label = _("Reviews")

    def entities(self, details: Details) -> list[Entity]:
        return [{"kind": "item", "value": f"{details['item']}:{key(details['title'])}"}]


@register
class Share(Activity):
    """Somebody's post, brought to one's own followers (``Post.share_of``)."""

    name = "share"
    label = _("What people share")
    is_written = is_listed = False


@register
class Comment(Activity):
    """Somebody's post to which one has said something (``Post.share_of``)."""

    name = "comment"
    label = _("What people comment on")
    is_written = is_listed = False


@register
class Follow(Activity):
    """Whom one has followed: ``{followee}``."""

    name = "follow"
    label = _("Whom people follow")
    is_written = is_listed = False

    def people(self, details: Details) -> list[int]:
        return [details["followee"]]
