"""Apps, the codes they get from people, and the tokens they get for them.

Those of the library with our ids. Tokens and secrets are kept as digests only.
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
"""As an address to go back to: the person copies the code by hand."""


class Application(AbstractApplication):
    """A program that people use instead of the site's pages. ``scopes``: the most it will ever ask for."""

    id = TimeOrderedIdField(primary_key=True)
    website = models.CharField(_("website"), max_length=2000, blank=True)
    scopes = models.CharField(_("scopes"), max_length=2000)

    class Meta:
        verbose_name = _("app")
        verbose_name_plural = _("apps")

    def allows_grant_type(self, *grant_types: str) -> bool:
        """Each app may act for people, and for itself."""
        return bool({self.GRANT_AUTHORIZATION_CODE, self.GRANT_CLIENT_CREDENTIALS} & {*grant_types})

    def get_allowed_schemes(self) -> list[str]:
        """Apps on telephones are reached by schemes of their own; which ones was looked at before."""
        return [urlsplit(one).scheme for one in self.redirect_uris.split()]

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
        verbose_name = _("code")
        verbose_name_plural = _("codes")


class AccessToken(AbstractAccessToken):
    """``code_digest``: of the code that the app got it for, "" if it got it otherwise."""

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
    """Never made here: access tokens last until they are revoked, as apps expect."""

    id = TimeOrderedIdField(primary_key=True)

    class Meta(AbstractRefreshToken.Meta):
        abstract = False


class IDToken(AbstractIDToken):
    """Never made here: this is no OpenID provider."""

    id = TimeOrderedIdField(primary_key=True)


class DeviceGrant(AbstractDeviceGrant):
    """Never made here."""

    id = TimeOrderedIdField(primary_key=True)

    class Meta(AbstractDeviceGrant.Meta):
        abstract = False


HOST_PATTERN = re.compile(r"[A-Za-z0-9._-]+(:[0-9]+)?|\[[0-9A-Fa-f:.]+\](:[0-9]+)?")
"""What comes behind "https://". It stands in a header (``views.apps``): nothing in it may end that."""


def is_safe_redirect_uri(*, uri: str) -> bool:
    """Whether people may be sent there with a code: a page, an app on the same machine, or the scheme of an
    app; never something that a browser would run."""
    if uri == OUT_OF_BAND:
        return True
    try:
        parts: Any = urlsplit(uri)
        parts.port  # noqa: B018 - raises ValueError
    except ValueError:
        return False
    if "#" in uri or "*" in uri or any(not one.isprintable() or one.isspace() for one in uri):
        return False
    if parts.scheme in ("http", "https"):
        return HOST_PATTERN.fullmatch(parts.netloc) is not None
    return bool(parts.scheme) and "@" not in parts.netloc and parts.scheme not in UNSAFE_SCHEMES


UNSAFE_SCHEMES = frozenset(
    {"about", "blob", "chrome", "data", "file", "filesystem", "ftp", "javascript", "vbscript"}
    | {"mailto", "tel", "view-source", "ws", "wss", "intent"}
)
