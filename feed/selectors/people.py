"""Suggest users to follow: by topics, friends, invitations, recommendations and activity.

``accounts.selectors.suggestions`` decides which candidates a viewer sees.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from datetime import timedelta
from itertools import zip_longest
from typing import Any

from django.core.cache import cache
from django.utils import timezone

from accounts.selectors.follow_graph import count_followees, follow_counts
from accounts.selectors.suggestions import (
    CACHE_SECONDS,
    EMPTY_CACHE_SECONDS,
    MAX_CANDIDATES,
    Candidate,
    Reason,
    Suggestion,
    candidates_key,
    dismissed_key,
    friends_of_friends,
    invitation_candidates,
    recommended_uids,
    suggestions_from,
)
from accounts.user_cards import cards_by_uid
from feed.store import active_posts, attributes, home_states
from feed.store.post_rows import IdRange

from .trends import first_active_id, written_kinds

MAX_ACTIVE_USERS = 100
NEW_USER_PERIOD = timedelta(days=30)
ACTIVE_CACHE_SECONDS = 60
ACTIVE_KEY = "active_users"
MAX_TAGGED_POSTS = 300
MAX_TAGS = 20

ENOUGH_FOLLOWEES = 5
"""Home suggests people until the viewer follows this many users."""

HOME_SUGGESTIONS, EMPTY_HOME_SUGGESTIONS = 3, 6
MAX_SUGGESTIONS = 10
"""How many people Explore and the last welcome step suggest."""


def suggested_people(
    *, viewer: int | None, limit: int, tags: Sequence[str] | None = None
) -> tuple[Suggestion, ...]:
    """Return users to follow, with reasons. The reasons alternate, so that a short list has several.

    Usually three commands, and at most seven more to collect candidates.

    Args:
        tags: the hashtags that the viewer follows, if the caller has read them.
    """
    personal_key, dismissals_key = candidates_key(uid=viewer or 0), dismissed_key(uid=viewer or 0)
    wanted_keys = [ACTIVE_KEY] if viewer is None else [ACTIVE_KEY, personal_key, dismissals_key]
    cached: dict[str, Any] = cache.get_many(wanted_keys)
    active = cached.get(ACTIVE_KEY) or _count_active_users()
    for_everybody = [
        [Candidate(uid, Reason(reason)) for uid in uids] for reason, uids in active.items()
    ]
    invited, for_viewer = list[Candidate](), list[list[Candidate]]()
    if viewer is not None:
        if tags is None:
            tags = home_states.followed_tags(viewer=viewer)
        invited, *for_viewer = _personal_candidates(
            viewer, tags[-MAX_TAGS:], cached.get(personal_key)
        )
    return suggestions_from(
        viewer=viewer,
        candidates=[*invited, *_alternate([*for_viewer, *for_everybody])],
        dismissed=cached.get(dismissals_key, ()),
        limit=limit,
    )


def active_uids() -> list[int]:
    """Return the users who are active now, those with most followers and interactions first.

    Usually one command. The list may contain users who became private or inactive in the last minute.
    """
    active: dict[str, list[int]] = cache.get(ACTIVE_KEY) or _count_active_users()
    return active[Reason.ACTIVE]


def clear_cached_people() -> None:
    """Delete the cached lists of active users."""
    cache.delete(ACTIVE_KEY)


def home_suggestions(
    *, viewer: int, tags: Sequence[str], is_home_empty: bool
) -> tuple[Suggestion, ...]:
    """Return the users whom the home page suggests to a viewer who has not hidden suggestions.

    Call this only if ``HomePage.can_suggest`` is true. When the viewer follows ``ENOUGH_FOLLOWEES`` users,
    suggestions are hidden for good, so that later pages do not count the followed users.
    """
    if count_followees(follower=viewer, limit=ENOUGH_FOLLOWEES) >= ENOUGH_FOLLOWEES:
        home_states.hide_suggestions(viewer=viewer)
        return ()
    limit = EMPTY_HOME_SUGGESTIONS if is_home_empty else HOME_SUGGESTIONS
    return suggested_people(viewer=viewer, limit=limit, tags=tags)


def _personal_candidates(
    viewer: int, tags: Sequence[str], cached: dict[str, Any] | None
) -> list[list[Candidate]]:
    """Return the candidates from invitations, hashtags and followed users, one list each.

    Candidates are cached only for viewers who follow somebody, so that the first follow brings suggestions.
    """
    if cached is not None and cached["tags"] == list(tags):
        return [[_candidate(row) for row in rows] for rows in cached["candidates"]]
    friends = friends_of_friends(viewer=viewer)
    candidates = [invitation_candidates(viewer=viewer), _authors_about(tags), friends or []]
    if friends is not None:
        packed = [[asdict(candidate) for candidate in part] for part in candidates]
        cache.set(
            candidates_key(uid=viewer),
            {"tags": list(tags), "candidates": packed},
            CACHE_SECONDS if friends else EMPTY_CACHE_SECONDS,
        )
    return candidates


def _candidate(row: dict[str, Any]) -> Candidate:
    """Return the candidate of a cached row. JSON turns tuples into lists."""
    return Candidate(
        **{
            **row,
            "reason": Reason(row["reason"]),
            "followed_by": tuple(row["followed_by"]),
        }
    )


def _authors_about(tags: Sequence[str]) -> list[Candidate]:
    """Return the authors of recent public posts with these hashtags, those with most posts first."""
    if not tags:
        return []
    rows = attributes.posts_about(
        kind="hashtag",
        value=list(tags),
        id_range=IdRange(above=first_active_id(period=NEW_USER_PERIOD)),
        limit=MAX_TAGGED_POSTS,
    )
    counts: Counter[int] = Counter()
    tag_counts: dict[int, Counter[str]] = {}
    for row in rows:
        if row.hidden:
            continue
        values = {
            attribute["value"] for attribute in row.attributes if attribute["kind"] == "hashtag"
        }
        counts[row.author] += 1
        tag_counts.setdefault(row.author, Counter()).update(values.intersection(tags))
    return [
        Candidate(author, Reason.TOPIC, tag=tag_counts[author].most_common(1)[0][0])
        for author, _ in counts.most_common(MAX_CANDIDATES)
    ]


def _count_active_users() -> dict[str, list[int]]:
    """Return uids by reason: recommended users, new users who post, and the most popular active users.

    The result is cached for ``ACTIVE_CACHE_SECONDS``. Five commands.
    """
    rows = active_posts.active_authors(
        above=first_active_id(), kinds=written_kinds(), limit=MAX_ACTIVE_USERS
    )
    authors = [author for author, _, _ in rows]
    cards, followers = cards_by_uid(uids=authors), follow_counts(uids=authors)
    # Logarithms, so that no single number decides.
    scores = {
        author: math.log1p(followers[author][0]) + math.log1p(interactions) + math.log1p(count)
        for author, count, interactions in rows
        if author in cards and not (cards[author].is_private or cards[author].is_limited)
    }
    ranked = sorted(scores, key=lambda author: (-scores[author], author))
    joined_after = timezone.now() - NEW_USER_PERIOD
    active = {
        Reason.RECOMMENDED.value: recommended_uids(),
        Reason.NEW.value: [uid for uid in ranked if cards[uid].joined_at > joined_after],
        Reason.ACTIVE.value: ranked,
    }
    cache.set(ACTIVE_KEY, active, ACTIVE_CACHE_SECONDS)
    return active


def _alternate(lists: Sequence[Sequence[Candidate]]) -> list[Candidate]:
    """Return the first candidate of each list, then the second of each list, and so on.

    A user in several lists comes first with the reason of the first list.
    """
    best: dict[int, Candidate] = {}
    for candidates in lists:
        for candidate in candidates:
            best.setdefault(candidate.uid, candidate)
    return [
        candidate
        for group in zip_longest(*lists)
        for member in group
        if member
        for candidate in (best[member.uid], member)
    ]
