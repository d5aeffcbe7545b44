"""What tests of notifications look at: everything that anybody was told, with the counts checked."""

from accounts.models import User
from notifications.store.collections import notification_boxes, notification_history

REVIEW = {"title": "Dune", "item": "book", "stars": 4}


def heard():
    """Who was told what by whom, the oldest first: {username: [(kind, username)]}, nobody left out."""
    names = {0: "the site", **dict(User.objects.values_list("pk", "username"))}
    results = {}
    for box in notification_boxes().find():
        assert box["unread"] == sum(not row["is_read"] for row in box.get("recent", ()))
        rows = [row for name in ("overflow", "recent", "filtered") for row in box.get(name, ())]
        assert len({row["key"] for row in rows}) == len(rows)
        if rows:
            results[names[box["_id"]]] = [(row["kind"], names[row["actor"]]) for row in rows]
    return results


def unread(person):
    document = notification_boxes().find_one({"_id": person.pk})
    return document["unread"] if document else 0


def in_history(person):
    buckets = notification_history().find({"owner": person.pk}).sort("seq", 1)
    return [row for bucket in buckets for row in bucket["rows"]]
