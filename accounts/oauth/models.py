"""Apps, authorization codes and tokens: the models of django-oauth-toolkit with time-ordered ids.

The database stores only digests of tokens and secrets.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from django.db import models
from django.utils.translation import gettext_lazy as _
from oauth2_provider.models import (
    AbstractAccessToken,
    AbstractApplication,
    AbstractDeviceGrant,
    AbstractGrant,
    AbstractIDToken,
    AbstractRefreshToken,
)

from accounts.infra.ids import TimeOrderedIdField

OUT_OF_BAND = "urn:ietf:wg:oauth:2.0:oob"
"""The redirect URI of apps without an address. The site shows the code, and the user copies it into the
app."""


class Application(AbstractApplication):
    """An app that users authorize to act for them. ``scopes``: all scopes that the app may request."""

    id = TimeOrderedIdField(primary_key=True)
    website = models.CharField(_("website"), max_length=2000, blank=True)
    scopes = models.CharField(_("scopes"), max_length=2000)

    class Meta:
        verbose_name = _("app")
        verbose_name_plural = _("apps")

    def allows_grant_type(self, *grant_types: str) -> bool:
        """Return whether apps may use one of these grant types.

        Every app may use both supported types: an authorization code to act for a user, and client
        credentials to act for itself.
        """
        return bool({self.GRANT_AUTHORIZATION_CODE, self.GRANT_CLIENT_CREDENTIALS} & {*grant_types})

    def get_allowed_schemes(self) -> list[str]:
        """Return the schemes of the app's redirect URIs. Phone apps register schemes of their own."""
        return [urlsplit(uri).scheme for uri in self.redirect_uris.split()]

    def redirect_uri_allowed(self, uri: str) -> bool:
        if uri == OUT_OF_BAND:
            return OUT_OF_BAND in self.redirect_uris.split()
        if not is_safe_redirect_uri(uri=uri):
            return False
        allowed: bool = super().redirect_uri_allowed(uri)
        return allowed


class Grant(AbstractGrant):
    id = TimeOrderedIdField(primary_key=True)

    class Meta:
        verbose_name = _("authorization code")
        verbose_name_plural = _("authorization codes")


class AccessToken(AbstractAccessToken):
    """A token. ``code_digest``: digest of the authorization code that the token was issued for, or ""."""

    id = TimeOrderedIdField(primary_key=True)
    code_digest = models.CharField(max_length=64, blank=True, editable=False)

    class Meta:
        verbose_name = _("access token")
        verbose_name_plural = _("access tokens")
        indexes = [
            models.Index(fields=["user", "-id"], name="token_user"),
            models.Index(fields=["code_digest"], name="token_code"),
        ]


class RefreshToken(AbstractRefreshToken):
    """Unused, but the library requires the model. Access tokens do not expire, as apps expect."""

    id = TimeOrderedIdField(primary_key=True)

    class Meta(AbstractRefreshToken.Meta):
        abstract = False


class IDToken(AbstractIDToken):
    """Unused, but the library requires the model. The site is not an OpenID provider."""

    id = TimeOrderedIdField(primary_key=True)


class DeviceGrant(AbstractDeviceGrant):
    """Unused, but the library requires the model."""

    id = TimeOrderedIdField(primary_key=True)

    class Meta(AbstractDeviceGrant.Meta):
        abstract = False


HOST_PATTERN = re.compile(r"[A-Za-z0-9._-]+(:[0-9]+)?|\[[0-9A-Fa-f:.]+\](:[0-9]+)?")
"""The host and port of a redirect URI. ``views.apps`` puts host and port into a header, so the pattern
allows no character that could end the header."""


def is_safe_redirect_uri(*, uri: str) -> bool:
    """Return whether the site may redirect the user to this URI with a code.

    Safe URIs are web pages, programs on the user's machine and the schemes of apps. A URI that a browser
    would execute is never safe.
    """
    if uri == OUT_OF_BAND:
        return True
    try:
        parts: Any = urlsplit(uri)
        parts.port  # noqa: B018 - raises ValueError
    except ValueError:
        return False
    if "#" in uri or "*" in uri or any(not char.isprintable() or char.isspace() for char in uri):
        return False
    if parts.scheme in ("http", "https"):
        return HOST_PATTERN.fullmatch(parts.netloc) is not None
    return bool(parts.scheme) and "@" not in parts.netloc and parts.scheme not in UNSAFE_SCHEMES


UNSAFE_SCHEMES = frozenset(
    {"about", "blob", "chrome", "data", "file", "filesystem", "ftp", "javascript", "vbscript"}
    | {"mailto", "tel", "view-source", "ws", "wss", "intent"}
)
