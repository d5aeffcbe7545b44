"""Helpers for tests of mails: older notifications, and the worker that sends mails."""

from datetime import timedelta

from django.utils import timezone

from accounts.infra.ids import first_id_at, new_id
from notifications.store import boxes
from notifications.store.collections import notification_boxes
from notifications.store.rows import NotificationRow
from notifications.tasks import send_mails

LONG_AGO = timedelta(minutes=15)


def deliver_notification(
    recipient, actor, kind="mention", ago=LONG_AGO, post=0, classes=(), **more
):
    """Deliver a notification like ``notify``, but with an earlier time. Return the id of its row."""
    # Add the sequence number of a new id, so that two notifications of the same millisecond differ.
    row_id = first_id_at(moment=timezone.now() - ago) + new_id() % 4096
    boxes.deliver(
        row=NotificationRow(row_id, kind, actor.pk, post, **more),
        classes_by_recipient={recipient.pk: classes},
    )
    return row_id


def box_of(recipient):
    return notification_boxes().find_one({"_id": recipient.pk}) or {}


def backdate_notifications(recipient):
    """Change the times of a recipient's notifications to ``LONG_AGO``, so that mails are due."""
    box = box_of(recipient)
    shift = new_id() - first_id_at(moment=timezone.now() - LONG_AGO)
    rows = [row | {"id": row["id"] - shift} for row in box["recent"]]
    notification_boxes().update_one({"_id": recipient.pk}, {"$set": {"recent": rows}})
    make_mail_due(recipient)


def make_mail_due(recipient):
    """Make the mail of a recipient due. The worker then decides whether to send or postpone the mail."""
    now = timezone.now() - timedelta(seconds=1)
    notification_boxes().update_one({"_id": recipient.pk}, {"$set": {"mail_due_at": now}})


def send_due_mails(outbox, recipient=None):
    """Send the due mails and return them. Make the mail of ``recipient`` due first."""
    outbox.clear()
    if recipient is not None:
        make_mail_due(recipient)
    send_mails()
    return list(outbox)
