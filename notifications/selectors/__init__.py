"""What somebody was told, in sentences: the newest (``page``), with those of one thing in one group, and
the history; and chosen items, for mails (``telling``)."""

from notifications.store.boxes import unread as unread_count
from notifications.store.choices import Choices, KindChoice, MailChoice
from notifications.store.choices import get as choices_of
from notifications.store.endpoints import AppWish, Device
from notifications.store.endpoints import of as devices_of
from notifications.store.endpoints import of_token as device_of_token
from notifications.store.endpoints import owners_among as owners_of_devices
from notifications.store.threads import is_followed as follows_thread
from notifications.store.threads import is_muted as mutes_thread
from notifications.store.threads import muted_by as muted_threads

from .exporting import exported_choices
from .markers import marker
from .page import HistoryPage, NotificationsPage, history_page, notifications_page
from .singles import (
    SinglesPage,
    held_singles,
    items_in_box,
    single,
    singles,
    singles_page,
    unread_singles,
)
from .telling import told
from .views import Notification

__all__ = [
    "AppWish",
    "Choices",
    "Device",
    "HistoryPage",
    "KindChoice",
    "MailChoice",
    "Notification",
    "NotificationsPage",
    "SinglesPage",
    "choices_of",
    "device_of_token",
    "devices_of",
    "exported_choices",
    "follows_thread",
    "held_singles",
    "history_page",
    "items_in_box",
    "marker",
    "muted_threads",
    "mutes_thread",
    "notifications_page",
    "owners_of_devices",
    "single",
    "singles",
    "singles_page",
    "told",
    "unread_count",
    "unread_singles",
]
