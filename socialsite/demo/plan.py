"""The whole demo in memory, before it is written to the database."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from .follows import make_follows, popularity_weights
from .languages import Entry, load_front_page, load_languages
from .personas import ALICE, FIXED_PERSONAS, Persona, make_personas
from .planned_posts import DemoSpec, PlannedPost, PostPlanner
from .post_texts import CLIP_FORMS, Draft, PostWriter, choose_authors, draft_from_entry

MIN_POSTS = 200
"""A smaller demo has no front page, whose posts would be most of its posts."""

NEWEST_AGE = timedelta(minutes=2)
PERIOD = timedelta(minutes=185)
"""The time in which only posts of the front page are published."""

RECENT_SHARE = 0.2
"""The fraction of posts, the newest, among which the conversations are."""


FrontPageEntry = tuple[str, str, Entry]
"""Author, topic and entry of a post."""


def front_page_entries(*, posts: int, has_clips: bool) -> list[FrontPageEntry]:
    """Return the newest posts of a demo with ``posts`` posts, newest first."""
    if posts < MIN_POSTS:
        return []
    entries = load_front_page()
    return [row for row in entries if has_clips or row[2].form not in CLIP_FORMS]


def front_page_times(*, count: int, now: datetime) -> list[datetime]:
    """Return ascending times, closer together the newer they are."""
    span = PERIOD - 2 * NEWEST_AGE
    ages = [NEWEST_AGE + span * (n / count) ** 1.3 for n in reversed(range(count))]
    return [now - timedelta(seconds=age // timedelta(seconds=1)) for age in ages]


def front_page_drafts(
    *,
    personas: Sequence[Persona],
    followed: Mapping[int, Sequence[int]],
    entries: Sequence[FrontPageEntry],
    seed: int,
) -> Iterator[tuple[int, Draft | None]]:
    """Yield (author, draft), oldest first. The draft of a share is None."""
    chance = random.Random(f"{seed}:front")  # noqa: S311 - not a secret
    indexes = {persona.username: index for index, persona in enumerate(FIXED_PERSONAS)}
    used: set[int] = set()
    for author_name, topic, entry in reversed(entries):
        author = indexes.get(author_name)
        if author is None:
            author = _author(chance, personas, followed, topic, used)
            used.add(author)
        # Without a topic, the post gets no comments besides its own.
        yield author, None if entry.form == "share" else draft_from_entry(entry=entry, topic="")


def _author(
    chance: random.Random,
    personas: Sequence[Persona],
    followed: Mapping[int, Sequence[int]],
    topic: str,
    used: set[int],
) -> int:
    """Return a user whom alice follows, if possible one who writes about the topic."""
    language = next(code for code, texts in load_languages().items() if topic in texts.topics)
    users = [
        uid for uid in followed.get(ALICE, ()) if uid >= len(FIXED_PERSONAS) and uid not in used
    ]
    for candidates in (
        [uid for uid in users if topic in personas[uid].topics[:3]],
        [uid for uid in users if personas[uid].language == language],
        users,
    ):
        if candidates:
            return chance.choice(candidates)
    return ALICE


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
    planner = PostPlanner(personas=people, followers=followers, followed=followed, spec=spec)
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
