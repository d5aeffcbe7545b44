"""Parse URLs of other sites, and decide to which network addresses the server may connect.

A user could name a host inside the network of the server (server-side request forgery). So a host name is
resolved once, every address that it has must be public, and the fetcher connects to such an address and
never resolves the name again.
"""

import re
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from unicodedata import category
from urllib.parse import quote, urlsplit

import dns.resolver
import idna
from django.conf import settings
from dns.exception import DNSException

MAX_URL_LENGTH = 2000
DEFAULT_PORTS = {"http": 80, "https": 443}

_HOST = re.compile(
    r"(?=.{4,253}\Z)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]"
)
"""A host name with a dot whose last label begins with a letter. Other names are local, or notations of
addresses that some resolvers understand, such as 0x7f.1."""

_KEPT_IN_PATH = "/%:@!$&'()*+,;=~"
_PUBLIC_IPV6 = IPv6Network("2000::/3")
_FORBIDDEN_NETWORKS = tuple(
    ip_network(network)
    for network in (
        "192.0.0.0/24",  # protocol assignments, with the metadata service of Oracle's cloud
        "192.88.99.0/24",  # 6to4 relays
        "168.63.129.16/32",  # services of Azure's hosts
        "2001::/23",  # Teredo, which contains IPv4 addresses, and other protocols
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4, which contains IPv4 addresses
        "3fff::/20",  # documentation
    )
)
"""Networks that ``is_global`` of some Python versions accepts. IPv4 addresses inside IPv6 addresses (mapped
and NAT64) are outside of ``_PUBLIC_IPV6``."""


class UnusableUrl(ValueError):
    """The server never fetches this URL."""


class HostNotFound(Exception):
    """The host has no address, or an address that is not public."""


@dataclass(frozen=True, slots=True)
class WebUrl:
    """A URL that may be fetched, if its host is public. All parts are ASCII.

    ``host`` is without brackets. ``target`` is the path with the query. A fragment is left out.
    """

    scheme: str
    host: str
    port: int
    target: str

    @property
    def authority(self) -> str:
        """Return the host with the port, if it is not the default, as in the header ``Host``."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"


def parse_web_url(text: str) -> WebUrl:
    """Parse a URL. Equal pages have equal results, except for the order of parameters and the like.

    Raises UnusableUrl for other schemes than HTTP, for other ports than 80 and 443, for URLs with
    credentials, and for hosts that are not in the public domain name system.
    """
    text = text.strip(" \t\r\n")
    if len(text) > MAX_URL_LENGTH or "\\" in text or any(category(c) in ("Cc", "Cs") for c in text):
        raise UnusableUrl(text)
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise UnusableUrl(text) from error
    if parts.scheme not in DEFAULT_PORTS or "@" in parts.netloc:
        raise UnusableUrl(text)
    url = WebUrl(
        scheme=parts.scheme,
        host=_ascii_host(host),
        port=DEFAULT_PORTS[parts.scheme] if port is None else port,
        target=quote(parts.path or "/", safe=_KEPT_IN_PATH)
        + (f"?{quote(parts.query, safe=_KEPT_IN_PATH + '?')}" if parts.query else ""),
    )
    test_ports = {int(address.rpartition(":")[2]) for address in settings.FETCH_TEST_ADDRESSES}
    if url.port not in {*DEFAULT_PORTS.values(), *test_ports} or len(str(url)) > MAX_URL_LENGTH:
        raise UnusableUrl(text)
    return url


def _ascii_host(host: str) -> str:
    if "%" in host:
        raise UnusableUrl(host)
    with suppress(ValueError):
        return str(ip_address(host))
    try:
        name = host.rstrip(".") if host.isascii() else idna.encode(host, uts46=True).decode()
    except UnicodeError as error:
        raise UnusableUrl(host) from error
    if not _HOST.fullmatch(name):
        raise UnusableUrl(host)
    return name


def resolve_host(*, url: WebUrl, seconds: float) -> list[str]:
    """Return the addresses of the host of a URL, IPv4 first. Never empty.

    Raises HostNotFound if there are none after ``seconds``, or if one of them is not public: a host that
    mixes public and private addresses tries to mislead the server.
    """
    try:
        addresses = [ip_address(url.host)]
    except ValueError:
        try:
            answers = dns.resolver.get_default_resolver().resolve_name(url.host, lifetime=seconds)
        except DNSException as error:
            raise HostNotFound(url.host) from error
        addresses = [ip_address(address) for address in answers.addresses()]
    if not addresses or not all(_is_allowed(address, url.port) for address in addresses):
        raise HostNotFound(url.host)
    return [str(address) for address in sorted(addresses, key=lambda address: address.version)]


def is_public_address(address: IPv4Address | IPv6Address) -> bool:
    """Return whether the address belongs to the public internet and to a single host."""
    if isinstance(address, IPv6Address) and address not in _PUBLIC_IPV6:
        return False
    is_special = address.is_multicast or address.is_reserved or not address.is_global
    return not is_special and not any(
        address.version == network.version and address in network for network in _FORBIDDEN_NETWORKS
    )


def _is_allowed(address: IPv4Address | IPv6Address, port: int) -> bool:
    if f"{address}:{port}" in settings.FETCH_TEST_ADDRESSES:
        return True
    return port in DEFAULT_PORTS.values() and is_public_address(address)
