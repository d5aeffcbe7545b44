"""By whom one is told at once: https://docs.joinmastodon.org/entities/NotificationPolicy/."""

from typing import TypedDict


class PolicySummary(TypedDict):
    pending_requests_count: int
    pending_notifications_count: int


class Policy(TypedDict):
    """``accept``: at once; ``filter``: held, until one lets it through."""

    for_not_following: str
    for_not_followers: str
    for_new_accounts: str
    for_private_mentions: str
    for_limited_accounts: str
    summary: PolicySummary


class V1Policy(TypedDict):
    """The same in the words of an earlier version."""

    filter_not_following: bool
    filter_not_followers: bool
    filter_new_accounts: bool
    filter_private_mentions: bool
    summary: PolicySummary
