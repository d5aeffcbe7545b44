"""The scopes of tokens, as in Mastodon. A broad scope includes its finer scopes.

https://docs.joinmastodon.org/api/oauth-scopes/
"""

from collections.abc import Collection, Iterable
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from oauth2_provider.scopes import BaseScopes

PROFILE, PUSH, FOLLOW = "profile", "push", "follow"
DEFAULT_SCOPE = "read"

SCOPES: dict[str, str | Promise] = {
    "profile": _("know who you are"),
    "read": _("read everything that you can read"),
    "read:accounts": _("read about people"),
    "read:blocks": _("see whom you block"),
    "read:bookmarks": _("see your bookmarks"),
    "read:favourites": _("see what you like"),
    "read:filters": _("see your filters"),
    "read:follows": _("see whom you follow"),
    "read:lists": _("see your lists"),
    "read:mutes": _("see whom you mute"),
    "read:notifications": _("see your notifications"),
    "read:search": _("search for you"),
    "read:statuses": _("read posts that you can read"),
    "write": _("change everything that you can change"),
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
    "write:reports": _("report to the moderators"),
    "write:statuses": _("post and delete posts"),
    "follow": _("follow, mute and block people"),
    "push": _("send you notifications"),
    "admin:read": _("read everything that moderators can read"),
    "admin:read:accounts": _("read about people as moderators do"),
    "admin:read:reports": _("read reports"),
    "admin:write": _("do everything that moderators can do"),
    "admin:write:accounts": _("moderate people"),
    "admin:write:reports": _("resolve reports"),
}
IMPLIED_SCOPES = {
    FOLLOW: (
        *("read:blocks", "read:follows", "read:mutes"),
        *("write:blocks", "write:follows", "write:mutes"),
    )
}
"""Scopes that a scope includes although its name does not say so."""


def has_scope(*, granted: Collection[str], required: str) -> bool:
    """Return whether the granted scopes include the required scope, directly or in a broader scope."""
    parts = required.split(":")
    broader = {":".join(parts[: number + 1]) for number in range(len(parts))}
    return bool(broader & set(granted)) or any(
        required in IMPLIED_SCOPES.get(scope, ()) for scope in granted
    )


def unknown_scopes(scopes: Iterable[str]) -> list[str]:
    return [scope for scope in scopes if scope not in SCOPES]


class RegisteredScopes(BaseScopes):
    """Let an app request only scopes that it registered with, or finer ones."""

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
