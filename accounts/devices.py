"""Devices of users: descriptions, and known devices, recognized by a signed cookie.

From a known device, the user has logged in before. It has its own limit of wrong passwords. Guesses from
other devices do not count towards this limit, so an attacker cannot lock the user out. The idea is OWASP's:
https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies
"""

import secrets
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

COOKIE_NAME = "device"
SALT = "accounts.known_devices"
MAX_AGE_SECONDS = 365 * 86_400
MAX_USERS = 5
"""Maximum number of users that one device remembers: those who logged in last."""

# The first match wins. The order matters, because user agents also contain the names of older browsers and
# of similar systems.
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser", "Samsung Internet"),
    ("Firefox", "Firefox"),
    ("FxiOS", "Firefox"),
    ("CriOS", "Chrome"),
    ("Chrome", "Chrome"),
    ("Safari", "Safari"),
    ("curl", "curl"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("CrOS", "ChromeOS"),
    ("Windows", "Windows"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def describe_device(*, user_agent: str) -> str:
    """Return a description such as "Firefox on Linux". Clients can forge the header ``User-Agent``."""
    browser, system = browser_and_system(user_agent=user_agent)
    if browser and system:
        return _("%(browser)s on %(system)s") % {"browser": browser, "system": system}
    return browser or system or _("Unknown device")


def browser_and_system(*, user_agent: str) -> tuple[str, str]:
    """Return the names of the browser and the system, "" for unknown ones."""
    browsers = (name for token, name in BROWSERS if token in user_agent)
    systems = (name for token, name in SYSTEMS if token in user_agent)
    return next(browsers, ""), next(systems, "")


def known_device_key(*, request: HttpRequest, uid: int) -> str:
    """Return the key under which wrong passwords from this device are counted.

    Returns "" if the user has not logged in from this device before.
    """
    device = _read(request)
    return f"device-{device['name']}" if uid in device["uids"] else ""


def remember_device(*, request: HttpRequest, response: HttpResponse, uid: int) -> None:
    """Add the user to the cookie of the device."""
    device = _read(request)
    other_uids = [known_uid for known_uid in device["uids"] if known_uid != uid]
    device["uids"] = [uid, *other_uids][:MAX_USERS]
    response.set_cookie(
        COOKIE_NAME,
        signing.dumps(device, salt=SALT),
        max_age=MAX_AGE_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _read(request: HttpRequest) -> dict[str, Any]:
    try:
        device = signing.loads(
            request.COOKIES.get(COOKIE_NAME, ""), salt=SALT, max_age=MAX_AGE_SECONDS
        )
    except signing.BadSignature:
        return {"name": secrets.token_hex(16), "uids": []}
    return dict(device)
