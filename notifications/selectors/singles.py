"""What somebody was told, one by one, as apps list it: what the box has, and behind it the history.

A page looks at a bounded number of items, so a short or empty one may not be the end. The same number of
commands for each page, and one more where the box alone does not fill it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from accounts.ids import MAX_ID
from notifications.store import boxes, history
from notifications.store.boxes import Box
from notifications.store.items import Item

from .views import Notification, views_of

BUCKETS = 4
"""Of the history are looked at for one page."""


@dataclass(frozen=True, slots=True)
class SinglesPage:
    """The newest first. ``older`` is a cursor for ``max_id``, ``newer`` one for ``min_id``."""

    notifications: tuple[Notification, ...]
    older: int | None
    newer: int | None


def singles_page(
    *,
    reader: int,
    kinds: Collection[str],
    limit: int,
    actor: int | None = None,
    with_held: bool = False,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> SinglesPage:
    """Those of these kinds, and by this actor if one is given. ``with_held``: also what waits to be let
    through."""
    upwards = min_id is not None
    lowest = min_id if min_id is not None else since_id or 0
    highest = MAX_ID if max_id is None else max_id
    box = boxes.get(reader=reader)

    def wanted(items: Sequence[Item]) -> list[Item]:
        each = {item.id: item for item in items}.values()
        return sorted(
            (
                item
                for item in each
                if lowest < item.id < highest
                and item.kind in kinds
                and (actor is None or item.actor == actor)
            ),
            key=lambda item: item.id,
            reverse=not upwards,
        )

    there = [*box.items, *box.kept, *(box.held if with_held else ())]
    found, further = wanted(there), None
    if box.seq > box.hidden and (upwards or len(found) <= 2 * limit):
        old, is_cut = history.between(
            reader=reader,
            below=box.seq,
            above=box.hidden,
            bounds=(lowest, highest),
            most=BUCKETS,
            upwards=upwards,
        )
        if is_cut:
            further = max(item.id for item in old) if upwards else min(item.id for item in old)
        # Upwards the box begins only where the history ends.
        found = wanted([*old, *(there if not (upwards and is_cut) else ())])
    examined = found[: 2 * limit]
    if len(found) > len(examined):
        further = examined[-1].id
    views = singles(reader=reader, items=examined)
    if len(views) > limit:
        further = views[limit - 1].id
    shown = views[:limit]
    if upwards:
        older = shown[0].id if shown else min(MAX_ID, lowest + 1)
        return SinglesPage(tuple(reversed(shown)), older, further)
    newer = shown[0].id if shown else None if max_id is None else max(0, max_id - 1)
    return SinglesPage(tuple(shown), further, newer)


def unread_singles(
    *, reader: int, kinds: Collection[str], actor: int | None = None
) -> list[Notification]:
    """What counts as unread, of what can be shown."""
    items = [
        item
        for item in boxes.get(reader=reader).items
        if not item.is_read and item.kind in kinds and actor in (None, item.actor)
    ]
    return singles(reader=reader, items=items)


def single(*, reader: int, id: int) -> Notification | None:
    """None if there is none, or it cannot be shown now."""
    box = boxes.get(reader=reader)
    found = next((one for one in _all(box) if one.id == id), None)
    if found is None and box.seq > box.hidden:
        found = history.item(reader=reader, below=box.seq, above=box.hidden, id=id)
    shown = [] if found is None else singles(reader=reader, items=[found])
    return shown[0] if shown else None


def held_singles(*, reader: int, kinds: Collection[str]) -> list[Notification]:
    """What waits to be let through, the newest first."""
    held = [item for item in boxes.get(reader=reader).held if item.kind in kinds]
    return singles(reader=reader, items=held)


def items_in_box(*, reader: int) -> tuple[Item, ...]:
    """The newest first. One command."""
    return boxes.get(reader=reader).items


def singles(*, reader: int, items: Sequence[Item]) -> list[Notification]:
    """In their order, without those that cannot be shown now."""
    if not items:
        return []
    return list(views_of(groups=[[item] for item in items], reader=reader).shown)


def _all(box: Box) -> Sequence[Item]:
    return [*box.items, *box.kept, *box.held]
