"""Normalized email addresses, usernames and networks, as blocklists store and compare them.

Blocklists store exact values, not patterns. For a name, address or network, these functions return the few
values that would block it. The checks look up those values by an index.
"""

import ipaddress

DOMAINS_IGNORING_DOTS = frozenset({"gmail.com", "googlemail.com"})
"""Mail providers that ignore dots in front of the "@" of an address."""

LOOK_ALIKES = str.maketrans("01i345789", "olleastbg")
SEPARATORS = "._"


def normalize_email_rule(text: str) -> str:
    """Normalize a domain ("example.org") or an address ("somebody@example.org").

    Ignores case, a final dot, and the part of an address from "+" to "@". Encodes international domains in
    ASCII, as mail does (IDNA). Raises ValueError for any other text.
    """
    local, _, domain = text.strip().lower().rpartition("@")
    domain = _normalize_domain(domain)
    if not domain:
        raise ValueError(text)
    if not local:
        return domain
    local = local.partition("+")[0]
    if domain in DOMAINS_IGNORING_DOTS:
        local = local.replace(".", "")
    if not local or "@" in local or any(char.isspace() for char in local):
        raise ValueError(text)
    return f"{local}@{domain}"


def matching_email_rules(address: str) -> list[str]:
    """Return every rule that would block this address: the address, its domain and each parent domain."""
    try:
        value = normalize_email_rule(address)
    except ValueError:
        return []
    labels = value.rpartition("@")[2].split(".")
    return [value, *(".".join(labels[n:]) for n in range(len(labels)))]


def _normalize_domain(text: str) -> str:
    """Return the domain in ASCII (IDNA), or "" if the domain is invalid."""
    domain = text.strip(".")
    try:
        domain = domain.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return ""
    is_plain = all(char.isalnum() or char in "-.[]:_" for char in domain)
    return domain if domain and is_plain and len(domain) <= 253 else ""


def normalize_name(text: str) -> str:
    """Return a username without separators, and with similar characters replaced by one letter.

    "Adm1n" and "a.d.m.i.n" both become "admln".
    """
    plain = "".join(char for char in text.lower() if char not in SEPARATORS)
    return plain.translate(LOOK_ALIKES).replace("rn", "m").replace("vv", "w")


def normalized_words(name: str) -> list[str]:
    """Return the normalized words of a username, each with and without the digits around it."""
    words = name.lower().replace("_", ".").split(".")
    bare = [word.strip("0123456789") for word in words]
    return list(dict.fromkeys(normalize_name(word) for word in (*words, *bare) if word))


def normalize_network(text: str) -> str:
    """Normalize an address or a network such as "192.0.2.0/24". Raises ValueError for any other text."""
    network = ipaddress.ip_network(text.strip(), strict=False)
    if isinstance(network, ipaddress.IPv6Network) and network.prefixlen >= 96:
        mapped = network.network_address.ipv4_mapped
        if mapped is not None:
            network = ipaddress.ip_network((mapped, network.prefixlen - 96))
    return str(network)


def containing_networks(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> list[str]:
    """Return all networks that contain the address, from the single address to the whole internet."""
    return [
        str(ipaddress.ip_network((address, length), strict=False))
        for length in range(address.max_prefixlen, -1, -1)
    ]
