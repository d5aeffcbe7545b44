"""Up to where somebody has seen their notifications, whether in an app or on the pages."""

from accounts.ids import time_of
from notifications.kinds import kind_of
from notifications.store import markers
from notifications.store.items import Item
from notifications.store.markers import Marker


def marker(*, reader: int) -> Marker | None:
    """None if they have seen none. One command."""
    told, items = markers.get(reader=reader)
    seen = _seen_up_to(items)
    if seen and (told is None or told.position < seen):
        return Marker(seen, told.version if told else 0, time_of(id=seen))
    return told


def _seen_up_to(items: list[Item]) -> int:
    """All that apps know are read up to this one; 0 if none is."""
    last = 0
    for item in items:
        kind = kind_of(item.kind)
        if kind is not None and kind.app_type:
            if not item.is_read:
                break
            last = item.id
    return last
