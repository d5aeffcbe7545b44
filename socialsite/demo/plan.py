"""The whole demo in memory, before it is written to the database."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from .follows import make_follows, popularity_weights
from .front_page import PERIOD, front_page_drafts, front_page_entries, front_page_times
from .personas import Persona, make_personas
from .planned_posts import PlannedPost, PostPlanner
from .post_texts import PostWriter, choose_authors

RECENT_SHARE = 0.2
"""The fraction of posts, the newest, among which the conversations are."""


@dataclass(frozen=True, slots=True)
class DemoSpec:
    """The size and seed of a demo.

    Post ids derive from ``now`` and ``node``. The first attempt chooses both values. Later attempts reuse
    the values, so that all attempts create the same posts. ``has_clips``: whether there are posts with a
    video or an audio file.
    """

    users: int
    follows: int
    posts: int
    seed: int
    now: datetime
    node: int
    has_clips: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A generated demo.

    Indexes of ``personas`` identify users. ``followers`` maps followed users to their followers.
    """

    personas: Sequence[Persona]
    join_times: Sequence[datetime]
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
    planner = PostPlanner(
        personas=people,
        followers=followers,
        followed=followed,
        seed=seed,
        now=spec.now,
        node=spec.node,
    )
    entries = front_page_entries(posts=spec.posts, has_clips=spec.has_clips)
    count = spec.posts - len(entries)
    writer = PostWriter(personas=people, followed=followed, seed=seed)
    authors = choose_authors(weights=weights, count=count, seed=seed)
    times = make_publish_times(count=count, now=spec.now - PERIOD, seed=seed)
    for position, (author, at) in enumerate(zip(authors, times, strict=True)):
        if not planner.add_share_by_chance(author=author, at=at):
            is_recent = position > count * (1 - RECENT_SHARE)
            draft = writer.write(author=author, is_recent=is_recent)
            planner.add(author=author, at=at, draft=draft)
    newest = front_page_drafts(personas=people, followed=followed, entries=entries, seed=seed)
    newest_times = front_page_times(count=len(entries), now=spec.now)
    for (newest_author, newest_draft), at in zip(newest, newest_times, strict=True):
        if newest_draft is None:
            planner.add_share(author=newest_author, at=at)
        else:
            planner.add(author=newest_author, at=at, draft=newest_draft)
    join_times = make_join_times(count=len(people), now=spec.now, seed=seed)
    return Plan(people, join_times, followers, planner.planned_posts())


JOIN_HISTORY = timedelta(days=420)
LATEST_JOIN_AGE = timedelta(days=31)
"""Everybody joined before the first post."""


def make_join_times(*, count: int, now: datetime, seed: int) -> list[datetime]:
    """Return ``count`` ascending times before the first post, with different milliseconds."""
    chance = random.Random(f"{seed}:joins")  # noqa: S311 - not a secret
    ages: set[int] = set()
    while len(ages) < count:
        # The site grows, so more users joined in recent months.
        ages.add(int(JOIN_HISTORY / timedelta(milliseconds=1) * chance.random() ** 1.5))
    newest = now - LATEST_JOIN_AGE
    return [newest - timedelta(milliseconds=age) for age in sorted(ages, reverse=True)]


# Posts are spread over thirty days: more in recent days, and more by day than by night.
POST_HISTORY = timedelta(days=30) - PERIOD
HALF_LIFE = timedelta(days=9)
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
            moment = now - age
            # Shift the hour by up to one, as if authors lived in neighbouring time zones.
            if (
                chance.random() * 100
                < HOURLY_ACTIVITY[(moment.hour + chance.randrange(-1, 2)) % 24]
            ):
                drawn.add(1 + age // timedelta(milliseconds=1))
    return [now - timedelta(milliseconds=age) for age in sorted(drawn, reverse=True)]
