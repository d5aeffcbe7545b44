"""Generated users, follows, posts and page views: the same for all designs, reproducible by a seed.

Audiences are as unequal as on real sites, because users choose followed users with Zipf-like weights. The
numbers of posts and page views of a user grow with the square root of the user's weight.
"""

from collections import defaultdict
from dataclasses import dataclass
from itertools import accumulate
from math import sqrt
from random import Random
from typing import Literal

FOLLOWS_PER_USER = 30
ZIPF_EXPONENT = 0.8
PAGE_SIZE = 20
MAX_DEEP_PAGE = 5
PAGES_PER_POST = 2
PAGE_KIND_WEIGHTS: dict["PageKind", int] = {"first": 70, "deep": 20, "profile": 10}
"""The percentage of page views of each kind."""

PageKind = Literal["first", "deep", "profile"]


@dataclass(frozen=True, slots=True)
class Post:
    id: int
    author: int


@dataclass(frozen=True, slots=True)
class PageView:
    """A page view.

    Attributes:
        uid: the viewer of a home page, or the owner of a profile.
        offset: the number of posts above the page.
    """

    kind: PageKind
    uid: int
    offset: int


@dataclass(frozen=True, slots=True)
class Workload:
    """A workload.

    Attributes:
        followers: followers by uid. Follows do not change during the simulation.
        followees: followed users by uid.
        history: posts that are published before sharding and not measured.
        live: posts and page views that are measured.
    """

    uids: list[int]
    followers: dict[int, list[int]]
    followees: dict[int, list[int]]
    history: list[Post]
    live: list[Post | PageView]

    def recipients(self, post: Post) -> list[int]:
        return [post.author, *self.followers[post.author]]


def make_workload(*, users: int, posts: int, seed: int) -> Workload:
    """Generate a workload. Half of the posts are live, and page views follow each live post."""
    chance = Random(seed)
    people = [_make_id(chance, number) for number in range(1, users + 1)]
    weights = [1 / rank**ZIPF_EXPONENT for rank in range(1, users + 1)]
    chance.shuffle(weights)
    followers: dict[int, list[int]] = defaultdict(list)
    followees = {}
    for reader in people:
        followees[reader] = _follows(chance, reader, people, weights)
        for author in followees[reader]:
            followers[author].append(reader)
    activity_weights = list(accumulate(map(sqrt, weights)))
    published = [
        Post(_make_id(chance, users + number), author)
        for number, author in enumerate(
            chance.choices(people, cum_weights=activity_weights, k=posts), 1
        )
    ]
    live: list[Post | PageView] = []
    for post in published[posts // 2 :]:
        live.append(post)
        live += _page_views(chance, people, activity_weights, weights)
    by_uid = {uid: followers[uid] for uid in people}
    return Workload(people, by_uid, followees, published[: posts // 2], live)


def _make_id(chance: Random, number: int) -> int:
    """Return an id with the same layout as ids of the site: milliseconds, node, sequence."""
    return (number * 1000 + chance.randrange(1000)) << 22


def _follows(chance: Random, reader: int, people: list[int], weights: list[float]) -> list[int]:
    follow_count = min(FOLLOWS_PER_USER, len(people) - 1)
    # Choosing the users with the shortest exponential waiting times is a weighted choice without
    # repetition.
    waiting = {
        uid: chance.expovariate(weight)
        for uid, weight in zip(people, weights, strict=True)
        if uid != reader
    }
    return sorted(waiting, key=waiting.__getitem__)[:follow_count]


def _page_views(
    chance: Random, people: list[int], activity_weights: list[float], weights: list[float]
) -> list[PageView]:
    views = []
    for kind in chance.choices(
        list(PAGE_KIND_WEIGHTS), weights=list(PAGE_KIND_WEIGHTS.values()), k=PAGES_PER_POST
    ):
        # Active users view home pages more often, and profiles of popular users are viewed more often.
        if kind == "profile":
            (person,) = chance.choices(people, weights=weights)
        else:
            (person,) = chance.choices(people, cum_weights=activity_weights)
        skip = PAGE_SIZE * chance.randint(1, MAX_DEEP_PAGE) if kind == "deep" else 0
        views.append(PageView(kind, person, skip))
    return views
