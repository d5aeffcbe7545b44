"""What somebody has read, and what they do not want to see any more."""

from collections.abc import Collection

from django.utils import timezone

from accounts.ids import first_id_at
from notifications.store import boxes, dismissals, history, markers


def mark_read(*, reader: int, ids: Collection[int]) -> None:
    boxes.mark(reader=reader, ids=ids, is_read=True)


def mark_unread(*, reader: int, ids: Collection[int]) -> None:
    """To come back to them: pages do not mark them as seen."""
    boxes.mark(reader=reader, ids=ids, is_read=False)


def mark_seen(*, reader: int, ids: Collection[int]) -> None:
    """They were on a page; those made unread again stay so."""
    boxes.mark(reader=reader, ids=ids, is_read=True, is_seen_only=True)


def mark_seen_up_to(*, reader: int, newest: int) -> None:
    """An app has shown everything up to this item; never goes back."""
    # Not beyond what there can be, or nothing would ever be new again.
    newest = min(newest, first_id_at(moment=timezone.now()))
    markers.advance(reader=reader, position=newest, at=timezone.now())
    unread = [item.id for item in boxes.get(reader=reader).items if not item.is_read]
    if ids := [one for one in unread if one <= newest]:
        mark_seen(reader=reader, ids=ids)


def dismiss(*, reader: int, ids: Collection[int]) -> bool:
    """Until the next dismissal ``restore`` brings them back. False if none of them was there."""
    return dismissals.dismiss(reader=reader, ids=ids, at=timezone.now())


def dismiss_old(*, reader: int, ids: Collection[int]) -> None:
    """Those that are in the history already, which no undo brings back."""
    history.remove(reader=reader, ids=ids)


def dismiss_held(*, reader: int, actor: int) -> None:
    """What waits to be let through of this person."""
    if ids := _held(reader, actor):
        dismiss(reader=reader, ids=ids)


def let_person_through(*, reader: int, actor: int) -> None:
    """Bring what is held of this person among the others."""
    if ids := _held(reader, actor):
        let_through(reader=reader, ids=ids)


def clear_all(*, reader: int) -> None:
    """Everything but what is held."""
    items = boxes.get(reader=reader).items
    clear(reader=reader, ids=[item.id for item in items])


def clear(*, reader: int, ids: Collection[int]) -> bool:
    """As ``dismiss``, and everything that is older than all in the box."""
    return dismissals.clear(reader=reader, ids=ids, at=timezone.now())


def restore(*, reader: int) -> bool:
    """Take the last dismissal back. False if there is none."""
    return dismissals.restore(reader=reader)


def let_through(*, reader: int, ids: Collection[int]) -> None:
    """Bring held items among the others."""
    boxes.let_through(reader=reader, ids=ids)


def _held(reader: int, actor: int) -> list[int]:
    held = boxes.get(reader=reader).held
    return [item.id for item in held if item.actor == actor]
