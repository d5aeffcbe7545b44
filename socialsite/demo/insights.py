"""Events of the last four weeks for the demo's insights and charts.

Each post of a fixed user has its own counters, which its author can see. Posts of other users are counted
only in the totals of the site.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from feed.stats import SITE, Metric
from feed.store import active_hours, stats
from feed.store.stats import EventKey, Subject

from .personas import FIXED_PERSONAS
from .plan import HOURLY_ACTIVITY, Plan
from .planned_posts import PlannedPost

STATS_HISTORY = timedelta(days=28)
SECONDS_KEPT_FOR = timedelta(hours=47)
VIEW_HALF_LIFE = timedelta(hours=3)
VIEW_RATE = 0.4
"""The fraction of an author's followers who see a post."""

DAILY_ACTIVE_RATE = 0.35
PAGES_PER_USER, API_CALLS_PER_USER, PAGE_MS = 9, 14, 62
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def write_events(plan: Plan, uids: Sequence[int], now: datetime, seed: int) -> Iterator[int]:
    """Write all events in two steps. Deletes the events of an interrupted call first."""
    chance = random.Random(f"{seed}:insights")  # noqa: S311 - not a secret
    stats.delete_metrics(metrics=[metric for metric in Metric if metric != Metric.AUTHORS])
    active_hours.delete_all()
    events: Counter[EventKey] = Counter()
    known = range(len(FIXED_PERSONAS))
    for post in plan.posts:
        if post.published_at > now - STATS_HISTORY:
            subjects: tuple[Subject, ...] = (SITE,)
            if post.author in known:
                subjects = (post.id, uids[post.author], SITE)
            audience = len(plan.followers.get(post.author, ()))
            _count_post(post, subjects, audience, events, chance, now)
    for author in known:
        for _follower in plan.followers.get(author, ()):
            at = (now - chance.random() * STATS_HISTORY).replace(microsecond=0)
            events[uids[author], Metric.FOLLOWERS, at] += 1
    _count_visits(len(uids), events, chance, now)
    yield from _write(events, now)
    for hour, share in enumerate(HOURLY_ACTIVITY):
        here = [uid for uid in uids if chance.random() < share / 200]
        if here:
            active_hours.record_active(uids=here, at=now.replace(hour=hour))


def _count_post(
    post: PlannedPost,
    subjects: Sequence[Subject],
    audience: int,
    events: Counter[EventKey],
    chance: random.Random,
    now: datetime,
) -> None:
    events[SITE, Metric.POSTS, post.published_at.replace(microsecond=0)] += 1
    events[SITE, Metric.DELIVERIES, post.published_at.replace(microsecond=0)] += audience
    views = 2 * len(post.discussion.likers) + round(audience * VIEW_RATE * chance.uniform(0.5, 1.5))
    numbers = {
        Metric.VIEWS: views,
        Metric.LIKES: len(post.discussion.likers),
        Metric.COMMENTS: sum(not comment.recipients for comment in post.discussion.comments),
        Metric.SHARES: post.share_count,
    }
    for metric, number in numbers.items():
        for _event in range(number):
            delay = chance.expovariate(0.693 / VIEW_HALF_LIFE.total_seconds())
            at = (post.published_at + timedelta(seconds=delay)).replace(microsecond=0)
            if at < now:
                for subject in subjects:
                    events[subject, metric, at] += 1


def _count_visits(
    people: int, events: Counter[EventKey], chance: random.Random, now: datetime
) -> None:
    this_hour = stats.start_of_hour(now)
    for ago in range(1, STATS_HISTORY // HOUR):
        at = this_hour - ago * HOUR
        here = round(
            people
            * DAILY_ACTIVE_RATE
            * HOURLY_ACTIVITY[at.hour]
            / sum(HOURLY_ACTIVITY)
            * chance.uniform(0.8, 1.2)
        )
        pages = here * PAGES_PER_USER
        events[SITE, Metric.ACTIVE, at] += here
        events[SITE, Metric.ACTIVE_HOURLY, at] += 2 * here
        events[SITE, Metric.PAGES, at] += pages
        events[SITE, Metric.PAGE_MS, at] += round(pages * PAGE_MS * chance.uniform(0.8, 1.5))
        events[SITE, Metric.API_CALLS, at] += here * API_CALLS_PER_USER


def _write(events: Counter[EventKey], now: datetime) -> Iterator[int]:
    older: Counter[EventKey] = Counter()
    newer: Counter[EventKey] = Counter()
    for (subject, metric, at), number in events.items():
        if at > now - SECONDS_KEPT_FOR:
            newer[subject, str(metric), at] += number
        else:
            older[subject, str(metric), stats.start_of_hour(at)] += number
    stats.insert_hours(totals=older)
    yield 1
    stats.add_counts(counts=newer)
    yield 1
