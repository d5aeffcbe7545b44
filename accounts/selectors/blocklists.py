"""What is blocked. Each is one command, but ``is_shut_out``, which every request asks: none."""

import time
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.blocklists import normalization
from accounts.blocklists.models import BlockedEmail, BlockedName, BlockedNetwork, not_expired
from accounts.infra.client_address import Address, parse_address

CACHE_SECONDS = 5.0
"""After so long a process asks again who is shut out."""

BlockedNetworks = dict[tuple[int, int], set[int]]
"""By version and length of the prefix, the first address of each."""


@dataclass(slots=True)
class _Known:
    """Of this process."""

    until: float = -1.0
    networks: BlockedNetworks = field(default_factory=dict)


_known = _Known()


def reject_blocked_email(*, address: str) -> None:
    """Raises ValidationError for an address that is blocked, or whose domain is."""
    if BlockedEmail.objects.filter(
        not_expired(), value__in=normalization.matching_email_rules(address)
    ).exists():
        said = _("This address cannot be used here. Please take another one.")
        raise ValidationError(said, code="blocked")


def reject_blocked_name(*, name: str) -> None:
    """Raises ValidationError for a user name that looks like a blocked one, or has one as a word."""
    whole = Q(value=normalization.normalize_name(name))
    word = Q(value__in=normalization.normalized_words(name), is_word=True)
    if BlockedName.objects.filter(not_expired(), whole | word).exists():
        said = _("This name cannot be used here. Please choose another.")
        raise ValidationError(said, code="blocked")


def can_sign_up_from(*, address: Address | None) -> bool:
    if address is None:
        return True
    blocked = BlockedNetwork.objects.filter(
        not_expired(), value__in=normalization.containing_networks(address)
    )
    return not blocked.exists()


def is_network_blocked(*, address: Address | None) -> bool:
    """Whether who comes from there gets no page; known a few seconds late."""
    if address is None:
        return False
    if time.monotonic() >= _known.until:
        _known.networks = _networks()
        _known.until = time.monotonic() + CACHE_SECONDS
    number = int(address)
    for (version, length), first_ones in _known.networks.items():
        spare = address.max_prefixlen - length
        if version == address.version and number >> spare << spare in first_ones:
            return True
    return False


def clear_network_cache() -> None:
    """Ask again at the next request."""
    _known.until = -1.0


def _networks() -> BlockedNetworks:
    found: BlockedNetworks = {}
    blocked = BlockedNetwork.objects.filter(not_expired(), covers=BlockedNetwork.Scope.ALL)
    for value in blocked.values_list("value", flat=True):
        first, _, length = value.partition("/")
        address = parse_address(first)
        if address is not None:
            found.setdefault((address.version, int(length)), set()).add(int(address))
    return found
