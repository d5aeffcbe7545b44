"""What somebody was told, of chosen items: for mails."""

from collections.abc import Sequence

from notifications.store.items import Item

from .grouping import grouped
from .views import Notification, views_of


def told(*, reader: int, items: Sequence[Item]) -> list[Notification]:
    """In sentences, but for what cannot be shown to the reader now. ``items``: the newest first. A constant
    number of commands."""
    return list(views_of(groups=grouped(items), reader=reader).shown)
