"""The whole demo in memory, before it is written to the database."""

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
    """The size and seed of a demo.

    Post ids derive from ``now`` and ``node``. The first attempt chooses both values. Later attempts reuse
    the values, so that all attempts create the same posts.
    """

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
    """A generated demo.

    Indexes of ``personas`` identify users. ``followers`` maps followed users to their followers.
    """

    personas: Sequence[Persona]
    followers: Mapping[int, Sequence[int]]
    posts: Sequence[PlannedPost]

    @property
    def follow_count(self) -> int:
        return sum(map(len, self.followers.values()))


def make_plan(*, spec: DemoSpec) -> Plan:
    """Generate a plan. The same specification always produces the same plan."""
    seed = spec.seed
    people = make_personas(count=spec.users, seed=seed)
    weights = popularity_weights(count=len(people), seed=seed)
    followers = make_follows(personas=people, weights=weights, follows=spec.follows, seed=seed)
    followed: dict[int, list[int]] = {}
    for followee, follower_indexes in followers.items():
        for follower in follower_indexes:
            followed.setdefault(follower, []).append(followee)
    post_writer = PostWriter(personas=people, followed=followed, seed=seed)
    discussion_writer = DiscussionWriter(
        personas=people, followers=followers, seed=seed, now=spec.now, node=spec.node
    )
    posts = [
        PlannedPost(
            id=_id(at, spec.node),
            author=author,
            text=post_writer.write(author=author),
            published_at=at,
            discussion=discussion_writer.write(author=author, at=at),
        )
        for author, at in zip(
            choose_authors(weights=weights, count=spec.posts, seed=seed),
            make_publish_times(count=spec.posts, now=spec.now, seed=seed),
            strict=True,
        )
    ]
    return Plan(people, followers, posts)


def node_from_id(id: int) -> int:
    """Return the node number in an id. The number identifies the process that created the id."""
    return id >> SEQUENCE_BITS & (NODES - 1)


def _id(at: datetime, node: int) -> int:
    # Without a sequence number, the id is still unique. Posts of a plan never share a millisecond, and all
    # other ids are newer.
    return first_id_at(moment=at) | node << SEQUENCE_BITS


# Posts are spread over thirty days: more in recent days, and more by day than by night.
POST_HISTORY = timedelta(days=30)
HALF_LIFE = timedelta(days=9)
NEWEST_AGE = timedelta(seconds=70)
AM_ACTIVITY = (30, 18, 10, 8, 8, 14, 30, 55, 72, 76, 74, 76)
PM_ACTIVITY = (86, 80, 70, 68, 72, 80, 90, 98, 100, 96, 78, 52)
HOURLY_ACTIVITY = AM_ACTIVITY + PM_ACTIVITY
"""The activity in each hour of the day, in percent of the busiest hour."""


def make_publish_times(*, count: int, now: datetime, seed: int) -> list[datetime]:
    """Return ``count`` ascending times before ``now``, with different milliseconds."""
    chance = random.Random(f"{seed}:moments")  # noqa: S311 - not a secret
    drawn: set[int] = set()
    while len(drawn) < count:
        age = timedelta(seconds=chance.expovariate(0.693 / HALF_LIFE.total_seconds()))
        if age < POST_HISTORY:
            moment = now - NEWEST_AGE - age
            # Shift the hour by up to one, as if authors lived in neighbouring time zones.
            if (
                chance.random() * 100
                < HOURLY_ACTIVITY[(moment.hour + chance.randrange(-1, 2)) % 24]
            ):
                drawn.add(age // timedelta(milliseconds=1))
    return [now - NEWEST_AGE - timedelta(milliseconds=age) for age in sorted(drawn, reverse=True)]
