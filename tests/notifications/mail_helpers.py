"""What tests of mails share: things that happened some time ago, and the worker that mails of them."""

from datetime import timedelta

from django.utils import timezone

from accounts.infra.ids import first_id_at, new_id
from notifications.store import boxes
from notifications.store.collections import notification_boxes
from notifications.store.rows import NotificationRow
from notifications.tasks import send_mails

LONG_AGO = timedelta(minutes=15)


def tell(reader, actor, kind="mention", ago=LONG_AGO, post=0, classes=(), **more):
    """As ``services.tell``, some time ago."""
    # Two in one millisecond are two.
    result = first_id_at(moment=timezone.now() - ago) + new_id() % 4096
    boxes.deliver(
        row=NotificationRow(result, kind, actor.pk, post, **more),
        classes_by_recipient={reader.pk: classes},
    )
    return result


def box_of(reader):
    return notification_boxes().find_one({"_id": reader.pk}) or {}


def long_ago(reader):
    """As if what they were told by the site itself were not of this moment."""
    box = box_of(reader)
    shift = new_id() - first_id_at(moment=timezone.now() - LONG_AGO)
    rows = [row | {"id": row["id"] - shift} for row in box["recent"]]
    notification_boxes().update_one({"_id": reader.pk}, {"$set": {"recent": rows}})
    due_now(reader)


def due_now(reader):
    """As if the time had come; when it comes is decided once more."""
    now = timezone.now() - timedelta(seconds=1)
    notification_boxes().update_one({"_id": reader.pk}, {"$set": {"mail_due_at": now}})


def mails(outbox, reader=None):
    """Those that went out since this was asked last, after another look at what is due."""
    outbox.clear()
    if reader is not None:
        due_now(reader)
    send_mails()
    return list(outbox)
