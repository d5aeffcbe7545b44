"""What following costs the famous, with edges and audience buckets or with arrays (``graphs``)."""

from collections.abc import Callable
from statistics import median
from time import perf_counter
from typing import Any

from accounts.receivers import prepare_collections

from . import continuation
from .disk import checkpoint, journal_bytes
from .graphs import CAPACITY, PAGE, Arrays, Edges, Graph
from .sizes import Sizes
from .throwaway import connection
from .watch import Watch
from .workload import Workload

Figures = dict[str, Any]


class WrongAnswer(AssertionError):
    """A design does not know its followers, so what it costs says nothing."""


def measure(*, sizes: Sizes, watch: Watch) -> Figures:
    """``graph.followers.<edges|arrays>[]``: {followers, follow_ms, unfollow_ms, page_ms, among_ms,
    journal_bytes, largest_document, disk_bytes}, where times are medians and ``journal_bytes`` those of
    a follow; ``graph.continuation``: see there. Needs ``throwaway_database``.
    """
    prepare_collections()
    connection.database.create_collection("array_people")
    found: dict[str, list[Figures]] = {"edges": [], "arrays": []}
    for followers in sizes.followers:
        workload = Workload(readers=followers + sizes.graph_samples + 1)
        graphs: list[tuple[str, Graph]] = [("edges", Edges()), ("arrays", Arrays())]
        for name, graph in graphs:
            watch.begin(label=f"{followers:,} followers: {name}", total=4 * sizes.graph_samples + 1)
            found[name].append(_of(graph, workload.readers, followers, watch))
    return {
        "graph": {
            "followers": found,
            "continuation": continuation.measure(
                parts=max(2, sizes.followers[-1] // CAPACITY),
                samples=sizes.graph_samples,
                watch=watch,
            ),
        }
    }


def _of(graph: Graph, people: list[int], followers: int, watch: Watch) -> Figures:
    author, there, new = people[0], people[1 : followers + 1], people[followers + 1 :]
    graph.load(author=author, followers=there)
    checkpoint()
    disk = sum(_disk(name) for name in graph.collections)
    largest = max(_largest(name) for name in graph.collections)
    watch.step()
    before = journal_bytes()
    follow = medians(lambda uid: graph.follow(follower=uid), new, watch)
    written = (journal_bytes() - before) / len(new)
    if set(new[-PAGE:]) - set(graph.newest()):
        raise WrongAnswer("New followers are missing.")
    figures = {
        "followers": followers,
        "follow_ms": follow,
        "page_ms": medians(lambda _: graph.newest(), new, watch),
        "among_ms": medians(lambda _: graph.among(uids=new[:PAGE]), new, watch),
        "unfollow_ms": medians(lambda uid: graph.unfollow(follower=uid), new, watch),
        "journal_bytes": round(written),
        "largest_document": largest,
        "disk_bytes": disk,
    }
    if graph.among(uids=new):
        raise WrongAnswer("Former followers are still there.")
    return figures


def medians(work: Callable[[int], object], uids: list[int], watch: Watch) -> float:
    """The median of the milliseconds that it takes for each of these people."""
    times = []
    for uid in uids:
        began = perf_counter()
        work(uid)
        times.append((perf_counter() - began) * 1000)
        watch.step()
    return round(median(times), 3)


def _largest(collection: str) -> int:
    sized = connection.database[collection].aggregate(
        [{"$group": {"_id": None, "largest": {"$max": {"$bsonSize": "$$ROOT"}}}}]
    )
    return max((int(one["largest"]) for one in sized), default=0)


def _disk(collection: str) -> int:
    stats = connection.database.command("collStats", collection)
    return int(stats["storageSize"]) + int(stats["totalIndexSize"])
