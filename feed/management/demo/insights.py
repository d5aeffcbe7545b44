"""Events of the last four weeks, so that the demo's insights and charts have something to show.

Posts of the people who can log in have numbers of their own; all others count for the site only.
"""

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from feed.stats import SITE, Metric
from feed.store import active_hours, stats
from feed.store.stats import Key, Subject

from .moments import RHYTHM
from .people import FIXED
from .plan import Plan, PlannedPost

SPAN = timedelta(days=28)
WITH_SECONDS = timedelta(hours=47)
HALF_SEEN_AFTER = timedelta(hours=3)
SEEN_BY = 0.4
"""The part of an author's followers who see a post."""

HERE_DAILY = 0.35
PAGES_EACH, CALLS_EACH, PAGE_MS = 9, 14, 62
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def count_events(plan: Plan, uids: Sequence[int], now: datetime, seed: int) -> Iterator[int]:
    """Write all events anew, in two steps; what a stopped call wrote is deleted first."""
    chance = random.Random(f"{seed}:insights")  # noqa: S311 - not a secret
    stats.delete_metrics(metrics=[metric for metric in Metric if metric != Metric.AUTHORS])
    active_hours.delete_everybody()
    events: Counter[Key] = Counter()
    known = range(len(FIXED))
    for post in plan.posts:
        if post.at > now - SPAN:
            subjects: tuple[Subject, ...] = (SITE,)
            if post.author in known:
                subjects = (post.id, uids[post.author], SITE)
            audience = len(plan.followers.get(post.author, ()))
            _count_post(post, subjects, audience, events, chance, now)
    for author in known:
        for _follower in plan.followers.get(author, ()):
            events[uids[author], Metric.FOLLOWERS, _moment(now, chance)] += 1
    _count_visits(len(uids), events, chance, now)
    yield from _write(events, now)
    for hour, share in enumerate(RHYTHM):
        here = [uid for uid in uids if chance.random() < share / 200]
        if here:
            active_hours.add(uids=here, at=now.replace(hour=hour))


def _count_post(
    post: PlannedPost,
    subjects: Sequence[Subject],
    audience: int,
    events: Counter[Key],
    chance: random.Random,
    now: datetime,
) -> None:
    events[SITE, Metric.POSTS, post.at.replace(microsecond=0)] += 1
    events[SITE, Metric.DELIVERIES, post.at.replace(microsecond=0)] += audience
    views = 2 * len(post.talk.likers) + round(audience * SEEN_BY * chance.uniform(0.5, 1.5))
    numbers = {
        Metric.VIEWS: views,
        Metric.LIKES: len(post.talk.likers),
        Metric.COMMENTS: len(post.talk.comments),
    }
    for metric, number in numbers.items():
        for _event in range(number):
            delay = chance.expovariate(0.693 / HALF_SEEN_AFTER.total_seconds())
            at = (post.at + timedelta(seconds=delay)).replace(microsecond=0)
            if at < now:
                for subject in subjects:
                    events[subject, metric, at] += 1


def _count_visits(people: int, events: Counter[Key], chance: random.Random, now: datetime) -> None:
    this_hour = stats.hour_of(now)
    for ago in range(1, SPAN // HOUR):
        at = this_hour - ago * HOUR
        here = round(people * HERE_DAILY * RHYTHM[at.hour] / sum(RHYTHM) * chance.uniform(0.8, 1.2))
        pages = here * PAGES_EACH
        events[SITE, Metric.ACTIVE, at] += here
        events[SITE, Metric.ACTIVE_HOURLY, at] += 2 * here
        events[SITE, Metric.PAGES, at] += pages
        events[SITE, Metric.PAGE_MS, at] += round(pages * PAGE_MS * chance.uniform(0.8, 1.5))
        events[SITE, Metric.API_CALLS, at] += here * CALLS_EACH


def _moment(now: datetime, chance: random.Random) -> datetime:
    return (now - chance.random() * SPAN).replace(microsecond=0)


def _write(events: Counter[Key], now: datetime) -> Iterator[int]:
    older: Counter[Key] = Counter()
    newer: Counter[Key] = Counter()
    for (subject, metric, at), number in events.items():
        if at > now - WITH_SECONDS:
            newer[subject, str(metric), at] += number
        else:
            older[subject, str(metric), stats.hour_of(at)] += number
    stats.insert_hours(totals=older)
    yield 1
    stats.add(counts=newer)
    yield 1
