"""The address of a client. Rate limits, blocklists, logs and allauth all use this module.

Each proxy appends the address of its client to ``X-Forwarded-For``. ``settings.TRUSTED_PROXIES`` is the
number of our own proxies, so the header has that many trusted entries at the end. The first trusted entry
is the client's address. Clients can forge all earlier entries.
"""

import ipaddress

from django.conf import settings
from django.http import HttpRequest

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

IPV6_CUSTOMER_PREFIX = 64
"""Prefix length of the IPv6 network that a provider usually gives to one customer."""


def client_address(request: HttpRequest) -> Address | None:
    """Return the client's address, or None if unknown (a Unix socket without a proxy)."""
    if proxies := settings.TRUSTED_PROXIES:
        forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "").split(",")
        # If there are fewer entries than proxies, the request bypassed a proxy. The header may be forged.
        if len(forwarded) >= proxies and (address := parse_address(forwarded[-proxies])):
            return address
    return parse_address(request.META.get("REMOTE_ADDR", ""))


def client_network(request: HttpRequest) -> str:
    """Return the key for counting a visitor's requests: the IPv4 address, or the IPv6 network.

    A provider gives a whole IPv6 network to each customer, who could otherwise change the address for every
    request.
    """
    address = client_address(request)
    if isinstance(address, ipaddress.IPv6Address):
        return str(
            ipaddress.IPv6Network((address, IPV6_CUSTOMER_PREFIX), strict=False).network_address
        )
    return str(address or "unknown")


def parse_address(text: str) -> Address | None:
    """Parse an IP address with or without a port. Returns None for any other text.

    Examples: "192.0.2.1", "192.0.2.1:80", "2001:db8::1", "[2001:db8::1]:80". Converts IPv4 addresses in
    IPv6 notation to IPv4.
    """
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        # Link-local addresses may end with a zone, such as "%eth0".
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address
