"""Which apps may act for a person."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import Promise

from accounts.infra.api.scopes import SCOPES
from accounts.oauth.models import AccessToken, Application

MAX_APPS = 100


@dataclass(frozen=True, slots=True)
class AuthorizedApp:
    """``may``: in words. ``since``: its oldest token."""

    id: int
    name: str
    website: str
    permissions: list[str | Promise]
    authorized_at: datetime


def authorized_apps(*, uid: int) -> list[AuthorizedApp]:
    """The newest first; two commands."""
    tokens: dict[int, list[Any]] = {}
    for token in AccessToken.objects.filter(user=uid).order_by("-pk")[: 10 * MAX_APPS]:
        tokens.setdefault(token.application_id, []).append(token)
    apps = Application.objects.in_bulk(list(tokens)[:MAX_APPS])
    return [
        AuthorizedApp(
            id=app,
            name=apps[app].name,
            website=apps[app].website,
            permissions=scope_descriptions(
                {one for token in of_app for one in token.scope.split()}
            ),
            authorized_at=of_app[-1].created,
        )
        for app, of_app in tokens.items()
        if app in apps
    ]


def scope_descriptions(scopes: set[str]) -> list[str | Promise]:
    return [words for name, words in SCOPES.items() if name in scopes]
