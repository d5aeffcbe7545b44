"""Which items are told in one sentence: those of one kind and target, within twelve hours of the newest."""

from collections.abc import Sequence
from datetime import timedelta

from accounts.ids import time_of
from notifications.kinds import kind_of
from notifications.store.items import Item

TOGETHER = timedelta(hours=12)

Group = list[Item]
"""The newest first; never empty."""


def grouped(items: Sequence[Item]) -> list[Group]:
    """Groups by their newest items, the newest first, as the items come."""
    groups: list[Group] = []
    open_groups: dict[tuple[str, int, int], Group] = {}
    for item in items:
        kind = kind_of(item.kind)
        target = _target_of(item)
        group = open_groups.get(target)
        if kind is not None and kind.groups and group is not None and _is_near(group[0], item):
            group.append(item)
            continue
        open_groups[target] = [item]
        groups.append(open_groups[target])
    return groups


def _target_of(item: Item) -> tuple[str, int, int]:
    # What is said to a post is told together; what is done to one comment is about that one.
    comment = 0 if item.kind in ("comment", "thread") else item.comment
    return item.kind, item.post, comment


def _is_near(newest: Item, item: Item) -> bool:
    return time_of(id=newest.id) - time_of(id=item.id) <= TOGETHER
