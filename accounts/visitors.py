"""Recognise a viewer again for a while, without a cookie: for counting views."""

from functools import lru_cache

from crawleruseragents import is_crawler
from django.http import HttpRequest

from .client_address import whose_limit

USER = "user "


def visitor_key(request: HttpRequest) -> str:
    """Return a text that is the same for the next request of this viewer; "" for crawlers and prefetches.

    It names a user, or the network and browser of a visitor, and must not be stored.
    """
    if "prefetch" in request.headers.get("Sec-Purpose", ""):
        return ""
    if request.user.is_authenticated:
        return user_key(uid=request.user.pk)
    browser = request.headers.get("User-Agent", "")[:500]
    return "" if _is_crawler(browser) else f"{whose_limit(request)} {browser}"


def user_key(*, uid: int) -> str:
    return f"{USER}{uid}"


def uid_of(*, key: str) -> int:
    """Return the uid in a ``user_key``."""
    return int(key.removeprefix(USER))


@lru_cache(maxsize=1000)
def _is_crawler(browser: str) -> bool:
    return not browser or is_crawler(browser)
