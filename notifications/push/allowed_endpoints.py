"""The list of push endpoints that the server may call.

Browsers send the endpoints. Without this list anyone could make the server call any address, even
inside its own network.
"""

import re

from django.conf import settings

MAX_ENDPOINT_LENGTH = 2048

# This pattern accepts only URLs that all URL parsers read in the same way. Otherwise the HTTP client could
# call another host than the checked host.
_ADDRESS = re.compile(
    r"(?P<origin>https://(?P<host>[a-z0-9.-]{1,253}(:[1-9][0-9]{0,4})?))"
    r"/[A-Za-z0-9._~!$&'()*+,;=:@%/?-]*"
)
_CONTACT = re.compile(r"mailto:[^\s@]+@(localhost|[\w-]+(\.[\w-]+)+)")
_HOST = re.compile(r"(\*\.)?[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*(:[1-9][0-9]{0,4})?")


def is_allowed_endpoint(*, endpoint: str) -> bool:
    """Return whether this endpoint belongs to a push service in the settings."""
    match = _ADDRESS.fullmatch(endpoint) if len(endpoint) <= MAX_ENDPOINT_LENGTH else None
    if match is None:
        return False
    host = match["host"].removesuffix(":443")
    return any(_matches(host, pattern) for pattern in settings.WEB_PUSH_HOSTS)


def endpoint_origin(*, endpoint: str) -> str:
    """Return the origin, such as https://fcm.googleapis.com. Raises ValueError if malformed."""
    match = _ADDRESS.fullmatch(endpoint)
    if match is None:
        raise ValueError("Not the endpoint of a push service.")
    return match["origin"].removesuffix(":443")


def is_host_pattern(*, text: str) -> bool:
    """Return whether the text is a host, or a host after ``*.`` for its subdomains."""
    return _HOST.fullmatch(text) is not None


def is_contact_url(*, text: str) -> bool:
    """Return whether push services accept this as the contact of the site."""
    return _CONTACT.fullmatch(text) is not None


def _matches(host: str, pattern: str) -> bool:
    if not pattern.startswith("*."):
        return host == pattern
    subdomain = host.removesuffix(pattern[1:])
    return (
        subdomain != host
        and re.fullmatch(r"[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})*", subdomain) is not None
    )
