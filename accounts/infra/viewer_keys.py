"""Recognise a viewer again for a while, without a cookie: for counting views."""

from functools import lru_cache

from crawleruseragents import is_crawler
from django.http import HttpRequest

from .client_address import client_network

USER_PREFIX = "user "


def viewer_key(request: HttpRequest) -> str:
    """Return a text that is the same for the next request of this viewer; "" for crawlers and prefetches.

    It names a user, or the network and browser of a visitor, and must not be stored.
    """
    if "prefetch" in request.headers.get("Sec-Purpose", ""):
        return ""
    if request.user.is_authenticated:
        return user_key(uid=request.user.pk)
    browser = request.headers.get("User-Agent", "")[:500]
    return "" if _is_crawler(browser) else f"{client_network(request)} {browser}"


def user_key(*, uid: int) -> str:
    return f"{USER_PREFIX}{uid}"


def uid_from_key(*, key: str) -> int:
    """Return the uid in a ``user_key``."""
    return int(key.removeprefix(USER_PREFIX))


@lru_cache(maxsize=1000)
def _is_crawler(browser: str) -> bool:
    return not browser or is_crawler(browser)
