"""Which posts were published, and by whom."""

import re
from collections.abc import Sequence
from datetime import datetime

from accounts.infra.ids import first_id_at
from feed.models import Post
from feed.store.collections import posts


def post_ids_since(*, author: int, since: datetime, limit: int) -> list[int]:
    """The newest posts of a person, without shares and without those to single people."""
    found = Post.objects.filter(author_id=author, pk__gte=first_id_at(moment=since), share_of=None)
    of_many = found.exclude(visibility=Post.Visibility.DIRECT).order_by("-pk")
    return list(of_many.values_list("pk", flat=True)[:limit])


def post_ids_containing(*, text: str, newest_count: int, limit: int) -> list[int]:
    """The newest posts whose text has these words, whatever their case, among so many of the newest: two
    commands."""
    by_age = [("_id", -1)]
    last = next(
        posts().find({}, {"_id": 1}).sort(by_age).skip(newest_count - 1).limit(1), {"_id": 0}
    )
    wanted = {"_id": {"$gte": last["_id"]}, "text": {"$regex": re.escape(text), "$options": "i"}}
    found = posts().find(wanted, {"_id": 1}).sort(by_age).limit(limit).batch_size(limit + 1)
    return [one["_id"] for one in found]


def posts_by_id(*, ids: Sequence[int]) -> list[Post]:
    """Those that are there, in this order, for lists that are no timelines."""
    found = Post.objects.in_bulk(list(ids))
    return [found[one] for one in ids if one in found]
