"""What time does to boxes, by the job that the clock asks for."""

from datetime import timedelta

from django.utils import timezone

from accounts.ids import first_id_at
from notifications import tasks
from notifications.store import boxes
from notifications.store.collections import notification_history
from notifications.store.expressions import BUCKET, SIZE
from notifications.store.items import Item

READER = 7


def deliver(days, kind, actor):
    moment = timezone.now() - timedelta(days=days)
    item = Item(first_id_at(moment=moment) + actor, kind, actor)
    boxes.deliver(item=item, readers={READER: ()})


def test_what_is_older_than_ninety_days_goes_unless_it_is_durable():
    for actor, days in enumerate((100, 91, 89, 0)):
        deliver(days, "like", actor)
        deliver(days, "mention", actor)
    tasks.tidy()
    tasks.tidy()
    box = boxes.get(reader=READER)
    assert sorted((one.kind, one.actor) for one in box.items) == [
        ("like", 2),
        ("like", 3),
        *[("mention", actor) for actor in range(4)],
    ]
    assert box.unread == 6


def test_durable_ones_without_room_become_history():
    for actor in range(SIZE + 2 * BUCKET + 1):
        deliver(1, "mention", actor)
    tasks.tidy()
    tasks.tidy()
    assert [len(one["items"]) for one in notification_history().find()] == [BUCKET, BUCKET]
    assert len(boxes.get(reader=READER).kept) == 1
