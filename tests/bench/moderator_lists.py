"""Stage ``admin``: the lists of posts and comments for moderators, on a site with many posts and comments.

The stage measures the post lists of the admin, with counts, filters and names, and the comment lists of the
site. Templates and sessions are not measured.
"""

from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter
from typing import Any

from django.contrib import admin
from django.http import HttpRequest, QueryDict

from accounts import user_cards
from accounts.infra.admin_lists import MAX_PAGE
from accounts.infra.ids import time_of
from accounts.models import User
from accounts.receivers import create_indexes
from feed import store
from feed.models import Post
from feed.selectors.stored_content import newest_comments_page
from feed.store.comment_rows import NewComment, comment_element
from feed.timeline import store as timeline_store

from .database import Document, connection, insert_batches
from .progress import ProgressListener
from .sizes import Sizes
from .workload import Workload

USER_COUNT = 1000
PAGE_SIZE = 50
BATCH_SIZE = 2000
TEXTS = ("A short comment", "on a day like this", "about nothing in particular")

Figures = dict[str, Any]


def measure(*, sizes: Sizes, progress: ProgressListener) -> Figures:
    """Return ``admin``: {posts, comments, ms.<list>.{p50, most}}. Needs ``throwaway_database``."""
    workload = Workload(user_count=USER_COUNT)
    progress.start_step(label="Posts and comments", total=sizes.admin_posts)
    post_ids = _publish(workload, sizes.admin_posts, progress)
    middle_id = post_ids[len(post_ids) // 2]
    last_page = min(MAX_PAGE, -(-len(post_ids) // PAGE_SIZE))
    lists: dict[str, Callable[[], object]] = {
        "newest posts": lambda: _read_posts(""),
        "last page of posts": lambda: _read_posts(f"p={last_page}"),
        "posts of a user": lambda: _read_posts("q=@person7"),
        "a post by its id": lambda: _read_posts(f"q={middle_id}"),
        "posts with a word": lambda: _read_posts("q=particular"),
        "posts with a word that no post contains": lambda: _read_posts("q=xyzzy"),
        "newest comments": lambda: _read_comments(),
        "comments from the middle": lambda: _read_comments(below=middle_id),
        "comments with a word that none contains": lambda: _read_comments(words="xyzzy"),
        "comments of a user": lambda: _read_comments(uid=workload.uids[7]),
    }
    progress.start_step(label="Lists for moderators", total=len(lists) * sizes.admin_samples)
    times = {name: _times(read, sizes.admin_samples, progress) for name, read in lists.items()}
    return {"admin": {"posts": len(post_ids), "comments": len(post_ids), "ms": times}}


def _publish(workload: Workload, number: int, progress: ProgressListener) -> list[int]:
    """Create users and posts, each post with a comment. One in twenty posts is direct."""
    with connection.schema_editor() as editor:
        editor.create_model(User)
        editor.create_model(Post)
    create_indexes()
    store.create_indexes()
    timeline_store.create_indexes()
    uids = workload.uids
    User.objects.bulk_create(
        User(pk=uid, username=f"person{n}", email=f"person{n}@example.org")
        for n, uid in enumerate(uids)
    )
    ids = workload.new_activity_ids(number)
    for at in range(0, number, BATCH_SIZE):
        part = ids[at : at + BATCH_SIZE]
        Post.objects.bulk_create(
            Post(
                pk=post,
                author_id=uids[(at + n) % USER_COUNT],
                text=f"{TEXTS[n % 3]}, number {at + n}",
                visibility=Post.Visibility.DIRECT if n % 20 == 0 else Post.Visibility.PUBLIC,
                created_at=time_of(id=post),
                delivery_state=Post.DeliveryState.DONE,
            )
            for n, post in enumerate(part)
        )
        progress.step(number=len(part))
    insert_batches(collection=connection.database["comment_buckets"], documents=_threads(ids, uids))
    return ids


def _threads(posts: list[int], uids: list[int]) -> Iterator[Document]:
    for n, post in enumerate(posts):
        comment = NewComment(post=post, uid=uids[(7 * n) % USER_COUNT], text=TEXTS[n % 3])
        elements = [comment_element(id=post + 1, comment=comment)]
        yield {"_id": post, "post": post, "thread": 0, "seq": 0, "n": 1, "comments": elements}


def _read_posts(query: str) -> object:
    request = HttpRequest()
    request.method = "GET"
    request.GET = QueryDict(query)
    request.user = User(pk=1, username="moderator", is_staff=True, is_superuser=True)
    user_cards.clear_cards()
    change_list = admin.site._registry[Post].get_changelist_instance(request)
    return [post.author_id for post in change_list.result_list]


def _read_comments(*, below: int | None = None, words: str = "", uid: int = 0) -> object:
    return newest_comments_page(
        limit=PAGE_SIZE, below=below, text=words, author=uid, include_direct=False
    )


def _times(
    read: Callable[[], object], samples: int, progress: ProgressListener
) -> dict[str, float]:
    times = []
    for _ in range(samples):
        began = perf_counter()
        read()
        times.append((perf_counter() - began) * 1000)
        progress.step()
    return {"p50": round(median(times), 2), "most": round(max(times), 2)}
