"""What tests of notifications look at: everything that anybody was told, with the counts checked."""

from accounts.models import User
from notifications.store.collections import notification_boxes, notification_history

REVIEW = {"title": "Dune", "item": "book", "stars": 4}


def heard():
    """Who was told what by whom, the oldest first: {username: [(kind, username)]}, nobody left out."""
    names = {0: "the site", **dict(User.objects.values_list("pk", "username"))}
    found = {}
    for box in notification_boxes().find():
        assert box["unread"] == sum(not one["is_read"] for one in box.get("recent", ()))
        items = [one for name in ("overflow", "recent", "filtered") for one in box.get(name, ())]
        assert len({one["key"] for one in items}) == len(items)
        if items:
            found[names[box["_id"]]] = [(one["kind"], names[one["actor"]]) for one in items]
    return found


def unread(person):
    found = notification_boxes().find_one({"_id": person.pk})
    return found["unread"] if found else 0


def in_history(person):
    buckets = notification_history().find({"owner": person.pk}).sort("seq", 1)
    return [one for bucket in buckets for one in bucket["rows"]]
