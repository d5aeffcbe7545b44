"""What following costs the famous, with edges and audience buckets or with arrays (``graphs``)."""

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
    """A design does not know its followers, so what it costs says nothing."""


def measure(*, sizes: Sizes, progress: ProgressListener) -> Figures:
    """``graph.followers.<edges|arrays>[]``: {followers, follow_ms, unfollow_ms, page_ms, among_ms,
    journal_bytes, largest_document, disk_bytes}, where times are medians and ``journal_bytes`` those of
    a follow; ``graph.continuation``: see there. Needs ``throwaway_database``.
    """
    create_indexes()
    connection.database.create_collection("array_people")
    results: dict[str, list[Figures]] = {"edges": [], "arrays": []}
    for followers in sizes.followers:
        workload = Workload(user_count=followers + sizes.graph_samples + 1)
        graphs: list[tuple[str, FollowDesign]] = [
            ("edges", EdgeDesign()),
            ("arrays", ArrayDesign()),
        ]
        for name, graph in graphs:
            progress.start_step(
                label=f"{followers:,} followers: {name}", total=4 * sizes.graph_samples + 1
            )
            results[name].append(_of(graph, workload.uids, followers, progress))
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


def _of(graph: FollowDesign, people: list[int], followers: int, watch: ProgressListener) -> Figures:
    author, existing, new = people[0], people[1 : followers + 1], people[followers + 1 :]
    graph.load_followers(author=author, followers=existing)
    force_checkpoint()
    disk = sum(_disk(name) for name in graph.collections)
    largest = max(_largest(name) for name in graph.collections)
    watch.step()
    before = journal_bytes_written()
    follow = median_ms(lambda uid: graph.follow(follower=uid), new, watch)
    written = (journal_bytes_written() - before) / len(new)
    if set(new[-PAGE_SIZE:]) - set(graph.newest_followers()):
        raise WrongResult("New followers are missing.")
    figures = {
        "followers": followers,
        "follow_ms": follow,
        "page_ms": median_ms(lambda _: graph.newest_followers(), new, watch),
        "among_ms": median_ms(lambda _: graph.followers_among(uids=new[:PAGE_SIZE]), new, watch),
        "unfollow_ms": median_ms(lambda uid: graph.unfollow(follower=uid), new, watch),
        "journal_bytes": round(written),
        "largest_document": largest,
        "disk_bytes": disk,
    }
    if graph.followers_among(uids=new):
        raise WrongResult("Former followers are still there.")
    return figures


def median_ms(
    action: Callable[[int], object], uids: list[int], progress: ProgressListener
) -> float:
    """The median of the milliseconds that it takes for each of these people."""
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
