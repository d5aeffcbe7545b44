"""Filtered notifications: the policy that filters by sender, and requests.

A request has the filtered notifications of one sender, which the user accepts or dismisses. The site never
drops notifications. See https://docs.joinmastodon.org/entities/NotificationPolicy/.
"""

from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

from django.http import Http404
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from feed.selectors.list_pages import list_page
from feed.store.post_rows import IdRange
from notifications.selectors.flat_pages import filtered_notifications
from notifications.selectors.notification_views import NotificationView
from notifications.services.boxes import accept_filtered_from, dismiss_filtered_from
from notifications.services.delivery import NEW_ACCOUNT, NOT_FOLLOWED, NOT_FOLLOWER
from notifications.store.preferences import get_preferences, save_kinds

from .account_lists import AccountPageInputs
from .plumbing.endpoints import ApiRequest, Page, endpoint
from .plumbing.inputs import IdListField, Inputs, OnlyAllowed
from .serializers.accounts import Account
from .serializers.notifications import (
    account_uid,
    accounts_by_uid,
    kind_names_of_types,
    status_id,
    statuses_by_id,
)
from .serializers.statuses import Status
from .serializers.values import DateTime, EmptyObject, Id, format_datetime


class NotificationRequest(TypedDict):
    """``id`` is the id of the account."""

    id: Id
    created_at: DateTime
    updated_at: DateTime
    account: Account
    notifications_count: str
    last_status: NotRequired[Status]


def serialize_requests(
    *, filtered: Sequence[NotificationView], viewer: int
) -> list[NotificationRequest]:
    """Return one request per sender, latest first. ``filtered`` is newest first."""
    if not filtered:
        return []
    notifications_by_uid: dict[int, list[NotificationView]] = {}
    for notification in filtered:
        notifications_by_uid.setdefault(account_uid(notification, viewer=viewer), []).append(
            notification
        )
    accounts = accounts_by_uid(notifications=filtered, viewer=viewer)
    statuses = statuses_by_id(notifications=filtered, viewer=viewer)
    return [
        _request(accounts[uid], notifications, statuses)
        for uid, notifications in notifications_by_uid.items()
        if uid in accounts
    ]


def _request(
    account: Account, notifications: list[NotificationView], statuses: dict[int, Status]
) -> NotificationRequest:
    request: Any = {
        "id": account["id"],
        "created_at": format_datetime(notifications[-1].created_at),
        "updated_at": format_datetime(notifications[0].created_at),
        "account": account,
        "notifications_count": str(len(notifications)),
    }
    status_ids = (
        status for notification in notifications if (status := status_id(notification)) in statuses
    )
    if (last_status_id := next(status_ids, None)) is not None:
        request["last_status"] = statuses[last_status_id]
    return request  # type: ignore[no-any-return]


class MergedState(TypedDict):
    merged: bool


class RequestIdsInputs(Inputs):
    id = IdListField(max_length=100)


@endpoint("read:notifications", inputs=AccountPageInputs, returns=list[NotificationRequest])
def list_requests(request: ApiRequest) -> Any:
    """List the senders of filtered notifications, latest first.

    The cursor of a sender is the id of the newest notification from this sender.
    """
    bounds = request.page_bounds
    notifications = filtered_notifications(viewer=request.uid, kinds=kind_names_of_types())
    newest_ids: dict[int, int] = {}
    for notification in notifications:
        newest_ids.setdefault(_actor_uid(notification), notification.id)
    id_range = IdRange.within(bounds)
    rows = [(newest, uid) for uid, newest in newest_ids.items() if id_range.contains(newest)]
    if bounds.is_ascending:
        rows.reverse()
    page = list_page(rows=rows[: bounds.limit + 1], bounds=bounds)
    requests = serialize_requests(
        filtered=[
            notification for notification in notifications if _actor_uid(notification) in page.items
        ],
        viewer=request.uid,
    )
    return Page.around(page, requests)


@endpoint("read:notifications", returns=NotificationRequest)
def show_request(request: ApiRequest, uid: int) -> Any:
    """Return the filtered notifications of one sender."""
    notifications = filtered_notifications(viewer=request.uid, kinds=kind_names_of_types())
    sender_notifications = [
        notification for notification in notifications if _actor_uid(notification) == uid
    ]
    for notification_request in serialize_requests(
        filtered=sender_notifications, viewer=request.uid
    ):
        return notification_request
    raise Http404("No filtered notifications from this user.")


