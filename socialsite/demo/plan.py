"""The whole demo in memory, before anything of it is written."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from accounts.infra.ids import first_id_at
from accounts.infra.ids.layout import NODES, SEQUENCE_BITS

from .discussions import Discussion, DiscussionWriter
from .follows import make_follows, popularity_weights
from .personas import Persona, make_personas
from .post_texts import PostWriter, choose_authors


@dataclass(frozen=True, slots=True)
class DemoSpec:
    """What was asked for. ``now`` and ``node`` are chosen once, when the order is first given: from
    them come the ids of the posts, so that a second attempt makes the very same."""

    users: int
    follows: int
    posts: int
    seed: int
    now: datetime
    node: int


@dataclass(frozen=True, slots=True)
class PlannedPost:
    id: int
    author: int
    text: str
    published_at: datetime
    discussion: Discussion


@dataclass(frozen=True, slots=True)
class Plan:
    """People are named by their positions in ``people``. ``followers``: by followee."""

    personas: Sequence[Persona]
    followers: Mapping[int, Sequence[int]]
    posts: Sequence[PlannedPost]

    @property
    def follow_count(self) -> int:
        return sum(map(len, self.followers.values()))


def make_plan(*, spec: DemoSpec) -> Plan:
    """The same people, texts and follows for the same seed and numbers."""
    seed = spec.seed
    people = make_personas(count=spec.users, seed=seed)
    weights = popularity_weights(count=len(people), seed=seed)
    followers = make_follows(personas=people, weights=weights, follows=spec.follows, seed=seed)
    followed: dict[int, list[int]] = {}
    for followee, some in followers.items():
        for follower in some:
            followed.setdefault(follower, []).append(followee)
    writers = PostWriter(personas=people, followed=followed, seed=seed)
    talkers = DiscussionWriter(
        personas=people, followers=followers, seed=seed, now=spec.now, node=spec.node
    )
    posts = [
        PlannedPost(
            id=_id(at, spec.node),
            author=author,
            text=writers.write(author=author),
            published_at=at,
            discussion=talkers.write(author=author, at=at),
        )
        for author, at in zip(
            choose_authors(weights=weights, count=spec.posts, seed=seed),
            make_publish_times(count=spec.posts, now=spec.now, seed=seed),
            strict=True,
        )
    ]
    return Plan(people, followers, posts)


def node_from_id(id: int) -> int:
    """The node number in an id: that of the process which made it."""
    return id >> SEQUENCE_BITS & (NODES - 1)


def _id(at: datetime, node: int) -> int:
    # No two posts of a plan share a millisecond, and ids of others are of later ones.
    return first_id_at(moment=at) | node << SEQUENCE_BITS


# The demo's posts are spread over thirty days: more of them lately, more by day than by night.
POST_HISTORY = timedelta(days=30)
HALF_LIFE = timedelta(days=9)
NEWEST_AGE = timedelta(seconds=70)
AM_ACTIVITY = (30, 18, 10, 8, 8, 14, 30, 55, 72, 76, 74, 76)
PM_ACTIVITY = (86, 80, 70, 68, 72, 80, 90, 98, 100, 96, 78, 52)
HOURLY_ACTIVITY = AM_ACTIVITY + PM_ACTIVITY
"""How much is written in each hour of the day, in percent of the busiest."""


def make_publish_times(*, count: int, now: datetime, seed: int) -> list[datetime]:
    """``count`` moments before ``now``, in order, no two in one millisecond."""
    chance = random.Random(f"{seed}:moments")  # noqa: S311 - not a secret
    drawn: set[int] = set()
    while len(drawn) < count:
        age = timedelta(seconds=chance.expovariate(0.693 / HALF_LIFE.total_seconds()))
        if age < POST_HISTORY:
            moment = now - NEWEST_AGE - age
            # The busy hours differ with the time zones of the writers: so blur them a little.
            if (
                chance.random() * 100
                < HOURLY_ACTIVITY[(moment.hour + chance.randrange(-1, 2)) % 24]
            ):
                drawn.add(age // timedelta(milliseconds=1))
    return [now - NEWEST_AGE - timedelta(milliseconds=age) for age in sorted(drawn, reverse=True)]
