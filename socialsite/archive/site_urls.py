"""Parse the addresses in an archive: the host, and the ids of posts of this site."""

import re
from urllib.parse import urlsplit

from django.conf import settings

from accounts import usernames
from accounts.infra.cursors import parse_id

_POST_PATH = re.compile(rf"/@{usernames.PATTERN}/([0-9]{{1,19}})/?")


def site_host() -> str:
    return url_host(settings.SITE_URL)


def local_post_id(url: str) -> int | None:
    """Return the id in a post's address, or None for other addresses. The caller must check the host."""
    try:
        match = _POST_PATH.fullmatch(urlsplit(url).path)
    except ValueError:
        return None
    return parse_id(match[1]) if match else None


def url_host(url: str) -> str:
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return ""