@endpoint("write:notifications", returns=EmptyObject)
def accept_request(request: ApiRequest, uid: int) -> None:
    """Accept one sender's filtered notifications. Later notifications are filtered again."""
    accept_filtered_from(recipient=request.uid, actor=uid)


@endpoint("write:notifications", returns=EmptyObject)
def dismiss_request(request: ApiRequest, uid: int) -> None:
    """Dismiss one sender's filtered notifications."""
    dismiss_filtered_from(recipient=request.uid, actor=uid)


@endpoint("write:notifications", inputs=RequestIdsInputs, returns=EmptyObject)
def accept_requests(request: ApiRequest) -> None:
    """Accept several senders' filtered notifications."""
    for uid in dict.fromkeys(request.inputs["id"]):
        accept_filtered_from(recipient=request.uid, actor=uid)


@endpoint("write:notifications", inputs=RequestIdsInputs, returns=EmptyObject)
def dismiss_requests(request: ApiRequest) -> None:
    """Dismiss several senders' filtered notifications."""
    for uid in dict.fromkeys(request.inputs["id"]):
        dismiss_filtered_from(recipient=request.uid, actor=uid)


@endpoint("read:notifications", returns=MergedState)
def show_merged_state(request: ApiRequest) -> Any:
    """Return true, because the site merges accepted notifications immediately."""
    return {"merged": True}


def _actor_uid(notification: NotificationView) -> int:
    return notification.first_actor.uid if notification.first_actor else 0


# --- The policy ----------------------------------------------------------------------------------
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


@endpoint("read:notifications", returns=NotificationPolicy, tag="notification_policy")
def show_policy(request: ApiRequest) -> Any:
    """Return the notification policy."""
    return _read_policy(request.uid)


@endpoint(
    "write:notifications",
    inputs=PolicyInputs,
    returns=NotificationPolicy,
    tag="notification_policy",
)
def update_policy(request: ApiRequest) -> Any:
    """Update the notification policy."""
    _update_filters(request, "for_", accept=ACCEPT)
    return _read_policy(request.uid)


@endpoint("read:notifications", returns=NotificationPolicyV1, tag="notification_policy")
def show_policy_v1(request: ApiRequest) -> Any:
    """Return the notification policy in the older format."""
    return _to_v1(_read_policy(request.uid))


@endpoint(
    "write:notifications",
    inputs=PolicyV1Inputs,
    returns=NotificationPolicyV1,
    tag="notification_policy",
)
def update_policy_v1(request: ApiRequest) -> Any:
    """Update the notification policy in the older format."""
    _update_filters(request, "filter_", accept=False)
    return _to_v1(_read_policy(request.uid))


def _update_filters(request: ApiRequest, prefix: str, *, accept: Any) -> None:
    """Update the filters of sender classes. A missing input changes nothing."""
    preferences = get_preferences(recipient=request.uid)
    filters = set(preferences.filters)
    for name, sender_class in SENDER_CLASSES.items():
        value = request.inputs.get(prefix + name)
        if value is not None:
            (filters.discard if value == accept else filters.add)(sender_class)
    if filters != preferences.filters:
        save_kinds(
            recipient=request.uid,
            disabled_kinds=sorted(preferences.disabled_kinds),
            filters=sorted(filters),
        )


def _read_policy(viewer: int) -> NotificationPolicy:
    filters = get_preferences(recipient=viewer).filters
    notifications = filtered_notifications(viewer=viewer, kinds=kind_names_of_types())
    senders = {row.first_actor.uid for row in notifications if row.first_actor}
    return {
        "for_not_following": FILTER if NOT_FOLLOWED in filters else ACCEPT,
        "for_not_followers": FILTER if NOT_FOLLOWER in filters else ACCEPT,
        "for_new_accounts": FILTER if NEW_ACCOUNT in filters else ACCEPT,
        "for_private_mentions": ACCEPT,
        "for_limited_accounts": ACCEPT,
        "summary": {
            "pending_requests_count": len(senders),
            "pending_notifications_count": len(notifications),
        },
    }


def _to_v1(policy: NotificationPolicy) -> NotificationPolicyV1:
    return {
        "filter_not_following": policy["for_not_following"] == FILTER,
        "filter_not_followers": policy["for_not_followers"] == FILTER,
        "filter_new_accounts": policy["for_new_accounts"] == FILTER,
        "filter_private_mentions": False,
        "summary": policy["summary"],
    }
