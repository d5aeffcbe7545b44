"""Keys that recognize a viewer in later requests without a cookie. Used to count views only once."""

from functools import lru_cache
from zlib import crc32

from crawleruseragents import is_crawler
from django.http import HttpRequest

from .client_address import client_network

USER_PREFIX = "user "
VISITORS_PER_NETWORK = 8
"""Browsers of a network that are told apart. A program can pretend to be any number of browsers."""


def viewer_key(request: HttpRequest) -> str:
    """Return a key that stays the same in later requests of this viewer.

    Returns "" for crawlers and prefetches. The key contains a uid, or a visitor's network and kind of
    browser. It is personal data and must not be stored.
    """
    if "prefetch" in request.headers.get("Sec-Purpose", ""):
        return ""
    if request.user.is_authenticated:
        return user_key(uid=request.user.pk)
    browser = request.headers.get("User-Agent", "")[:500]
    if _is_crawler(browser):
        return ""
    return f"{client_network(request)} {crc32(browser.encode()) % VISITORS_PER_NETWORK}"


def user_key(*, uid: int) -> str:
    return f"{USER_PREFIX}{uid}"


def uid_from_key(*, key: str) -> int:
    """Return the uid in a key that ``user_key`` returned."""
    return int(key.removeprefix(USER_PREFIX))


@lru_cache(maxsize=1000)
def _is_crawler(browser: str) -> bool:
    return not browser or is_crawler(browser)
