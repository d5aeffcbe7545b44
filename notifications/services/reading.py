"""What somebody has read, and what they do not want to see any more."""

from collections.abc import Collection

from django.utils import timezone

from notifications.store import boxes, dismissals


def mark_read(*, reader: int, ids: Collection[int]) -> None:
    boxes.mark(reader=reader, ids=ids, is_read=True)


def mark_unread(*, reader: int, ids: Collection[int]) -> None:
    """To come back to them: pages do not mark them as seen."""
    boxes.mark(reader=reader, ids=ids, is_read=False)


def mark_seen(*, reader: int, ids: Collection[int]) -> None:
    """They were on a page; those made unread again stay so."""
    boxes.mark(reader=reader, ids=ids, is_read=True, is_seen_only=True)


def dismiss(*, reader: int, ids: Collection[int]) -> bool:
    """Until the next dismissal ``restore`` brings them back. False if none of them was there."""
    return dismissals.dismiss(reader=reader, ids=ids, at=timezone.now())


def clear(*, reader: int, ids: Collection[int]) -> bool:
    """As ``dismiss``, and everything that is older than all in the box."""
    return dismissals.clear(reader=reader, ids=ids, at=timezone.now())


def restore(*, reader: int) -> bool:
    """Take the last dismissal back. False if there is none."""
    return dismissals.restore(reader=reader)


def let_through(*, reader: int, ids: Collection[int]) -> None:
    """Bring held items among the others."""
    boxes.let_through(reader=reader, ids=ids)
