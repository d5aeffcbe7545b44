"""What somebody was told, in sentences: the newest (``page``), with those of one thing in one group, and
the history; and chosen items, for mails (``telling``)."""

from notifications.store.boxes import unread as unread_count
from notifications.store.choices import Choices, MailChoice
from notifications.store.choices import get as choices_of
from notifications.store.threads import is_followed as follows_thread
from notifications.store.threads import is_muted as mutes_thread

from .page import HistoryPage, NotificationsPage, history_page, notifications_page
from .telling import told
from .views import Notification

__all__ = [
    "Choices",
    "HistoryPage",
    "MailChoice",
    "Notification",
    "NotificationsPage",
    "choices_of",
    "follows_thread",
    "history_page",
    "mutes_thread",
    "notifications_page",
    "told",
    "unread_count",
]
