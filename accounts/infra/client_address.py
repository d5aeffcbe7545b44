"""From where a request comes. The only function that knows it: for limits, blocks, logs and allauth.

Each proxy appends to ``X-Forwarded-For`` whom it saw, so all before the items of our own proxies is
whatever the client likes to claim. With ``settings.TRUSTED_PROXIES`` proxies in a row the client is the
item that the first of them has appended: so many from the end.
"""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

IPV6_CUSTOMER_PREFIX = 64
"""Bits of a network that one customer usually has for themselves."""


def client_address(request: HttpRequest) -> Address | None:
    """None where it cannot be known, as over a Unix socket without a proxy."""
    if proxies := settings.TRUSTED_PROXIES:
        seen = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
        # Fewer: it has not come through all proxies, so nothing in it is theirs for certain.
        if len(seen) >= proxies and (found := parse_address(seen[-proxies])):
            return found
    return parse_address(request.META.get("REMOTE_ADDR", ""))


def client_network(request: HttpRequest) -> str:
    """Under what a visitor is counted: their address, of IPv6 the network they have for themselves."""
    address = client_address(request)
    if isinstance(address, ipaddress.IPv6Address):
        return str(
            ipaddress.IPv6Network((address, IPV6_CUSTOMER_PREFIX), strict=False).network_address
        )
    return str(address or "unknown")


def parse_address(text: str) -> Address | None:
    """The address in "192.0.2.1", "192.0.2.1:80", "2001:db8::1", "[2001:db8::1]:80"; of an IPv4 address
    mapped into IPv6 the former. None for anything else."""
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(text.partition("%")[0])  # without the zone of a local one
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address
