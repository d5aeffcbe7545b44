"""What the API sends of notifications, as types."""

from .groups import GroupedNotifications, groups_of
from .notifications import Notification, group_key, kinds_of, notifications_of
from .policies import Policy, V1Policy
from .requests import NotificationRequest, requests_of

__all__ = [
    "GroupedNotifications",
    "Notification",
    "NotificationRequest",
    "Policy",
    "V1Policy",
    "group_key",
    "groups_of",
    "kinds_of",
    "notifications_of",
    "requests_of",
]
