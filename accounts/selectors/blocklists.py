"""Checks against the blocklists.

Each check costs one command. Only ``is_network_blocked`` reads a copy in memory, because every request
calls it.
"""

import time
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.blocklists import normalization
from accounts.blocklists.models import BlockedEmail, BlockedName, BlockedNetwork, not_expired
from accounts.infra.client_address import Address, parse_address

CACHE_SECONDS = 5.0
"""How long a process uses its copy of the blocked networks before it reads the database again."""

BlockedNetworks = dict[tuple[int, int], set[int]]
"""For each pair of IP version and prefix length, the first addresses of the blocked networks as numbers."""


@dataclass(slots=True)
class _NetworkCache:
    """This process's copy of the blocked networks. ``expires_at``: seconds of ``time.monotonic``."""

    expires_at: float = -1.0
    networks: BlockedNetworks = field(default_factory=dict)


_network_cache = _NetworkCache()


def reject_blocked_email(*, address: str) -> None:
    """Raise ValidationError if this email address or its domain is blocked."""
    if BlockedEmail.objects.filter(
        not_expired(), value__in=normalization.matching_email_rules(address)
    ).exists():
        message = _("This email address is not accepted. Use another one.")
        raise ValidationError(message, code="blocked")


def reject_blocked_name(*, name: str) -> None:
    """Raise ValidationError if a username looks like a blocked name or contains a blocked word."""
    whole_name = Q(value=normalization.normalize_name(name))
    any_word = Q(value__in=normalization.normalized_words(name), matches_words=True)
    if BlockedName.objects.filter(not_expired(), whole_name | any_word).exists():
        message = _("This username is not allowed. Choose another one.")
        raise ValidationError(message, code="blocked")


def can_sign_up_from(*, address: Address | None) -> bool:
    if address is None:
        return True
    blocked = BlockedNetwork.objects.filter(
        not_expired(), value__in=normalization.containing_networks(address)
    )
    return not blocked.exists()


def is_network_blocked(*, address: Address | None) -> bool:
    """Return whether the site refuses requests from this address.

    Other processes apply a change of the blocklist after up to ``CACHE_SECONDS``.
    """
    if address is None:
        return False
    if time.monotonic() >= _network_cache.expires_at:
        _network_cache.networks = _load_networks()
        _network_cache.expires_at = time.monotonic() + CACHE_SECONDS
    number = int(address)
    for (version, prefix_length), first_addresses in _network_cache.networks.items():
        host_bits = address.max_prefixlen - prefix_length
        if version == address.version and number >> host_bits << host_bits in first_addresses:
            return True
    return False


def clear_network_cache() -> None:
    """Make this process read the blocked networks again on the next request."""
    _network_cache.expires_at = -1.0


def _load_networks() -> BlockedNetworks:
    networks: BlockedNetworks = {}
    blocked = BlockedNetwork.objects.filter(not_expired(), scope=BlockedNetwork.Scope.ALL)
    for value in blocked.values_list("value", flat=True):
        first_address, _, length = value.partition("/")
        address = parse_address(first_address)
        if address is not None:
            networks.setdefault((address.version, int(length)), set()).add(int(address))
    return networks
