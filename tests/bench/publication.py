"""The cost of a post to ten followers, relative to a post to none. Part of the stage ``pages``."""

from datetime import timedelta
from statistics import median
from typing import Any

from django.utils import timezone

from accounts.models import User
from accounts.oauth.models import AccessToken, Application
from feed.timeline.store import inboxes

from .database import connection
from .http_calls import CallResult, Page, call
from .progress import ProgressListener
from .workload import Workload, generation_of

FOLLOWERS = 10
WARM_UP_POSTS = 16
"""Posts of each author that fill the caches of all web processes."""

Figures = dict[str, Any]


def measure(*, port: int, samples: int, progress: ProgressListener) -> Figures:
    """Let two authors publish posts in turn: one without followers, the other with ten warm followers.

    Returns {followers, cpu_ms: [to none, to ten], ms: [...], commands: [...], cpu_ratio, ms_ratio}. The
    numbers are medians. ``cpu_ms`` is the CPU time of the web server.
    """
    uids = Workload(user_count=2 + FOLLOWERS, seed=2).uids
    users = User.objects.bulk_create(
        User(pk=uid, username=f"bench{number}", email=f"bench{number}@example.org")
        for number, uid in enumerate(uids)
    )
    _follow(author=uids[1], followers=uids[2:])
    now = timezone.now()
    for uid in uids:
        gen = generation_of(uid)
        inboxes.lifecycle.create_head(owner=uid, gen=gen, now=now)
        inboxes.lifecycle.finish_build(owner=uid, gen=gen, missing=[], floor=0, now=now)
    pages = [_page(user, number) for number, user in enumerate(users[:2])]
    for page in pages * WARM_UP_POSTS:
        call(port, page)
    results: list[list[CallResult]] = [[], []]
    for number in range(samples):
        for author in (0, 1) if number % 2 else (1, 0):
            results[author].append(call(port, pages[author]))
        progress.step()
    cpu_ms, ms, commands = (
        [round(median(getattr(result, key) for result in author), 2) for author in results]
        for key in ("cpu_ms", "ms", "commands")
    )
    return {
        "followers": FOLLOWERS,
        "cpu_ms": cpu_ms,
        "ms": ms,
        "commands": commands,
        "cpu_ratio": round(cpu_ms[1] / cpu_ms[0], 3),
        "ms_ratio": round(ms[1] / ms[0], 3),
    }


def _follow(*, author: int, followers: list[int]) -> None:
    # Services cannot be used, because the id generator uses the database of the site.
    connection.database["follow_edges"].insert_many(
        {"_id": uid, "follower": uid, "followee": author, "bucket": 0} for uid in followers
    )
    connection.database["audience_buckets"].insert_one(
        {"author": author, "seq": 0, "uids": followers, "n": len(followers)}
    )


def _page(user: User, number: int) -> Page:
    token = f"token-of-author-{number}"
    AccessToken.objects.create(
        pk=100 + number,
        user=user,
        application=Application.objects.get(client_id="bench"),
        token=token,
        scope="read write",
        expires=timezone.now() + timedelta(days=1),
    )
    return Page(
        name="post",
        path="/api/v1/statuses",
        item_starts=None,
        headers={"Authorization": f"Bearer {token}"},
        data={"status": "A quiet day"},
    )
