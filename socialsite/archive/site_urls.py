"""Parse the addresses and handles in an archive: the host, and ids of posts and usernames of this site."""

import re
from urllib.parse import urlsplit

from django.conf import settings

from accounts import usernames
from accounts.infra.cursors import parse_id

_HANDLE = re.compile(rf"@?({usernames.PATTERN})(?:@([\w.:-]+))?", re.ASCII)
_POST_PATH = re.compile(rf"/@{usernames.PATTERN}/([0-9]{{1,19}})/?")


def site_host() -> str:
    return url_host(settings.SITE_URL)


def is_local(url: str) -> bool:
    return url_host(url) == site_host()


def local_username(handle: str) -> str | None:
    """Return the username in the handle of a user of this site, None for other handles."""
    match = _HANDLE.fullmatch(handle.strip())
    if match is None or (match[2] or site_host()).lower() != site_host():
        return None
    return match[1].lower()[: usernames.MAX_LENGTH + 1]


def local_post_id(url: str) -> int | None:
    """Return the id in the address of a post of this site, or None for other addresses."""
    match = _POST_PATH.fullmatch(urlsplit(url).path) if is_local(url) else None
    return parse_id(match[1]) if match else None


def url_host(url: str) -> str:
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return ""
