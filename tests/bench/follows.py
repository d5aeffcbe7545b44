"""Stage ``graph``: following users with many followers, with edges or with arrays (``follow_designs``)."""

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

from accounts.receivers import create_indexes

from . import continuation
from .database import connection
from .disk import force_checkpoint, journal_bytes_written
from .follow_designs import BUCKET_CAPACITY, PAGE_SIZE, ArrayDesign, EdgeDesign, FollowDesign
from .progress import ProgressListener
from .sizes import Sizes
from .workload import Workload

Figures = dict[str, Any]


class WrongResult(AssertionError):
    """A design returned wrong followers, so its figures are invalid."""


def measure(*, sizes: Sizes, progress: ProgressListener) -> Figures:
    """Return ``graph.followers.<edges|arrays>[]`` and ``graph.continuation``.

    Times are medians. ``journal_bytes`` is the number of bytes in the journal for one follow. Needs
    ``throwaway_database``.
    """
    create_indexes()
    connection.database.create_collection("array_people")
    results: dict[str, list[Figures]] = {"edges": [], "arrays": []}
    for followers in sizes.followers:
        workload = Workload(user_count=followers + sizes.graph_samples + 1)
        designs: list[tuple[str, FollowDesign]] = [
            ("edges", EdgeDesign()),
            ("arrays", ArrayDesign()),
        ]
        for name, design in designs:
            progress.start_step(
                label=f"{followers:,} followers: {name}", total=4 * sizes.graph_samples + 1
            )
            results[name].append(_figures(design, workload.uids, followers, progress))
    return {
        "graph": {
            "followers": results,
            "continuation": continuation.measure(
                parts=max(2, sizes.followers[-1] // BUCKET_CAPACITY),
                samples=sizes.graph_samples,
                progress=progress,
            ),
        }
    }


def _figures(
    design: FollowDesign, uids: list[int], followers: int, progress: ProgressListener
) -> Figures:
    author, existing, new = uids[0], uids[1 : followers + 1], uids[followers + 1 :]
    design.load_followers(author=author, followers=existing)
    force_checkpoint()
    disk = sum(_disk(name) for name in design.collections)
    largest = max(_largest(name) for name in design.collections)
    progress.step()
    before = journal_bytes_written()
    follow = median_ms(lambda uid: design.follow(follower=uid), new, progress)
    written = (journal_bytes_written() - before) / len(new)
    if set(new[-PAGE_SIZE:]) - set(design.newest_followers()):
        raise WrongResult("New followers are missing.")
    figures = {
        "followers": followers,
        "follow_ms": follow,
        "page_ms": median_ms(lambda _: design.newest_followers(), new, progress),
        "among_ms": median_ms(
            lambda _: design.followers_among(uids=new[:PAGE_SIZE]), new, progress
        ),
        "unfollow_ms": median_ms(lambda uid: design.unfollow(follower=uid), new, progress),
        "journal_bytes": round(written),
        "largest_document": largest,
        "disk_bytes": disk,
    }
    if design.followers_among(uids=new):
        raise WrongResult("Removed followers are still there.")
    return figures


def median_ms(
    action: Callable[[int], object], uids: list[int], progress: ProgressListener
) -> float:
    """Call ``action`` for each user. Return the median time of a call in milliseconds."""
    times = []
    for uid in uids:
        began = perf_counter()
        action(uid)
        times.append((perf_counter() - began) * 1000)
        progress.step()
    return round(median(times), 3)


def _largest(collection: str) -> int:
    sized = connection.database[collection].aggregate(
        [{"$group": {"_id": None, "largest": {"$max": {"$bsonSize": "$$ROOT"}}}}]
    )
    return max((int(document["largest"]) for document in sized), default=0)


def _disk(collection: str) -> int:
    stats = connection.database.command("collStats", collection)
    return int(stats["storageSize"]) + int(stats["totalIndexSize"])
