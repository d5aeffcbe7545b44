"""Whom one might want to follow: whom many of those one follows have followed lately.

Candidates are kept for some minutes, as counting them reads some thousand edges; who of them is shown is
decided each time, so that following, blocking and muting act at once.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

from django.core.cache import cache
from django.utils import timezone

from accounts.store import edges, relationship_kinds
from accounts.user_cards import UserCard, cards_by_uid

from .relationships import relationships_from

MAX_FOLLOWEES_EXAMINED = 100
"""Of whom one follows, so many are asked: those followed last."""

MAX_FOLLOWS_COUNTED = 3000
"""So many of their follows are counted, the newest of all."""

MAX_RANKED = 400
MAX_CANDIDATES = 40
"""Of the best 400 the best 40 whom the viewer does not follow, who may follow many more than FRIENDS."""

MAX_COMMON_FOLLOWEES = 3
"""By so many friends each candidate is remembered; the first who is still one is named."""

CACHE_SECONDS = 600

Candidate = tuple[int, list[int], int]
"""A uid, some friends who follow them, and how many do."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A person, followed by somebody whom the viewer follows, and by ``others`` more of these."""

    card: UserCard
    followed_by: UserCard
    other_count: int


def suggested_users(*, viewer: int, limit: int) -> tuple[Suggestion, ...]:
    """Best first. Never whom the viewer follows, has asked, blocks, mutes or has sent away, nor who
    blocks the viewer.

    At most seven commands, whomever one follows.
    """
    candidates, sent_away = _candidates(viewer)
    if not candidates:
        return ()
    friends = {friend for _, by, _ in candidates for friend in by}
    stands = relationship_kinds.find_for_viewer(
        viewer=viewer,
        uids=friends.union(uid for uid, _, _ in candidates),
        now=timezone.now(),
        include_requests=True,
    )
    is_to = relationships_from(stands)
    apart = is_to.blocked | is_to.muted | is_to.unavailable
    known = {viewer} | apart | is_to.followed | stands.of_kind(relationship_kinds.REQUESTED)
    known = known.union(sent_away)
    heard = is_to.followed - apart
    shown = [
        (uid, still, number - len(by) + len(still))
        for uid, by, number in candidates
        if uid not in known and (still := [friend for friend in by if friend in heard])
    ][:limit]
    found = cards_by_uid(uids={one for uid, by, _ in shown for one in (uid, by[0])})
    return tuple(
        Suggestion(card=found[uid], followed_by=found[by[0]], other_count=number - 1)
        for uid, by, number in shown
        if uid in found and by[0] in found
    )


def dismissed_uids(*, viewer: int) -> list[int]:
    """Whom the viewer does not want to be suggested."""
    found: list[int] = cache.get(f"not_suggested:{viewer}", [])
    return found


def _candidates(viewer: int) -> tuple[list[Candidate], list[int]]:
    """And whom the viewer has sent away."""
    key, away = f"suggested:{viewer}", f"not_suggested:{viewer}"
    kept: dict[str, Any] = cache.get_many([key, away])
    found: list[Candidate] | None = kept.get(key)
    if found is None:
        found = _count(viewer)
        if found:  # who begins to follow gets suggestions at once
            cache.set(key, found, CACHE_SECONDS)
    return found, kept.get(away, [])


def _count(viewer: int) -> list[Candidate]:
    followed = edges.followee_edges_page(
        follower=viewer, below=None, above=None, limit=MAX_FOLLOWEES_EXAMINED
    )
    friends = [one.followee for one in followed]
    if not friends:
        return []
    passed_over = {viewer, *friends}
    followed_by: dict[int, list[int]] = defaultdict(list)
    for edge in edges.newest_edges(followers=friends, limit=MAX_FOLLOWS_COUNTED):
        if edge.followee not in passed_over:
            followed_by[edge.followee].append(edge.follower)
    # Of equals, whom somebody has followed last: they were met first, and sorting keeps that.
    best = sorted(followed_by.items(), key=lambda one: -len(one[1]))[:MAX_RANKED]
    there = edges.followees_among(follower=viewer, uids=[uid for uid, _ in best])
    others = [(uid, by[:MAX_COMMON_FOLLOWEES], len(by)) for uid, by in best if uid not in there]
    return others[:MAX_CANDIDATES]
