"""By whom one is told at once. What is not told at once is held; nothing is dropped unheard."""

from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from accounts.api import ApiRequest, Inputs, OnlyAllowed, endpoint
from notifications import selectors, services
from notifications.services.telling import NEW, NOT_FOLLOWING, STRANGER

from .entities import Policy, V1Policy, kinds_of
from .entities.policies import PolicySummary

ACCEPT, FILTER, DROP = "accept", "filter", "drop"
OURS = {"not_following": STRANGER, "not_followers": NOT_FOLLOWING, "new_accounts": NEW}
"""What Mastodon calls the classes of people."""


ALWAYS_ACCEPTED = _("These notifications are always accepted here.")


class Choice(serializers.ChoiceField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=[ACCEPT, FILTER, DROP], required=False, **kwargs)


class ChangedPolicy(Inputs):
    """``drop`` is as ``filter`` here; private mentions and limited accounts are always accepted."""

    for_not_following = Choice()
    for_not_followers = Choice()
    for_new_accounts = Choice()
    for_private_mentions = Choice(validators=[OnlyAllowed(ALWAYS_ACCEPTED, ACCEPT)])
    for_limited_accounts = Choice(validators=[OnlyAllowed(ALWAYS_ACCEPTED, ACCEPT)])


class ChangedV1Policy(Inputs):
    filter_not_following = serializers.BooleanField(required=False)
    filter_not_followers = serializers.BooleanField(required=False)
    filter_new_accounts = serializers.BooleanField(required=False)
    filter_private_mentions = serializers.BooleanField(
        required=False, validators=[OnlyAllowed(ALWAYS_ACCEPTED, False)]
    )


@endpoint("read:notifications", returns=Policy)
def show(request: ApiRequest) -> Any:
    """By whom one is told at once."""
    return _policy(request.uid)


@endpoint("write:notifications", takes=ChangedPolicy, returns=Policy)
def change(request: ApiRequest) -> Any:
    """Choose by whom one is told at once."""
    _choose(request, {name: request.given.get(f"for_{name}") for name in OURS}, accept=ACCEPT)
    return _policy(request.uid)


@endpoint("read:notifications", returns=V1Policy)
def show_v1(request: ApiRequest) -> Any:
    """By whom one is told at once, as earlier apps ask."""
    return _v1(_policy(request.uid))


@endpoint("write:notifications", takes=ChangedV1Policy, returns=V1Policy)
def change_v1(request: ApiRequest) -> Any:
    """Choose by whom one is told at once, as earlier apps do."""
    _choose(request, {name: request.given.get(f"filter_{name}") for name in OURS}, accept=False)
    return _v1(_policy(request.uid))


def _choose(request: ApiRequest, wanted: dict[str, Any], *, accept: Any) -> None:
    """Those that are None stay as they are."""
    now = selectors.choices_of(reader=request.uid)
    filters = set(now.filters)
    for name, value in wanted.items():
        if value is not None:
            (filters.discard if value == accept else filters.add)(OURS[name])
    if filters != now.filters:
        services.choose(reader=request.uid, off=sorted(now.off), filters=sorted(filters))


def _policy(reader: int) -> Policy:
    filters = selectors.choices_of(reader=reader).filters
    held = selectors.held_singles(reader=reader, kinds=kinds_of())
    summary: PolicySummary = {
        "pending_requests_count": len({one.first.uid for one in held if one.first}),
        "pending_notifications_count": len(held),
    }
    return {
        "for_not_following": FILTER if STRANGER in filters else ACCEPT,
        "for_not_followers": FILTER if NOT_FOLLOWING in filters else ACCEPT,
        "for_new_accounts": FILTER if NEW in filters else ACCEPT,
        "for_private_mentions": ACCEPT,
        "for_limited_accounts": ACCEPT,
        "summary": summary,
    }


def _v1(policy: Policy) -> V1Policy:
    return {
        "filter_not_following": policy["for_not_following"] == FILTER,
        "filter_not_followers": policy["for_not_followers"] == FILTER,
        "filter_new_accounts": policy["for_new_accounts"] == FILTER,
        "filter_private_mentions": False,
        "summary": policy["summary"],
    }
