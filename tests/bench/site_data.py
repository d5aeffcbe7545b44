"""People, follows and posts in the bench's database, as the site keeps them, for pages to read.

Some readers follow very many quiet people, who all have written a little; others write much, whom none of
them follows. Inboxes are filled as those of readers who come back.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from django.conf import settings
from django.utils import timezone

from accounts.infra.ids import time_of
from accounts.models import User
from accounts.receivers import create_indexes
from feed import store
from feed.models import Post
from feed.store import posts
from feed.timeline import store as timeline_store
from feed.timeline.store import counted_inboxes, entry_inboxes, inboxes, seal
from feed.timeline.strategies import buckets

from .database import Document, connection, insert_batches
from .progress import ProgressListener
from .sizes import Sizes
from .workload import Workload, generation_of

LOUD_AUTHORS = 20
POST_TEXT = "What somebody says on a quiet day, in about as many words as people use here. "


@dataclass(frozen=True, slots=True)
class SiteData:
    """``posts``: those of the followed people, oldest first; ``readers`` follow all of these people.
    ``floor``: the entries at and below it are in nobody's inbox."""

    viewers: list[int]
    post_ids: list[int]
    floor: int


def build_site(*, sizes: Sizes, progress: ProgressListener, has_tables: bool = False) -> SiteData:
    """Needs ``throwaway_database``; ``has_tables``: it has been migrated."""
    workload = Workload(user_count=sizes.page_viewers + sizes.followed + LOUD_AUTHORS)
    readers = workload.uids[: sizes.page_viewers]
    quiet = workload.uids[sizes.page_viewers : -LOUD_AUTHORS]
    loud = workload.uids[-LOUD_AUTHORS:]
    if not has_tables:
        _make_tables()
    total = 2 * sizes.followed * sizes.posts_per_author
    progress.start_step(label="People, follows and posts", total=total)
    User.objects.bulk_create(
        User(pk=uid, username=f"person{number}", email=f"person{number}@example.org")
        for number, uid in enumerate(workload.uids)
    )
    insert_batches(collection=connection.database["follow_edges"], documents=_edges(readers, quiet))
    result = _publish(workload, [quiet, loud], sizes, readers, progress)
    by_quiet = [row.pk for row in result if row.author_id in set(quiet)]
    floor = 0
    for reader in readers:
        floor = _open_inboxes(reader, [reader, *quiet])
    return SiteData(viewers=readers, post_ids=by_quiet, floor=floor)


def _make_tables() -> None:
    with connection.schema_editor() as editor:
        editor.create_model(User)
        editor.create_model(Post)
    create_indexes()
    store.create_indexes()
    timeline_store.create_indexes()
    connection.database["bench_messages"].create_index([("recipients", 1), ("_id", -1)])


def _edges(readers: list[int], followees: list[int]) -> Iterator[Document]:
    ids, now = count(1), timezone.now()
    for reader in readers:
        for followee in followees:
            yield {
                "_id": next(ids),
                "follower": reader,
                "followee": followee,
                "at": now,
                "bucket": 0,
            }


def _publish(
    workload: Workload,
    writers: list[list[int]],
    sizes: Sizes,
    readers: list[int],
    watch: ProgressListener,
) -> list[Post]:
    """By turns a post of each group, and the same posts as messages that name their recipients."""
    results = []
    for number, activity in enumerate(
        workload.new_activity_ids(len(writers) * sizes.followed * sizes.posts_per_author)
    ):
        group = writers[number % len(writers)]
        results.append(
            Post(
                pk=activity,
                author_id=workload.random.choice(group),
                text=POST_TEXT * 2,
                created_at=time_of(id=activity),
                delivery_state=Post.DeliveryState.DONE,
            )
        )
        watch.step()
    for at in range(0, len(results), 1000):
        Post.objects.bulk_create(results[at : at + 1000])
    quiet = set(writers[0])
    insert_batches(
        collection=connection.database["bench_messages"],
        documents=(
            {"_id": row.pk, "recipients": readers if row.author_id in quiet else []}
            for row in results
        ),
    )
    return results


def _open_inboxes(reader: int, authors: list[int]) -> int:
    """As ``strategies.warmth`` does, for all strategies that keep one; returns the floor."""
    limit = settings.FEED_INBOX_MAX - seal.SEAL_AT
    newest = posts.ids_by_authors(authors=authors, viewer=reader, limit=limit + 1)
    floor = newest[limit] if len(newest) > limit else 0
    keepers: list[Any] = [inboxes.lifecycle, entry_inboxes.lifecycle, counted_inboxes.lifecycle]
    for keeper in keepers:
        now, gen = timezone.now(), generation_of(reader)
        keeper.create_head(owner=reader, gen=gen, now=now)
        keeper.finish_build(owner=reader, gen=gen, missing=newest[:limit], floor=floor, now=now)
    buckets.seal(owners=[reader])
    return floor
