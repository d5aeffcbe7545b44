"""Replay a workload through every design and count the commands."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from .bucket_designs import Buckets, CountedBuckets
from .commands import Command, Design
from .placement import HashedPlacement, Placement, RangedPlacement
from .posts import Posts
from .read_designs import FanOutOnRead, RecipientsInPost
from .workload import PAGE_SIZE, PageView, Workload, make_workload
from .write_designs import FanOutOnWrite

DESIGNS: dict[str, Callable[..., Design]] = {
    "fan_out_on_read": FanOutOnRead,
    "recipients_in_post": RecipientsInPost,
    "fan_out_on_write": FanOutOnWrite,
    "buckets": Buckets,
    "counted_buckets": CountedBuckets,
}
DESIGNS_WITHOUT_COPIES = {"fan_out_on_read", "recipients_in_post"}

Figures = dict[str, Any]


def simulate(*, shards: int, users: int, posts: int, seed: int) -> Figures:
    """Return the results of a simulation. The same arguments always produce the same results.

    The results of each design:

    * ``reads``, by kind of page:

      * ``shards``: shards queried to find the ids of the posts
      * ``shards_with_posts``: shards queried in total, including the posts themselves
      * ``broadcast``: the fraction of pages with a command that reaches all shards
      * ``documents``: documents read

    * ``writes``: ``shards`` and ``documents`` per post
    * ``copies``: the number of places that contain a post or its id
    * ``evenness``: the busiest shard divided by the mean, for ``load`` (commands and documents) and for
      ``data``. The best value is 1.
    """
    workload = make_workload(users=users, posts=posts, seed=seed)
    live = [event for event in workload.live if not isinstance(event, PageView)]
    audience = _mean([len(workload.recipients(post)) for post in live])
    return {
        "workload": {
            "shards": shards,
            "readers": users,
            "posts": posts,
            "seed": seed,
            "readers_per_post": audience,
        },
        "designs": {
            name: {
                "copies": 1 if name in DESIGNS_WITHOUT_COPIES else round(1 + audience, 1),
                **_replay(design, workload, shards),
            }
            for name, design in DESIGNS.items()
        },
        "post_keys": _post_keys(workload, shards),
    }


def _replay(make: Callable[..., Design], workload: Workload, shards: int) -> Figures:
    posts = Posts(shards=shards)
    design = make(workload=workload, posts=posts)
    for post in workload.history:
        design.add_post(post)
    design.place_documents()
    writes: list[list[Command]] = []
    reads: dict[str, list[list[Command]]] = defaultdict(list)
    for event in workload.live:
        if not isinstance(event, PageView):
            writes.append(design.publish_commands(event))
        elif event.kind == "profile":
            reads["profile"].append(posts.profile_commands(event))
        else:
            reads[event.kind].append(design.page_commands(event))
    pages = [commands for kind in reads.values() for commands in kind]
    all_commands = [command for commands in (*writes, *pages) for command in commands]
    return {
        "reads": {kind: _of_reads(reads[kind]) for kind in ("first", "deep", "profile")},
        "broadcasts": _broadcasts(pages),
        "writes": {
            "shards": _spread([len(_shards_reached(commands)) for commands in writes]),
            "documents": _mean([_documents(commands) for commands in writes]),
        },
        "evenness": {
            "load": _evenness(_load(all_commands), shards),
            "data": _evenness(design.bytes_by_shard(), shards),
        },
    }


def _of_reads(pages: list[list[Command]]) -> Figures:
    look_ups = [[command for command in commands if not command.reads_posts] for commands in pages]
    return {
        "shards": _spread([len(_shards_reached(commands)) for commands in look_ups]),
        "shards_with_posts": _spread([len(_shards_reached(commands)) for commands in pages]),
        "broadcast": _broadcasts(pages),
        "documents": _mean([_documents(commands) for commands in pages]),
    }


def _post_keys(workload: Workload, shards: int) -> Figures:
    """Return, for possible shard keys of posts, the evenness of inserts and the shards per page."""
    history = [(post.author, post.id) for post in workload.history]
    live = [event for event in workload.live if not isinstance(event, PageView)]
    by_id = RangedPlacement(
        shards=shards, keys=[(post_id,) for _, post_id in history], field_count=1
    )
    by_author = RangedPlacement(shards=shards, keys=history, field_count=2)
    hashed = HashedPlacement(shards=shards)
    keys: dict[str, tuple[Placement, Sequence[tuple[int, ...]], bool, bool]] = {
        "_id hashed": (hashed, [(post.id,) for post in live], True, False),
        "_id": (by_id, [(post.id,) for post in live], True, False),
        "author_id, _id": (by_author, [(post.author, post.id) for post in live], False, True),
    }
    timelines = [live[at : at + PAGE_SIZE] for at in range(0, len(live), PAGE_SIZE)]
    figures = {}
    for name, (at, inserted, has_id, has_author) in keys.items():
        figures[name] = {
            "inserts": _evenness(Counter(map(at.shard_of, inserted)), shards),
            "page_by_ids": _mean(
                [
                    len({at.shard_of((p.id,)) for p in page}) if has_id else shards
                    for page in timelines
                ]
            ),
            "profile": _mean(
                [len(at.shards_of((p.author,))) if has_author else shards for p in live]
            ),
        }
    return figures


def _shards_reached(commands: Iterable[Command]) -> set[int]:
    return {shard for command in commands for shard in command.documents_by_shard}


def _documents(commands: Iterable[Command]) -> int:
    return sum(sum(command.documents_by_shard.values()) for command in commands)


def _broadcasts(pages: Sequence[Sequence[Command]]) -> float:
    return _mean([any(not command.has_shard_key for command in commands) for commands in pages])


def _load(commands: Iterable[Command]) -> Counter[int]:
    load: Counter[int] = Counter()
    for command in commands:
        for shard, documents in command.documents_by_shard.items():
            load[shard] += 1 + documents
    return load


def _evenness(by_shard: Counter[int], shards: int) -> float:
    total = by_shard.total()
    return round(max(by_shard.values()) * shards / total, 2) if total else 1.0


def _spread(numbers: list[int]) -> Figures:
    if not numbers:
        return {"mean": 0.0, "p99": 0}
    return {"mean": _mean(numbers), "p99": sorted(numbers)[(len(numbers) - 1) * 99 // 100]}


def _mean(numbers: Sequence[float]) -> float:
    return round(sum(numbers) / len(numbers), 2) if numbers else 0.0
