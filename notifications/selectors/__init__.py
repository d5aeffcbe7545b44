"""What somebody was told, in sentences: the newest (``page``), with those of one thing in one group, and
the history; and chosen items, for mails (``telling``)."""

from notifications.store.boxes import unread as unread_count
from notifications.store.choices import Choices, KindChoice, MailChoice
from notifications.store.choices import get as choices_of
from notifications.store.endpoints import Device
from notifications.store.endpoints import of as devices_of
from notifications.store.endpoints import owners_among as owners_of_devices
from notifications.store.threads import is_followed as follows_thread
from notifications.store.threads import is_muted as mutes_thread

from .exporting import exported_choices
from .page import HistoryPage, NotificationsPage, history_page, notifications_page
from .telling import told
from .views import Notification

__all__ = [
    "Choices",
    "Device",
    "HistoryPage",
    "KindChoice",
    "MailChoice",
    "Notification",
    "NotificationsPage",
    "choices_of",
    "devices_of",
    "exported_choices",
    "follows_thread",
    "history_page",
    "mutes_thread",
    "notifications_page",
    "owners_of_devices",
    "told",
    "unread_count",
]
