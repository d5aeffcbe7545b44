"""The scopes of tokens, as in Mastodon. A broad scope includes its narrower scopes.

Example: "read" includes "read:lists". See https://docs.joinmastodon.org/api/oauth-scopes/.
"""

from collections.abc import Collection, Iterable
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from oauth2_provider.scopes import BaseScopes

DEFAULT_SCOPE = "read"

SCOPES: dict[str, str | Promise] = {
    "profile": _("see your profile"),
    "read": _("read all data of your account"),
    "read:accounts": _("see profiles"),
    "read:blocks": _("see who you block"),
    "read:bookmarks": _("see your bookmarks"),
    "read:favourites": _("see what you liked"),
    "read:filters": _("see your filters"),
    "read:follows": _("see who you follow"),
    "read:lists": _("see your lists"),
    "read:mutes": _("see who you mute"),
    "read:notifications": _("see your notifications"),
    "read:search": _("search on your behalf"),
    "read:statuses": _("read all posts you can see"),
    "write": _("change all data of your account"),
    "write:accounts": _("change your profile"),
    "write:blocks": _("block people"),
    "write:bookmarks": _("bookmark posts"),
    "write:conversations": _("mute conversations"),
    "write:favourites": _("like posts"),
    "write:filters": _("change your filters"),
    "write:follows": _("follow people"),
    "write:lists": _("change your lists"),
    "write:media": _("upload pictures"),
    "write:mutes": _("mute people"),
    "write:notifications": _("clear your notifications"),
    "write:reports": _("report people and posts"),
    "write:statuses": _("publish and delete posts"),
    "follow": _("follow, mute and block people"),
    "push": _("send you notifications"),
    "admin:read": _("read everything that moderators can see"),
    "admin:read:accounts": _("see account details as a moderator"),
    "admin:read:reports": _("see reports"),
    "admin:write": _("take any moderation action"),
    "admin:write:accounts": _("moderate users"),
    "admin:write:reports": _("resolve reports"),
}
IMPLIED_SCOPES = {
    "follow": (
        *("read:blocks", "read:follows", "read:mutes"),
        *("write:blocks", "write:follows", "write:mutes"),
    )
}
"""Scopes that include other scopes whose names do not begin with the same word."""


def has_scope(*, granted: Collection[str], required: str) -> bool:
    """Return whether a granted scope equals or includes the required scope."""
    parts = required.split(":")
    broader = {":".join(parts[: number + 1]) for number in range(len(parts))}
    return bool(broader & set(granted)) or any(
        required in IMPLIED_SCOPES.get(scope, ()) for scope in granted
    )


def unknown_scopes(scopes: Iterable[str]) -> list[str]:
    return [scope for scope in scopes if scope not in SCOPES]


class RegisteredScopes(BaseScopes):
    """Allow an app to request only its registered scopes and the narrower scopes they include."""

    def get_all_scopes(self) -> dict[str, str | Promise]:
        return SCOPES

    def get_available_scopes(
        self, application: Any = None, request: Any = None, *args: Any, **kwargs: Any
    ) -> list[str]:
        registered = set(application.scopes.split()) if application else set(SCOPES)
        return [scope for scope in SCOPES if has_scope(granted=registered, required=scope)]

    def get_default_scopes(
        self, application: Any = None, request: Any = None, *args: Any, **kwargs: Any
    ) -> list[str]:
        return [DEFAULT_SCOPE]
