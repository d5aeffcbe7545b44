"""The policy that filters notifications by sender.

See https://docs.joinmastodon.org/entities/NotificationPolicy/. The site never drops notifications.
"""

from typing import Any, TypedDict

from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from notifications.selectors.flat_pages import filtered_notifications
from notifications.services.delivery import NEW_ACCOUNT, NOT_FOLLOWED, NOT_FOLLOWER
from notifications.services.preferences import save_preferences
from notifications.store.preferences import get_preferences

from .plumbing.endpoints import ApiRequest, endpoint
from .plumbing.inputs import Inputs, OnlyAllowed
from .serializers.notifications import kind_names_of_types


class PolicySummary(TypedDict):
    pending_requests_count: int
    pending_notifications_count: int


class NotificationPolicy(TypedDict):
    """``accept`` notifies at once. ``filter`` keeps notifications until the user accepts the sender."""

    for_not_following: str
    for_not_followers: str
    for_new_accounts: str
    for_private_mentions: str
    for_limited_accounts: str
    summary: PolicySummary


class NotificationPolicyV1(TypedDict):
    """The notification policy in an older format."""

    filter_not_following: bool
    filter_not_followers: bool
    filter_new_accounts: bool
    filter_private_mentions: bool
    summary: PolicySummary


ACCEPT, FILTER, DROP = "accept", "filter", "drop"
SENDER_CLASSES = {
    "not_following": NOT_FOLLOWED,
    "not_followers": NOT_FOLLOWER,
    "new_accounts": NEW_ACCOUNT,
}
"""Sender classes by Mastodon's names."""


ALWAYS_ACCEPTED = _("These notifications are always accepted here.")


class PolicyField(serializers.ChoiceField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(choices=[ACCEPT, FILTER, DROP], required=False, **kwargs)


class PolicyInputs(Inputs):
    """``drop`` acts like ``filter``. Private mentions and limited accounts are always accepted."""

    for_not_following = PolicyField()
    for_not_followers = PolicyField()
    for_new_accounts = PolicyField()
    for_private_mentions = PolicyField(validators=[OnlyAllowed(ALWAYS_ACCEPTED, ACCEPT)])
    for_limited_accounts = PolicyField(validators=[OnlyAllowed(ALWAYS_ACCEPTED, ACCEPT)])


class PolicyV1Inputs(Inputs):
    filter_not_following = serializers.BooleanField(required=False)
    filter_not_followers = serializers.BooleanField(required=False)
    filter_new_accounts = serializers.BooleanField(required=False)
    filter_private_mentions = serializers.BooleanField(
        required=False, validators=[OnlyAllowed(ALWAYS_ACCEPTED, False)]
    )


@endpoint("read:notifications", returns=NotificationPolicy)
def show_policy(request: ApiRequest) -> Any:
    """Return the notification policy."""
    return _read_policy(request.uid)


@endpoint("write:notifications", inputs=PolicyInputs, returns=NotificationPolicy)
def update_policy(request: ApiRequest) -> Any:
    """Update the notification policy."""
    _update_filters(
        request, {name: request.inputs.get(f"for_{name}") for name in SENDER_CLASSES}, accept=ACCEPT
    )
    return _read_policy(request.uid)


@endpoint("read:notifications", returns=NotificationPolicyV1)
def show_policy_v1(request: ApiRequest) -> Any:
    """Return the notification policy in the older format."""
    return _to_v1(_read_policy(request.uid))


@endpoint("write:notifications", inputs=PolicyV1Inputs, returns=NotificationPolicyV1)
def update_policy_v1(request: ApiRequest) -> Any:
    """Update the notification policy in the older format."""
    _update_filters(
        request,
        {name: request.inputs.get(f"filter_{name}") for name in SENDER_CLASSES},
        accept=False,
    )
    return _to_v1(_read_policy(request.uid))


def _update_filters(request: ApiRequest, policies: dict[str, Any], *, accept: Any) -> None:
    """Update the filters of the sender classes in ``policies``. A value of None changes nothing."""
    preferences = get_preferences(recipient=request.uid)
    filters = set(preferences.filters)
    for name, value in policies.items():
        if value is not None:
            (filters.discard if value == accept else filters.add)(SENDER_CLASSES[name])
    if filters != preferences.filters:
        save_preferences(
            recipient=request.uid,
            disabled_kinds=sorted(preferences.disabled_kinds),
            filters=sorted(filters),
        )


def _read_policy(viewer: int) -> NotificationPolicy:
    filters = get_preferences(recipient=viewer).filters
    notifications = filtered_notifications(viewer=viewer, kinds=kind_names_of_types())
    summary: PolicySummary = {
        "pending_requests_count": len(
            {
                notification.first_actor.uid
                for notification in notifications
                if notification.first_actor
            }
        ),
        "pending_notifications_count": len(notifications),
    }
    return {
        "for_not_following": FILTER if NOT_FOLLOWED in filters else ACCEPT,
        "for_not_followers": FILTER if NOT_FOLLOWER in filters else ACCEPT,
        "for_new_accounts": FILTER if NEW_ACCOUNT in filters else ACCEPT,
        "for_private_mentions": ACCEPT,
        "for_limited_accounts": ACCEPT,
        "summary": summary,
    }


def _to_v1(policy: NotificationPolicy) -> NotificationPolicyV1:
    return {
        "filter_not_following": policy["for_not_following"] == FILTER,
        "filter_not_followers": policy["for_not_followers"] == FILTER,
        "filter_new_accounts": policy["for_new_accounts"] == FILTER,
        "filter_private_mentions": False,
        "summary": policy["summary"],
    }
