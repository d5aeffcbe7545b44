"""What lists of posts and comments cost moderators, on a site with very many of them.

Lists are those of the admin with their counts, filters and names, and those of the site's own pages of
comments; templates and sessions are left out.
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
from feed.selectors.newest_comments import newest_comments_page
from feed.store.comments import NewComment, comment_element
from feed.timeline import store as timeline_store

from .database import Document, connection, insert_batches
from .progress import ProgressListener
from .sizes import Sizes
from .workload import Workload

USER_COUNT = 1000
PAGE_SIZE = 50
BATCH_SIZE = 2000
TEXTS = ("What somebody says", "on a day like this", "about nothing in particular")

Figures = dict[str, Any]


def measure(*, sizes: Sizes, progress: ProgressListener) -> Figures:
    """``admin``: {posts, comments, ms.<list>.{p50, most}}. Needs ``throwaway_database``."""
    workload = Workload(user_count=USER_COUNT)
    progress.start_step(label="Posts and comments", total=sizes.admin_posts)
    result = _publish(workload, sizes.admin_posts, progress)
    some = result[len(result) // 2]
    last_page = min(MAX_PAGE, -(-len(result) // PAGE_SIZE))
    lists: dict[str, Callable[[], object]] = {
        "newest posts": lambda: _posts(""),
        "posts, the last page": lambda: _posts(f"p={last_page}"),
        "posts of a person": lambda: _posts("q=@person7"),
        "a post by its number": lambda: _posts(f"q={some}"),
        "posts with a word": lambda: _posts("q=particular"),
        "posts with a word nobody used": lambda: _posts("q=xyzzy"),
        "newest comments": lambda: _comments(),
        "comments further back": lambda: _comments(below=some),
        "comments with a word nobody used": lambda: _comments(words="xyzzy"),
        "comments of a person": lambda: _comments(uid=workload.uids[7]),
    }
    progress.start_step(label="Lists for moderators", total=len(lists) * sizes.admin_samples)
    times = {name: _times(ask, sizes.admin_samples, progress) for name, ask in lists.items()}
    return {"admin": {"posts": len(result), "comments": len(result), "ms": times}}


def _publish(workload: Workload, number: int, watch: ProgressListener) -> list[int]:
    """As many posts, each with a comment; one in twenty is for a single person."""
    with connection.schema_editor() as editor:
        editor.create_model(User)
        editor.create_model(Post)
    create_indexes()
    store.create_indexes()
    timeline_store.create_indexes()
    people = workload.uids
    User.objects.bulk_create(
        User(pk=uid, username=f"person{n}", email=f"person{n}@example.org")
        for n, uid in enumerate(people)
    )
    ids = workload.new_activity_ids(number)
    for at in range(0, number, BATCH_SIZE):
        part = ids[at : at + BATCH_SIZE]
        Post.objects.bulk_create(
            Post(
                pk=post,
                author_id=people[(at + n) % USER_COUNT],
                text=f"{TEXTS[n % 3]}, number {at + n}",
                visibility=Post.Visibility.DIRECT if n % 20 == 0 else Post.Visibility.PUBLIC,
                created_at=time_of(id=post),
                delivery_state=Post.DeliveryState.DONE,
            )
            for n, post in enumerate(part)
        )
        watch.step(number=len(part))
    insert_batches(
        collection=connection.database["comment_buckets"], documents=_threads(ids, people)
    )
    return ids


def _threads(posts: list[int], people: list[int]) -> Iterator[Document]:
    for n, post in enumerate(posts):
        comment = NewComment(post=post, uid=people[(7 * n) % USER_COUNT], text=TEXTS[n % 3])
        results = [comment_element(id=post + 1, comment=comment)]
        yield {"_id": post, "post": post, "thread": 0, "seq": 0, "n": 1, "comments": results}


def _posts(query: str) -> object:
    request = HttpRequest()
    request.method = "GET"
    request.GET = QueryDict(query)
    request.user = User(pk=1, username="moderator", is_staff=True, is_superuser=True)
    user_cards.clear_cards()
    result = admin.site._registry[Post].get_changelist_instance(request)
    return [post.author_id for post in result.result_list]


def _comments(*, below: int | None = None, words: str = "", uid: int = 0) -> object:
    return newest_comments_page(
        limit=PAGE_SIZE, below=below, text=words, author=uid, include_direct=False
    )


def _times(ask: Callable[[], object], samples: int, watch: ProgressListener) -> dict[str, float]:
    times = []
    for _ in range(samples):
        began = perf_counter()
        ask()
        times.append((perf_counter() - began) * 1000)
        watch.step()
    return {"p50": round(median(times), 2), "most": round(max(times), 2)}
