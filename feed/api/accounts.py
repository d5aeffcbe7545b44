"""People: oneself, and others by id or name."""

from typing import Any

from django.http import Http404

from accounts import selectors as people
from accounts.api import ApiRequest, Who, endpoint
from accounts.models import User

from .entities import Account, account_of
from .entities.accounts import Role, Source


def account_or_404(*, uid: int) -> Account:
    found = account_of(uid=uid)
    if found is None:
        raise Http404("No such person.")
    return found


@endpoint("profile", "read:accounts", returns=Account)
def verify_credentials(request: ApiRequest) -> Any:
    """Who calls."""
    return own_account(request.person)


def own_account(me: User) -> Account:
    shown = account_or_404(uid=me.pk)
    source: Source = {
        "note": me.bio,
        "fields": [],
        "privacy": "public",
        "sensitive": False,
        "language": None,
        "follow_requests_count": people.count_follow_requests(uid=me.pk),
        "hide_collections": me.is_private,
        "discoverable": not me.is_private,
        "indexable": not me.is_private,
    }
    role: Role = {"id": "-99", "name": "", "color": "", "permissions": "0", "highlighted": False}
    return {**shown, "source": source, "role": role}


@endpoint("read:accounts", who=Who.ANYBODY, returns=Account)
def show(request: ApiRequest, uid: int) -> Any:
    """Somebody."""
    return account_or_404(uid=uid)
