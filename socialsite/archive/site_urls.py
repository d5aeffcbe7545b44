"""Parse the addresses and handles in an archive: the host, and ids of posts and usernames of this site."""

import re
from urllib.parse import urlsplit

from django.conf import settings

from accounts import usernames
from accounts.infra.cursors import parse_id

_POST_PATH = re.compile(rf"/@{usernames.PATTERN}/([0-9]{{1,19}})/?")


def is_local(url: str) -> bool:
    return url_host(url) == url_host(settings.SITE_URL)


def local_username(handle: str) -> str | None:
    """Return the username in the handle of a user of this site, None for other handles."""
    name = usernames.local_username(handle)
    return name[: usernames.MAX_LENGTH + 1] if re.fullmatch(usernames.PATTERN, name) else None


def local_post_id(url: str) -> int | None:
    """Return the id in the address of a post of this site, or None for other addresses."""
    match = _POST_PATH.fullmatch(urlsplit(url).path) if is_local(url) else None
    return parse_id(match[1]) if match else None


def url_host(url: str) -> str:
    try:
        return urlsplit(url).netloc.lower()
    except ValueError:
        return ""
