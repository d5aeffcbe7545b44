"""Addresses in mails: whole ones, and those that work without logging in."""

from urllib.parse import urlsplit

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.urls import reverse


def absolute_url(*, path: str) -> str:
    return f"{settings.SITE_URL}{path}"


def site_host() -> str:
    """Of the site, as message ids end."""
    return urlsplit(settings.SITE_URL).hostname or "localhost"


def unsubscribe_url(*, recipient: int) -> str:
    """Good for ever: mails are kept for years, and their buttons shall work."""
    return absolute_url(path=reverse("unsubscribe", args=[_signer().sign(str(recipient))]))


def recipient_from_token(*, token: str) -> int | None:
    """Whom the token in such an address names; None if it was not made here."""
    try:
        return int(_signer().unsign(token))
    except BadSignature:
        return None


def _signer() -> Signer:
    return Signer(salt="notifications.unsubscribe")
