"""What is blocked. Each is one command, but ``is_shut_out``, which every request asks: none."""

import time
from dataclasses import dataclass, field

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.utils.translation import gettext as _

from accounts.client_address import Address, address_in
from accounts.guards import values
from accounts.guards.models import BlockedMail, BlockedName, BlockedNetwork, lasting

FRESH_SECONDS = 5.0
"""After so long a process asks again who is shut out."""

Networks = dict[tuple[int, int], set[int]]
"""By version and length of the prefix, the first address of each."""


@dataclass(slots=True)
class _Known:
    """Of this process."""

    until: float = -1.0
    networks: Networks = field(default_factory=dict)


_known = _Known()


def refuse_blocked_mail(*, address: str) -> None:
    """Raises ValidationError for an address that is blocked, or whose domain is."""
    if BlockedMail.objects.filter(lasting(), value__in=values.mail_values(address)).exists():
        said = _("This address cannot be used here. Please take another one.")
        raise ValidationError(said, code="blocked")


def refuse_blocked_name(*, name: str) -> None:
    """Raises ValidationError for a user name that looks like a blocked one, or has one as a word."""
    whole = Q(value=values.name_value(name))
    word = Q(value__in=values.word_values(name), is_word=True)
    if BlockedName.objects.filter(lasting(), whole | word).exists():
        said = _("This name cannot be used here. Please choose another.")
        raise ValidationError(said, code="blocked")


def may_sign_up_from(*, address: Address | None) -> bool:
    if address is None:
        return True
    blocked = BlockedNetwork.objects.filter(lasting(), value__in=values.network_values(address))
    return not blocked.exists()


def is_shut_out(*, address: Address | None) -> bool:
    """Whether who comes from there gets no page; known a few seconds late."""
    if address is None:
        return False
    if time.monotonic() >= _known.until:
        _known.networks = _networks()
        _known.until = time.monotonic() + FRESH_SECONDS
    number = int(address)
    for (version, length), first_ones in _known.networks.items():
        spare = address.max_prefixlen - length
        if version == address.version and number >> spare << spare in first_ones:
            return True
    return False


def forget_networks() -> None:
    """Ask again at the next request."""
    _known.until = -1.0


def _networks() -> Networks:
    found: Networks = {}
    blocked = BlockedNetwork.objects.filter(lasting(), covers=BlockedNetwork.Covers.ALL)
    for value in blocked.values_list("value", flat=True):
        first, _, length = value.partition("/")
        address = address_in(first)
        if address is not None:
            found.setdefault((address.version, int(length)), set()).add(int(address))
    return found
