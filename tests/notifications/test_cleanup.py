"""The periodic cleanup of notification boxes."""

from datetime import timedelta

from django.utils import timezone

from accounts.infra.ids import first_id_at
from notifications import tasks
from notifications.store import boxes
from notifications.store.collections import notification_history
from notifications.store.expressions import BOX_SIZE, BUCKET_SIZE
from notifications.store.rows import NotificationRow

RECIPIENT = 7


def deliver(days, kind, actor):
    moment = timezone.now() - timedelta(days=days)
    row = NotificationRow(first_id_at(moment=moment) + actor, kind, actor)
    boxes.deliver(row=row, classes_by_recipient={RECIPIENT: ()})


def test_notifications_are_deleted_after_ninety_days_unless_they_are_durable():
    for actor, days in enumerate((100, 91, 89, 0)):
        deliver(days, "like", actor)
        deliver(days, "mention", actor)
    tasks.clean_up()
    tasks.clean_up()
    box = boxes.get(recipient=RECIPIENT)
    assert sorted((row.kind, row.actor) for row in box.recent) == [
        ("like", 2),
        ("like", 3),
        *[("mention", actor) for actor in range(4)],
    ]
    assert box.unread_count == 6


def test_durable_notifications_that_exceed_the_box_move_to_the_history():
    for actor in range(BOX_SIZE + 2 * BUCKET_SIZE + 1):
        deliver(1, "mention", actor)
    tasks.clean_up()
    tasks.clean_up()
    assert [len(document["rows"]) for document in notification_history().find()] == [
        BUCKET_SIZE,
        BUCKET_SIZE,
    ]
    assert len(boxes.get(recipient=RECIPIENT).overflow) == 1
