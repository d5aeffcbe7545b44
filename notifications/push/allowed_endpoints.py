"""Which addresses this server may send to. A browser says them, so anybody can: without this list it would
call whatever it is told to, inside its own network too.
"""

import re

from django.conf import settings

MAX_ENDPOINT_LENGTH = 2048

# Stricter than any parser of addresses: no two of them can disagree about whose host this is.
_ADDRESS = re.compile(
    r"(?P<origin>https://(?P<host>[a-z0-9.-]{1,253}(:[1-9][0-9]{0,4})?))"
    r"/[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*"
)
_CONTACT = re.compile(r"mailto:[^\s@]+@(localhost|[\w-]+(\.[\w-]+)+)")
_HOST = re.compile(r"(\*\.)?[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*(:[1-9][0-9]{0,4})?")


def is_allowed_endpoint(*, endpoint: str) -> bool:
    """Whether this is an address of a push service of the settings."""
    found = _ADDRESS.fullmatch(endpoint) if len(endpoint) <= MAX_ENDPOINT_LENGTH else None
    if found is None:
        return False
    host = found["host"].removesuffix(":443")
    return any(_matches(host, wanted) for wanted in settings.WEB_PUSH_HOSTS)


def endpoint_origin(*, endpoint: str) -> str:
    """Such as https://fcm.googleapis.com. Raises ValueError for what is no such address."""
    found = _ADDRESS.fullmatch(endpoint)
    if found is None:
        raise ValueError("This is no address of a push service.")
    return found["origin"].removesuffix(":443")


def is_host_pattern(*, text: str) -> bool:
    """Whether this can stand in the settings: a host, or one after ``*.`` for those below it."""
    return _HOST.fullmatch(text) is not None


def is_contact_url(*, text: str) -> bool:
    """Whether push services take this for who answers for the site."""
    return _CONTACT.fullmatch(text) is not None


def _matches(host: str, wanted: str) -> bool:
    if not wanted.startswith("*."):
        return host == wanted
    below = host.removesuffix(wanted[1:])
    return below != host and re.fullmatch(r"[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*", below) is not None
