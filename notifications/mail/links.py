"""Absolute links in mails. The unsubscribe link works without logging in."""

from urllib.parse import urlsplit

from django.conf import settings
from django.core.signing import BadSignature, Signer
from django.urls import reverse


def absolute_url(*, path: str) -> str:
    return f"{settings.SITE_URL}{path}"


def site_host() -> str:
    """Return the host name for Message-ID headers."""
    return urlsplit(settings.SITE_URL).hostname or "localhost"


def unsubscribe_url(*, recipient: int) -> str:
    """Return the unsubscribe link. It never expires, because users keep mails for years."""
    return absolute_url(path=reverse("unsubscribe_email", args=[_signer().sign(str(recipient))]))


def recipient_from_token(*, token: str) -> int | None:
    """Return the uid in an unsubscribe token, or None if the signature is invalid."""
    try:
        return int(_signer().unsign(token))
    except BadSignature:
        return None


def _signer() -> Signer:
    return Signer(salt="notifications.unsubscribe")
