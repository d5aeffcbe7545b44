"""Users, follows and posts for the stages that read pages, stored as the site stores them.

The viewers follow many quiet users, who have few posts each. Nobody follows the loud users, who have many
posts. Inboxes are filled as when users visit again after a long absence.
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
POST_TEXT = "A short post about a quiet day, with as many words as people use on the site. "


@dataclass(frozen=True, slots=True)
class SiteData:
    """The viewers, the posts of followed users, oldest first, and the floor of all inboxes."""

    viewers: list[int]
    post_ids: list[int]
    floor: int


def build_site(*, sizes: Sizes, progress: ProgressListener) -> SiteData:
    """Create the data. Needs ``throwaway_database``."""
    workload = Workload(user_count=sizes.page_viewers + sizes.followed + LOUD_AUTHORS)
    viewers = workload.uids[: sizes.page_viewers]
    quiet = workload.uids[sizes.page_viewers : -LOUD_AUTHORS]
    loud = workload.uids[-LOUD_AUTHORS:]
    _make_tables()
    total = 2 * sizes.followed * sizes.posts_per_author
    progress.start_step(label="Users, follows and posts", total=total)
    User.objects.bulk_create(
        User(pk=uid, username=f"person{number}", email=f"person{number}@example.org")
        for number, uid in enumerate(workload.uids)
    )
    insert_batches(collection=connection.database["follow_edges"], documents=_edges(viewers, quiet))
    created_posts = _publish(workload, [quiet, loud], sizes, viewers, progress)
    quiet_post_ids = [post.pk for post in created_posts if post.author_id in set(quiet)]
    floor = 0
    for viewer in viewers:
        floor = _open_inboxes(viewer, [viewer, *quiet])
    return SiteData(viewers=viewers, post_ids=quiet_post_ids, floor=floor)


def _make_tables() -> None:
    with connection.schema_editor() as editor:
        editor.create_model(User)
        editor.create_model(Post)
    create_indexes()
    store.create_indexes()
    timeline_store.create_indexes()
    connection.database["bench_messages"].create_index([("recipients", 1), ("_id", -1)])


def _edges(viewers: list[int], followees: list[int]) -> Iterator[Document]:
    ids, now = count(1), timezone.now()
    for viewer in viewers:
        for followee in followees:
            yield {
                "_id": next(ids),
                "follower": viewer,
                "followee": followee,
                "at": now,
                "bucket": 0,
            }


def _publish(
    workload: Workload,
    author_groups: list[list[int]],
    sizes: Sizes,
    viewers: list[int],
    progress: ProgressListener,
) -> list[Post]:
    """Create posts of quiet and loud users in turn, and the same posts as messages with recipients."""
    created_posts = []
    for number, activity in enumerate(
        workload.new_activity_ids(len(author_groups) * sizes.followed * sizes.posts_per_author)
    ):
        group = author_groups[number % len(author_groups)]
        created_posts.append(
            Post(
                pk=activity,
                author_id=workload.random.choice(group),
                text=POST_TEXT * 2,
                created_at=time_of(id=activity),
                delivery_state=Post.DeliveryState.DONE,
            )
        )
        progress.step()
    for at in range(0, len(created_posts), 1000):
        Post.objects.bulk_create(created_posts[at : at + 1000])
    quiet = set(author_groups[0])
    insert_batches(
        collection=connection.database["bench_messages"],
        documents=(
            {"_id": post.pk, "recipients": viewers if post.author_id in quiet else []}
            for post in created_posts
        ),
    )
    return created_posts


def _open_inboxes(viewer: int, authors: list[int]) -> int:
    """Create inboxes in all strategies, like ``strategies.warmup``. Return the floor of the inboxes."""
    limit = settings.FEED_INBOX_MAX - seal.SEAL_AT
    newest = posts.ids_by_authors(authors=authors, viewer=viewer, limit=limit + 1)
    floor = newest[limit] if len(newest) > limit else 0
    stores: list[Any] = [inboxes.lifecycle, entry_inboxes.lifecycle, counted_inboxes.lifecycle]
    for inbox_store in stores:
        now, gen = timezone.now(), generation_of(viewer)
        inbox_store.create_head(owner=viewer, gen=gen, now=now)
        inbox_store.finish_build(
            owner=viewer, gen=gen, missing=newest[:limit], floor=floor, now=now
        )
    buckets.seal(owners=[viewer])
    return floor
