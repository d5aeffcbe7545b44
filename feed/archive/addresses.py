"""Addresses in archives: whose they are, and what of this site they name."""

import re
from urllib.parse import urlsplit

from django.conf import settings

from accounts import usernames
from accounts.paging import id_in

_OWN_POST = re.compile(rf"/@{usernames.PATTERN}/([0-9]{{1,19}})/?")


def host_of_site() -> str:
    return host_of(settings.SITE_URL)


def own_post(address: str) -> int | None:
    """The id in the address of a post of this site."""
    try:
        found = _OWN_POST.fullmatch(urlsplit(address).path)
    except ValueError:
        return None
    return id_in(found[1]) if found else None


def host_of(address: str) -> str:
    try:
        return urlsplit(address).netloc.lower()
    except ValueError:
        return ""
