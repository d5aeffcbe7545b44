"""Kinds of notification: a class and a template, ``notifications/kinds/<name>.html``, for each.

The template renders a notification as one sentence, for the page and for mails. To add a kind, write its
class with ``@register`` here, or in any module that Django imports at startup. Then add its template and
call ``services.delivery.notify``. docs/notifications.md has an example.
"""

from collections.abc import Mapping
from typing import ClassVar, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Lifetime = Literal["burning", "ephemeral", "durable"]
BURNING: Lifetime = "burning"
"""Deleted as soon as the recipient has read the notification."""
EPHEMERAL: Lifetime = "ephemeral"
"""Deleted at the age of 90 days (``MAX_AGE``), or when 100 newer rows exist (``BOX_SIZE``)."""
DURABLE: Lifetime = "durable"
"""Never deleted. Old notifications move to the history."""


class Kind:
    """A kind of notification.

    Attributes:
        label: the name of this kind in the settings.
        alerts_by_default: whether absent recipients get a mail and a push unless they turn these off.
        can_be_disabled: whether recipients may turn this kind off.
        is_grouped: whether notifications share a sentence if they have the same post and comment.
        url_name: the URL name of the page that a notification links to, with ``target_id`` as argument.
        preference_of: another kind, whose mail and push preference also covers this kind.
    """

    name: ClassVar[str]
    label: ClassVar[str | Promise]
    icon: ClassVar[str] = "bell"
    lifetime: ClassVar[Lifetime] = EPHEMERAL
    alerts_by_default: ClassVar[bool] = False
    can_be_disabled: ClassVar[bool] = True
    is_grouped: ClassVar[bool] = False
    url_name: ClassVar[str] = ""
    preference_of: ClassVar[str] = ""

    @property
    def preference_name(self) -> str:
        """Return the name of the kind whose mail and push preference applies to this kind."""
        return self.preference_of or self.name

    @property
    def template(self) -> str:
        return f"notifications/kinds/{self.name}.html"

    @property
    def api_type(self) -> str:
        """Return the type by which apps know this kind, or "" to hide it from them."""
        return _api_types.get(self.name, "")


_registered: dict[str, Kind] = {}
_api_types: dict[str, str] = {}


def register(kind: type[Kind]) -> type[Kind]:
    """Register a kind under its name (class decorator)."""
    _registered[kind.name] = kind()
    return kind


def set_api_types(types: Mapping[str, str]) -> None:
    """Set the types by which apps know kinds, by the names of the kinds (``socialsite.api`` does)."""
    _api_types.update(types)


def find_kind(name: str) -> Kind | None:
    """Return the kind with this name, or None if no such kind is registered."""
    return _registered.get(name)


def kinds() -> list[Kind]:
    """Return all kinds in the order of registration."""
    return list(_registered.values())


def configurable_kinds() -> list[Kind]:
    """Return the kinds that have a mail and push preference of their own."""
    return [kind for kind in kinds() if not kind.preference_of]


def kind_names_with_lifetime(lifetime: Lifetime) -> list[str]:
    return [kind.name for kind in kinds() if kind.lifetime == lifetime]


@register
class Mention(Kind):
    name, label, icon = "mention", _("Mentions"), "at"
    lifetime, alerts_by_default = DURABLE, True


@register
class Reply(Kind):
    """A reply to a comment of the recipient."""

    name, label, icon = "reply", _("Replies to your comments"), "open"
    lifetime, alerts_by_default = DURABLE, True


@register
class Comment(Kind):
    name, label, icon = "comment", _("Comments on your posts"), "open"
    lifetime, alerts_by_default, is_grouped = DURABLE, True, True


@register
class ThreadComment(Kind):
    """A comment in a thread that the recipient follows."""

    name, label, icon = "thread", _("Comments on posts you follow"), "open"
    is_grouped = True


@register
class NewPost(Kind):
    """A post of a followed user of whose posts the recipient wants to be notified."""

    name, label, icon = "post", _("Posts by people you chose"), "bell"
    alerts_by_default = True


@register
class Like(Kind):
    name, label, icon = "like", _("Likes"), "heart"
    is_grouped = True


@register
class Share(Kind):
    name, label, icon = "share", _("Shares of your posts"), "share"
    is_grouped = True


@register
class Quote(Kind):
    """A post that quotes a post of the recipient."""

    name, label, icon = "quote", _("Quotes of your posts"), "quote"
    alerts_by_default = True


@register
class QuotedEdit(Kind):
    """The author of a post that the recipient quoted has edited it. The row has the quoting post."""

    name, label, icon = "quoted_edit", _("Edits of posts you quoted"), "pen"


@register
class SharedEdit(Kind):
    """The author of a post that the recipient shared has edited it."""

    name, label, icon = "shared_edit", _("Edits of posts you shared"), "pen"


@register
class Follow(Kind):
    name, label, icon = "follow", _("New followers"), "people"
    is_grouped = True


@register
class FollowRequest(Kind):
    """A follow request, which the recipient accepts or declines in place."""

    name, label, icon = "request", _("Follow requests"), "people"
    alerts_by_default, can_be_disabled = True, False


@register
class FollowAccepted(Kind):
    """A follow request of the recipient was accepted."""

    name, label, icon = "accepted", _("Accepted follow requests"), "check"
    lifetime = BURNING


@register
class OtherReview(Kind):
    """A review of a subject that the recipient also reviewed."""

    name, label, icon = "reviewed", _("Reviews of things you reviewed"), "star"
    is_grouped = True


@register
class Poll(Kind):
    """A poll ended that the recipient started or voted in. The author's own has no actor."""

    name, label, icon = "poll", _("Polls that have ended"), "chart"


@register
class RefusedPost(Kind):
    """A scheduled post of the recipient could not be published. It has become a draft."""

    name, label, icon = "refused_post", _("Scheduled posts that could not be published"), "clock"
    alerts_by_default, url_name = True, "edit_draft"


@register
class Notice(Kind):
    """A notice from the moderators. The notification carries its ``text``."""

    name, label, icon = "notice", _("Notices from moderators"), "alert"
    lifetime, alerts_by_default, can_be_disabled = DURABLE, True, False
