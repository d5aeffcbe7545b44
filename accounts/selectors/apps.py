"""The apps that a user has authorized."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import Promise
from oauth2_provider.scopes import get_scopes_backend

from accounts.oauth.models import AccessToken, Application

MAX_APPS = 100


@dataclass(frozen=True, slots=True)
class AuthorizedApp:
    """An app with access to an account.

    Attributes:
        permissions: descriptions of the granted scopes, for pages.
        authorized_at: when the app got its oldest token for this account.
    """

    id: int
    name: str
    website: str
    permissions: list[str | Promise]
    authorized_at: datetime


def authorized_apps(*, uid: int) -> list[AuthorizedApp]:
    """Return the user's apps, the app with the newest token first. Two commands."""
    tokens_by_app: dict[int, list[Any]] = {}
    for token in AccessToken.objects.filter(user=uid).order_by("-pk")[: 10 * MAX_APPS]:
        tokens_by_app.setdefault(token.application_id, []).append(token)
    apps = Application.objects.in_bulk(list(tokens_by_app)[:MAX_APPS])
    return [
        AuthorizedApp(
            id=app_id,
            name=apps[app_id].name,
            website=apps[app_id].website,
            permissions=scope_descriptions(
                {scope for token in tokens for scope in token.scope.split()}
            ),
            authorized_at=tokens[-1].created,
        )
        for app_id, tokens in tokens_by_app.items()
        if app_id in apps
    ]


def scope_descriptions(scopes: set[str]) -> list[str | Promise]:
    """Return the descriptions of these scopes, in the order of the API's list."""
    described = get_scopes_backend().get_all_scopes()
    return [description for scope, description in described.items() if scope in scopes]
