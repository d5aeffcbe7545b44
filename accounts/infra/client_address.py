"""The address of a client. Rate limits, blocklists, logs and allauth all use this module.

Each proxy appends the address it saw to ``X-Forwarded-For``, so clients can forge everything before the
addresses that our own proxies append. With ``settings.TRUSTED_PROXIES`` proxies in a row, the first of
them appends the client's address: that many from the end.
"""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

IPV6_CUSTOMER_PREFIX = 64
"""Prefix length of the IPv6 network that a provider usually gives to one customer."""


def client_address(request: HttpRequest) -> Address | None:
    """Return the client's address, or None if it is unknown (a Unix socket without a proxy)."""
    if proxies := settings.TRUSTED_PROXIES:
        forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
        # With fewer addresses, the request bypassed a proxy and the header cannot be trusted.
        if len(forwarded) >= proxies and (address := parse_address(forwarded[-proxies])):
            return address
    return parse_address(request.META.get("REMOTE_ADDR", ""))


def client_network(request: HttpRequest) -> str:
    """Return the key for counting a visitor: the IPv4 address or the customer's IPv6 network."""
    address = client_address(request)
    if isinstance(address, ipaddress.IPv6Address):
        return str(
            ipaddress.IPv6Network((address, IPV6_CUSTOMER_PREFIX), strict=False).network_address
        )
    return str(address or "unknown")


def parse_address(text: str) -> Address | None:
    """Parse "192.0.2.1", "192.0.2.1:80", "2001:db8::1" or "[2001:db8::1]:80"; None for anything else.

    Returns IPv4 addresses mapped into IPv6 as IPv4.
    """
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ipaddress.ip_address(
            text.partition("%")[0]
        )  # without the zone of a link-local address
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address
