"""Mail addresses, user names and networks in the one way in which they are kept and compared.

Nobody writes a pattern: what is kept are plain values, and what comes in is turned into the few values that
would block it, which are looked up by an index.
"""

import ipaddress

DOMAINS_IGNORING_DOTS = frozenset({"gmail.com", "googlemail.com"})
"""There, a dot in an address makes no other one."""

LOOK_ALIKES = str.maketrans("01i345789", "olleastbg")
SEPARATORS = "._"


def normalize_email_rule(text: str) -> str:
    """A domain ("example.org") or a single address ("somebody@example.org"), as they are kept.

    Case, a dot at the end, and in an address all after "+" make no difference; names with other letters
    are written as in the mail itself (IDNA). Raises ValueError for what is neither.
    """
    local, _, domain = text.strip().lower().rpartition("@")
    domain = _domain(domain)
    if not domain:
        raise ValueError(text)
    if not local:
        return domain
    local = local.partition("+")[0]
    if domain in DOMAINS_IGNORING_DOTS:
        local = local.replace(".", "")
    if not local or "@" in local or any(sign.isspace() for sign in local):
        raise ValueError(text)
    return f"{local}@{domain}"


def matching_email_rules(address: str) -> list[str]:
    """What would block this address: itself, its domain, and every domain above that."""
    try:
        value = normalize_email_rule(address)
    except ValueError:
        return []
    labels = value.rpartition("@")[2].split(".")
    return [value, *(".".join(labels[n:]) for n in range(len(labels)))]


def _domain(text: str) -> str:
    """As in mail: ASCII. "" for what can be none."""
    domain = text.strip(".")
    try:
        domain = domain.encode("idna").decode("ascii").lower()
    except UnicodeError:
        return ""
    is_plain = all(sign.isalnum() or sign in "-.[]:_" for sign in domain)
    return domain if domain and is_plain and len(domain) <= 253 else ""


def normalize_name(text: str) -> str:
    """A user name without its separators, and with one letter for all that look alike: "Adm1n" is "admln",
    and so is "a.d.m.i.n"."""
    plain = "".join(sign for sign in text.lower() if sign not in SEPARATORS)
    return plain.translate(LOOK_ALIKES).replace("rn", "m").replace("vv", "w")


def normalized_words(name: str) -> list[str]:
    """The words of a user name, which stand between separators, also without digits around them."""
    words = name.lower().replace("_", ".").split(".")
    bare = [word.strip("0123456789") for word in words]
    return list(dict.fromkeys(normalize_name(word) for word in (*words, *bare) if word))


def normalize_network(text: str) -> str:
    """An address or a network ("192.0.2.0/24") as it is kept, with its length. Raises ValueError."""
    network = ipaddress.ip_network(text.strip(), strict=False)
    if isinstance(network, ipaddress.IPv6Network) and network.prefixlen >= 96:
        mapped = network.network_address.ipv4_mapped
        if mapped is not None:
            network = ipaddress.ip_network((mapped, network.prefixlen - 96))
    return str(network)


def containing_networks(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> list[str]:
    """All networks that the address is in, from itself to all."""
    return [
        str(ipaddress.ip_network((address, length), strict=False))
        for length in range(address.max_prefixlen, -1, -1)
    ]
