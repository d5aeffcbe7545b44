"""Addresses in archives: whose they are, and what of this site they name."""

import re
from urllib.parse import urlsplit

from django.conf import settings

from accounts import usernames
from accounts.infra.paging import parse_id

_OWN_POST = re.compile(rf"/@{usernames.PATTERN}/([0-9]{{1,19}})/?")


def site_host() -> str:
    return url_host(settings.SITE_URL)


def local_post_id(url: str) -> int | None:
    """The id in the address of a post of this site."""
    try:
        found = _OWN_POST.fullmatch(urlsplit(url).path)
    except ValueError:
        return None
    return parse_id(found[1]) if found else None


def url_host(url: str) -> str:
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return ""
