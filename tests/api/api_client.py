"""A test client for the API, with or without a token."""

import secrets
from datetime import timedelta
from typing import Any

from django.http import HttpResponse
from django.test import Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.utils import timezone

from accounts.models import User
from accounts.oauth.models import AccessToken, Application

EVERYTHING = "profile read write follow push"


def token_of(user: User | None, scopes: str = EVERYTHING) -> str:
    """Create an access token without the OAuth flow. Return its secret."""
    app, _is_new = Application.objects.get_or_create(
        name="Test app",
        defaults={
            "client_id": "test-app",
            "client_type": Application.CLIENT_CONFIDENTIAL,
            "authorization_grant_type": Application.GRANT_AUTHORIZATION_CODE,
            "redirect_uris": "urn:ietf:wg:oauth:2.0:oob",
            "scopes": scopes,
        },
    )
    token = secrets.token_urlsafe(16)
    expires = timezone.now() + timedelta(days=1)
    AccessToken.objects.create(
        user=user, application=app, token=token, scope=scopes, expires=expires
    )
    return token


class Api:
    """A client for API paths. Paths that do not begin with "/" are relative to ``/api/v1/``."""

    def __init__(self, user: User | None = None, scopes: str = EVERYTHING, token: str = "") -> None:
        self._client = Client()
        if user is not None or token:
            self._client.defaults["HTTP_AUTHORIZATION"] = (
                f"Bearer {token or token_of(user, scopes)}"
            )

    def get(self, path: str, **query: Any) -> HttpResponse:
        return self._client.get(_full(path), query)

    def post(self, path: str, headers: dict[str, str] | None = None, **data: Any) -> HttpResponse:
        return self._client.post(
            _full(path), data, content_type="application/json", headers=headers
        )

    def call(self, method: str, path: str) -> HttpResponse:
        """Send a request without a body."""
        return self._client.generic(method, _full(path), content_type="application/json")

    def form(self, path: str, data: dict[str, Any], method: str = "post") -> HttpResponse:
        content = encode_multipart(BOUNDARY, data)
        return self._client.generic(method, _full(path), content, content_type=MULTIPART_CONTENT)

    def put(self, path: str, **data: Any) -> HttpResponse:
        return self._client.put(_full(path), data, content_type="application/json")

    def patch(self, path: str, **data: Any) -> HttpResponse:
        return self._client.patch(_full(path), data, content_type="application/json")

    def delete(self, path: str, **data: Any) -> HttpResponse:
        return self._client.delete(_full(path), data, content_type="application/json")


def _full(path: str) -> str:
    return path if path.startswith("/") else f"/api/v1/{path}"


def link(response: HttpResponse, rel: str) -> str | None:
    """Return the path and query of the link with this relation (``next`` or ``prev``).

    Return ``None`` if the ``Link`` header does not contain the relation.
    """
    for part in response.get("Link", "").split(", "):
        if part.endswith(f'rel="{rel}"'):
            return part[1:].split(">")[0].removeprefix("http://testserver")
    return None
