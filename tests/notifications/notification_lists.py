"""Helpers that read all notifications and check their counts."""

from accounts.models import User
from notifications.store.collections import notification_boxes, notification_history

REVIEW = {"title": "Dune", "item": "book", "stars": 4}


def notifications_by_user():
    """Return the notifications of all users: {username: [(kind, actor)]}, oldest first."""
    names = {0: "the site", **dict(User.objects.values_list("pk", "username"))}
    notifications = {}
    for box in notification_boxes().find():
        assert box["unread"] == sum(not row["is_read"] for row in box.get("recent", ()))
        rows = [row for name in ("overflow", "recent", "filtered") for row in box.get(name, ())]
        assert len({row["key"] for row in rows}) == len(rows)
        if rows:
            notifications[names[box["_id"]]] = [(row["kind"], names[row["actor"]]) for row in rows]
    return notifications


def unread(user):
    document = notification_boxes().find_one({"_id": user.pk})
    return document["unread"] if document else 0


def in_history(user):
    buckets = notification_history().find({"owner": user.pk}).sort("seq", 1)
    return [row for bucket in buckets for row in bucket["rows"]]
