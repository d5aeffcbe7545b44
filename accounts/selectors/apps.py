"""Which apps may act for a person."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import Promise

from accounts.oauth.models import AccessToken, Application
from accounts.oauth.scopes import SCOPES

MOST = 100


@dataclass(frozen=True, slots=True)
class AllowedApp:
    """``may``: in words. ``since``: its oldest token."""

    id: int
    name: str
    website: str
    may: list[str | Promise]
    since: datetime


def apps_of(*, uid: int) -> list[AllowedApp]:
    """The newest first; two commands."""
    tokens: dict[int, list[Any]] = {}
    for token in AccessToken.objects.filter(user=uid).order_by("-pk")[: 10 * MOST]:
        tokens.setdefault(token.application_id, []).append(token)
    apps = Application.objects.in_bulk(list(tokens)[:MOST])
    return [
        AllowedApp(
            id=app,
            name=apps[app].name,
            website=apps[app].website,
            may=in_words({one for token in of_app for one in token.scope.split()}),
            since=of_app[-1].created,
        )
        for app, of_app in tokens.items()
        if app in apps
    ]


def in_words(scopes: set[str]) -> list[str | Promise]:
    return [words for name, words in SCOPES.items() if name in scopes]
