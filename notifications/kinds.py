"""What people are told of: a class for each kind of notification, and a template,
``notifications/kinds/<name>.html``, which says it in one sentence, on the page and in mails.

To add a kind, write its class here, or in any module that is imported when Django starts, with
``@register``, and its template; then ``services.tell`` it. docs/notifications.md has an example.
"""

from typing import ClassVar, Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Lifetime = Literal["burning", "ephemeral", "durable"]
BURNING: Lifetime = "burning"
"""Gone once read."""
EPHEMERAL: Lifetime = "ephemeral"
"""Gone when there are many newer ones, or after some time."""
DURABLE: Lifetime = "durable"
"""There for ever; old ones are found in the history."""


class Kind:
    """``label``: what many of them are called, in settings. ``by_mail``: people who are away get a mail,
    and hear of it on their devices, unless they choose otherwise. ``can_be_off``: people may choose not to
    be told at all. ``groups``: those of one post or comment, or of neither, are told in one sentence.
    ``address``: the name of the page with what it is ``about``, which takes its id. ``chosen_with``: the
    name of another kind; whoever chooses that for mails or devices chooses this too. ``app_type``: as what
    apps know it (https://docs.joinmastodon.org/entities/Notification/#type), "" where they know none."""

    name: ClassVar[str]
    label: ClassVar[str | Promise]
    icon: ClassVar[str] = "bell"
    lifetime: ClassVar[Lifetime] = EPHEMERAL
    alerts_by_default: ClassVar[bool] = False
    can_be_disabled: ClassVar[bool] = True
    is_grouped: ClassVar[bool] = False
    url_name: ClassVar[str] = ""
    api_type: ClassVar[str] = ""
    preference_of: ClassVar[str] = ""

    @property
    def preference_name(self) -> str:
        """The name under which it is chosen for mails and devices."""
        return self.preference_of or self.name

    @property
    def template(self) -> str:
        return f"notifications/kinds/{self.name}.html"


_registered: dict[str, Kind] = {}


def register(kind: type[Kind]) -> type[Kind]:
    """Class decorator: there is a kind of this name now."""
    _registered[kind.name] = kind()
    return kind


def find_kind(name: str) -> Kind | None:
    """None of a kind that is not there any more."""
    return _registered.get(name)


def kinds() -> list[Kind]:
    """All, in the order in which they were registered."""
    return list(_registered.values())


def configurable_kinds() -> list[Kind]:
    """Those that are chosen for mails and devices, each with what is chosen with it."""
    return [one for one in kinds() if not one.preference_of]


def kind_names_with_lifetime(lifetime: Lifetime) -> list[str]:
    return [one.name for one in kinds() if one.lifetime == lifetime]


@register
class Mention(Kind):
    name, label, icon = "mention", _("Mentions of you"), "at"
    lifetime, by_mail = DURABLE, True
    app_type = "mention"


@register
class Reply(Kind):
    """Somebody answered what one said to a post."""

    name, label, icon = "reply", _("Replies to your comments"), "open"
    lifetime, by_mail = DURABLE, True
    app_type = "mention"


@register
class Comment(Kind):
    name, label, icon = "comment", _("Comments on your posts"), "open"
    lifetime, by_mail, groups = DURABLE, True, True
    app_type = "mention"


@register
class ThreadComment(Kind):
    """Somebody said something where one follows what is said."""

    name, label, icon = "thread", _("Comments on posts you follow"), "open"
    groups = True
    app_type = "status"


@register
class Like(Kind):
    name, label, icon = "like", _("Likes"), "heart"
    groups = True
    app_type = "favourite"


@register
class Share(Kind):
    name, label, icon = "share", _("Shares of your posts"), "share"
    groups = True
    app_type = "reblog"


@register
class Follow(Kind):
    name, label, icon = "follow", _("New followers"), "people"
    groups = True
    app_type = "follow"


@register
class FollowRequest(Kind):
    """Somebody asks to follow; it is answered in place."""

    name, label, icon = "request", _("Requests to follow you"), "people"
    by_mail, can_be_off = True, False
    app_type = "follow_request"


@register
class FollowAccepted(Kind):
    """Somebody let one follow them."""

    name, label, icon = "accepted", _("Accepted requests of yours"), "check"
    lifetime = BURNING


@register
class OtherReview(Kind):
    """Somebody reviewed what one has reviewed too."""

    name, label, icon = "reviewed", _("Reviews of what you reviewed"), "star"
    groups = True
    app_type = "status"


@register
class Notice(Kind):
    """What moderators have to say: the ``words`` of it."""

    name, label, icon = "notice", _("Notices of the moderators"), "alert"
    lifetime, by_mail, can_be_off = DURABLE, True, False
    app_type = "moderation_warning"
