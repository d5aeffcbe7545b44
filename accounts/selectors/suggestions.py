"""Users whom the viewer may want to follow: users whom many of the viewer's followees followed recently.

Counting candidates reads thousands of edges, so the candidates are cached for ten minutes. Each request
filters the cached candidates, so that follows, blocks and mutes take effect at once.
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
"""Maximum number of the viewer's followees to examine, starting with the most recently followed."""

MAX_FOLLOWS_COUNTED = 3000
"""Maximum number of follows by these followees to count, starting with the newest follow."""

MAX_RANKED = 400
MAX_CANDIDATES = 40
"""Maximum number of candidates. The candidates are chosen from the best ``MAX_RANKED`` users, because
the viewer may already follow many of these users."""

MAX_COMMON_FOLLOWEES = 3
"""Maximum number of followees to cache for a candidate: the viewer's followees who follow the candidate.
Pages name the first of these followees who is still visible."""

CACHE_SECONDS = 600

Candidate = tuple[int, list[int], int]
"""The candidate's uid, up to ``MAX_COMMON_FOLLOWEES`` of the viewer's followees who follow the candidate,
and the number of all such followees."""


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suggested user.

    Attributes:
        followed_by: one of the viewer's followees who follow the user.
        other_count: number of the viewer's other followees who follow the user.
    """

    card: UserCard
    followed_by: UserCard
    other_count: int


def suggested_users(*, viewer: int, limit: int) -> tuple[Suggestion, ...]:
    """Return suggestions, best first. At most seven commands.

    Leaves out users whom the viewer follows, has requested to follow, blocks, mutes or has dismissed, and
    users who block the viewer.
    """
    candidates, dismissed = _get_candidates(viewer)
    if not candidates:
        return ()
    followees = {followee for _, followed_by, _ in candidates for followee in followed_by}
    uids_by_kind = relationship_kinds.find_for_viewer(
        viewer=viewer,
        uids=followees.union(uid for uid, _, _ in candidates),
        now=timezone.now(),
        include_requests=True,
    )
    relationships = relationships_from(uids_by_kind)
    invisible = relationships.blocked | relationships.muted | relationships.unavailable
    requested = uids_by_kind.of_kind(relationship_kinds.REQUESTED)
    excluded = {viewer, *dismissed} | invisible | relationships.followed | requested
    visible_followees = relationships.followed - invisible
    shown: list[Candidate] = []
    for uid, followed_by, count in candidates:
        visible = [followee for followee in followed_by if followee in visible_followees]
        if visible and uid not in excluded:
            shown.append((uid, visible, count - len(followed_by) + len(visible)))
    shown = shown[:limit]
    cards = cards_by_uid(uids={uid for shown_uid, by, _ in shown for uid in (shown_uid, by[0])})
    return tuple(
        Suggestion(card=cards[uid], followed_by=cards[followed_by[0]], other_count=count - 1)
        for uid, followed_by, count in shown
        if uid in cards and followed_by[0] in cards
    )


def dismissed_uids(*, viewer: int) -> list[int]:
    """Return the users whom the viewer has dismissed from the suggestions, the latest dismissal last."""
    uids: list[int] = cache.get(dismissed_key(uid=viewer), [])
    return uids


def candidates_key(*, uid: int) -> str:
    """Return the cache key of a user's candidates."""
    return f"suggestions:{uid}"


def dismissed_key(*, uid: int) -> str:
    """Return the cache key of the suggestions that a user has dismissed."""
    return f"dismissed_suggestions:{uid}"


def _get_candidates(viewer: int) -> tuple[list[Candidate], list[int]]:
    """Return the candidates and the users whom the viewer has dismissed."""
    candidates_at, dismissed_at = candidates_key(uid=viewer), dismissed_key(uid=viewer)
    cached: dict[str, Any] = cache.get_many([candidates_at, dismissed_at])
    candidates: list[Candidate] | None = cached.get(candidates_at)
    if candidates is None:
        candidates = _count_candidates(viewer)
        # Do not cache an empty list, so that new users get suggestions after their first follow.
        if candidates:
            cache.set(candidates_at, candidates, CACHE_SECONDS)
    return candidates, cached.get(dismissed_at, [])


def _count_candidates(viewer: int) -> list[Candidate]:
    followee_edges = edges.followee_edges_page(
        follower=viewer, below=None, above=None, limit=MAX_FOLLOWEES_EXAMINED
    )
    followees = [edge.followee for edge in followee_edges]
    if not followees:
        return []
    excluded = {viewer, *followees}
    followed_by: dict[int, list[int]] = defaultdict(list)
    for edge in edges.newest_edges(followers=followees, limit=MAX_FOLLOWS_COUNTED):
        if edge.followee not in excluded:
            followed_by[edge.followee].append(edge.follower)
    # Edges come newest first, and Python's sort is stable. Of candidates with equal counts, the most
    # recently followed candidate comes first.
    ranked = sorted(followed_by.items(), key=lambda pair: -len(pair[1]))[:MAX_RANKED]
    already_followed = edges.followees_among(follower=viewer, uids=[uid for uid, _ in ranked])
    candidates = [
        (uid, followers[:MAX_COMMON_FOLLOWEES], len(followers))
        for uid, followers in ranked
        if uid not in already_followed
    ]
    return candidates[:MAX_CANDIDATES]
