"""Kinds of notification: a ``Kind`` and a template, ``notifications/kinds/<name>.html``, for each.

The template renders a notification as one sentence, for the page and for mails. To add a kind, register it
here, or in any module that Django imports at startup. Then add its template and call
``services.delivery.notify``. docs/notifications.md has an example.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Lifetime = Literal["burning", "ephemeral", "durable"]
BURNING: Lifetime = "burning"
"""Deleted as soon as the recipient has read the notification."""
EPHEMERAL: Lifetime = "ephemeral"
"""Deleted at the age of 90 days (``MAX_AGE``), or when 100 newer rows exist (``BOX_SIZE``)."""
DURABLE: Lifetime = "durable"
"""Never deleted. Old notifications move to the history."""


@dataclass(frozen=True, slots=True)
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

    name: str
    label: str | Promise
    icon: str = "bell"
    lifetime: Lifetime = EPHEMERAL
    alerts_by_default: bool = False
    can_be_disabled: bool = True
    is_grouped: bool = False
    url_name: str = ""
    preference_of: str = ""

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


def register(*kinds: Kind) -> None:
    """Register kinds under their names."""
    _registered.update((kind.name, kind) for kind in kinds)


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


register(
    Kind("mention", _("Mentions"), "at", DURABLE, alerts_by_default=True),
    # A reply to a comment of the recipient.
    Kind("reply", _("Replies to your comments"), "open", DURABLE, alerts_by_default=True),
    Kind(
        "comment",
        _("Comments on your posts"),
        "open",
        DURABLE,
        alerts_by_default=True,
        is_grouped=True,
    ),
    # A comment in a thread that the recipient follows.
    Kind("thread", _("Comments on posts you follow"), "open", is_grouped=True),
    # A post of a followed user of whose posts the recipient wants to be notified.
    Kind("post", _("Posts by people you chose"), "bell", alerts_by_default=True),
    Kind("like", _("Likes"), "heart", is_grouped=True),
    Kind("share", _("Shares of your posts"), "share", is_grouped=True),
    # A post that quotes a post of the recipient.
    Kind("quote", _("Quotes of your posts"), "quote", alerts_by_default=True),
    # The author of a post that the recipient quoted has edited it. The row has the quoting post.
    Kind("quoted_edit", _("Edits of posts you quoted"), "pen"),
    # The author of a post that the recipient shared has edited it.
    Kind("shared_edit", _("Edits of posts you shared"), "pen"),
    Kind("follow", _("New followers"), "people", is_grouped=True),
    # A follow request, which the recipient accepts or declines in place.
    Kind("request", _("Follow requests"), "people", alerts_by_default=True, can_be_disabled=False),
    # A follow request of the recipient was accepted.
    Kind("accepted", _("Accepted follow requests"), "check", BURNING),
    # A review of a subject that the recipient also reviewed.
    Kind("reviewed", _("Reviews of things you reviewed"), "star", is_grouped=True),
    # A poll ended that the recipient started or voted in. The author's own has no actor.
    Kind("poll", _("Polls that have ended"), "chart"),
    # A scheduled post of the recipient could not be published. It has become a draft.
    Kind(
        "refused_post",
        _("Scheduled posts that could not be published"),
        "clock",
        alerts_by_default=True,
        url_name="edit_draft",
    ),
)

NOTICE = Kind(
    "notice",
    _("Notices from moderators"),
    "alert",
    DURABLE,
    alerts_by_default=True,
    can_be_disabled=False,
)
"""The notification carries its ``text``."""

register(NOTICE)
