"""People, whom they follow, and what they publish and read: the same for every design and for a seed.

Audiences are as unequal as on real sites: whom one follows is chosen with Zipf-like weights. The famous
also publish more, and some people read more than others, both by the square root of that.
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
"""What is read, in percent."""

PageKind = Literal["first", "deep", "profile"]


@dataclass(frozen=True, slots=True)
class Post:
    id: int
    author: int


@dataclass(frozen=True, slots=True)
class PageView:
    """``person``: the reader, or for a profile the one it shows; ``skip``: posts above the page."""

    kind: PageKind
    uid: int
    offset: int


@dataclass(frozen=True, slots=True)
class Workload:
    """``history`` was published before the collections were sharded, ``live`` is measured.

    ``followers`` and ``followees``: by uid. Nobody follows or stops following meanwhile.
    """

    uids: list[int]
    followers: dict[int, list[int]]
    followees: dict[int, list[int]]
    history: list[Post]
    live: list[Post | PageView]

    def recipients(self, post: Post) -> list[int]:
        return [post.author, *self.followers[post.author]]


def make_workload(*, users: int, posts: int, seed: int) -> Workload:
    """``posts``: half of them history, half live with ``PAGES_PER_POST`` page views after each."""
    chance = Random(seed)  # noqa: S311 - a simulation
    people = [_later(chance, number) for number in range(1, users + 1)]
    weights = [1 / rank**ZIPF_EXPONENT for rank in range(1, users + 1)]
    chance.shuffle(weights)
    followers: dict[int, list[int]] = defaultdict(list)
    followees = {}
    for reader in people:
        followees[reader] = _follows(chance, reader, people, weights)
        for author in followees[reader]:
            followers[author].append(reader)
    damped = list(accumulate(map(sqrt, weights)))
    published = [
        Post(_later(chance, users + number), author)
        for number, author in enumerate(chance.choices(people, cum_weights=damped, k=posts), 1)
    ]
    live: list[Post | PageView] = []
    for post in published[posts // 2 :]:
        live.append(post)
        live += _page_views(chance, people, damped, weights)
    by_uid = {uid: followers[uid] for uid in people}
    return Workload(people, by_uid, followees, published[: posts // 2], live)


def _later(chance: Random, number: int) -> int:
    """An id as the site makes them: milliseconds above, node and sequence below."""
    return (number * 1000 + chance.randrange(1000)) << 22


def _follows(chance: Random, reader: int, people: list[int], weights: list[float]) -> list[int]:
    wanted = min(FOLLOWS_PER_USER, len(people) - 1)
    # The smallest of exponential waiting times: a weighted choice without repetition.
    waiting = {
        uid: chance.expovariate(weight)
        for uid, weight in zip(people, weights, strict=True)
        if uid != reader
    }
    return sorted(waiting, key=waiting.__getitem__)[:wanted]


def _page_views(
    chance: Random, people: list[int], damped: list[float], weights: list[float]
) -> list[PageView]:
    views = []
    for kind in chance.choices(
        list(PAGE_KIND_WEIGHTS), weights=list(PAGE_KIND_WEIGHTS.values()), k=PAGES_PER_POST
    ):
        # Readers by their own activity; profiles of the famous are looked at most.
        if kind == "profile":
            (person,) = chance.choices(people, weights=weights)
        else:
            (person,) = chance.choices(people, cum_weights=damped)
        skip = PAGE_SIZE * chance.randint(1, MAX_DEEP_PAGE) if kind == "deep" else 0
        views.append(PageView(kind, person, skip))
    return views
