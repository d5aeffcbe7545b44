"""Suggestions of users whom the viewer may want to follow, each with a reason.

Callers collect candidates and pass them to ``suggestions_from``, which decides what the viewer sees. This
module has the candidates that need no posts: friends of friends, recommended users and invitations.
``feed.selectors.people`` adds users by their posts.

Counting friends of friends reads thousands of edges, so callers cache candidates for ``CACHE_SECONDS``.
Each request filters the cached candidates, so that follows, blocks and mutes take effect at once.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from django.core.cache import cache
from django.db.models import Q
from django.utils import timezone

from accounts.blocklists.models import InvitedUser
from accounts.infra.cursors import PageBounds
from accounts.models import User
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

MAX_INVITED = 20

CACHE_SECONDS, EMPTY_CACHE_SECONDS = 600, 60
"""How long callers cache candidates, and how long if there are no friends of friends."""


class Reason(StrEnum):
    """Why a user is suggested."""

    INVITED_VIEWER = "invited_viewer"
    INVITED_BY_VIEWER = "invited_by_viewer"
    TOPIC = "topic"
    """the user writes about a hashtag"""

    FOLLOWED = "followed"
    """users whom the viewer follows follow the user"""

    RECOMMENDED = "recommended"
    """moderators recommend the user"""

    NEW = "new"
    """a new user who posts"""

    ACTIVE = "active"
    """a user with many followers who posts"""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A user who may be suggested.

    Attributes:
        tag: the hashtag, if the reason is ``TOPIC``.
        followed_by: up to ``MAX_COMMON_FOLLOWEES`` of the viewer's followees who follow the user.
        follower_count: number of all such followees.
    """

    uid: int
    reason: Reason
    tag: str = ""
    followed_by: tuple[int, ...] = ()
    follower_count: int = 0


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A suggested user.

    Attributes:
        tag: the hashtag, if the reason is ``TOPIC``, otherwise "".
        followed_by: one of the viewer's followees who follow the user, if the reason is ``FOLLOWED``.
        other_count: number of the viewer's other followees who follow the user.
    """

    card: UserCard
    reason: Reason
    tag: str = ""
    followed_by: UserCard | None = None
    other_count: int = 0


def suggestions_from(
    *, viewer: int | None, candidates: Sequence[Candidate], dismissed: Iterable[int], limit: int
) -> tuple[Suggestion, ...]:
    """Return the first ``limit`` candidates who may be suggested to the viewer. At most two commands.

    Leaves out private, limited and inactive users, users who do not want to be suggested, users whom the
    viewer follows, has requested to follow, blocks, mutes or has dismissed, and users who block the viewer.
    """
    uids_by_kind = relationship_kinds.find_for_viewer(
        viewer=viewer,
        uids={uid for candidate in candidates for uid in (candidate.uid, *candidate.followed_by)},
        now=timezone.now(),
        include=[relationship_kinds.REQUESTED],
    )
    relationships = relationships_from(uids_by_kind)
    invisible = relationships.invisible | relationships.muted
    excluded = (
        {viewer, *dismissed}
        | invisible
        | relationships.followed
        | uids_by_kind.of_kind(relationship_kinds.REQUESTED)
        | uids_by_kind.of_kind(relationship_kinds.PRIVATE, relationship_kinds.UNDISCOVERABLE)
    )
    visible_followees = relationships.followed - invisible
    shown: dict[int, tuple[Candidate, list[int]]] = {}
    for candidate in candidates:
        followees = [uid for uid in candidate.followed_by if uid in visible_followees]
        is_suggested = candidate.reason is not Reason.FOLLOWED or followees
        if is_suggested and candidate.uid not in excluded and len(shown) < limit:
            shown.setdefault(candidate.uid, (candidate, followees))
    cards = cards_by_uid(
        uids={uid for candidate, followees in shown.values() for uid in (candidate.uid, *followees)}
    )
    suggestions = []
    for candidate, followees in shown.values():
        named = [cards[uid] for uid in followees if uid in cards]
        if candidate.uid in cards and (named or not followees):
            hidden_count = len(candidate.followed_by) - len(followees)
            suggestions.append(
                Suggestion(
                    card=cards[candidate.uid],
                    reason=candidate.reason,
                    tag=candidate.tag,
                    followed_by=named[0] if named else None,
                    other_count=max(0, candidate.follower_count - hidden_count - 1),
                )
            )
    return tuple(suggestions)


def friends_of_friends(*, viewer: int) -> list[Candidate] | None:
    """Return users whom many of the viewer's followees followed recently, best first.

    Return None if the viewer follows nobody. At most three commands.
    """
    newest = PageBounds(limit=MAX_FOLLOWEES_EXAMINED)
    followee_edges = edges.followee_edges_page(follower=viewer, bounds=newest)
    followees = [edge.followee for edge in followee_edges]
    if not followees:
        return None
    excluded = {viewer, *followees}
    followed_by: dict[int, list[int]] = defaultdict(list)
    for edge in edges.newest_edges(followers=followees, limit=MAX_FOLLOWS_COUNTED):
        if edge.followee not in excluded:
            followed_by[edge.followee].append(edge.follower)
    # Edges come newest first, and Python's sort is stable. Of candidates with equal counts, the most
    # recently followed candidate comes first.
    ranked = sorted(followed_by.items(), key=lambda pair: -len(pair[1]))[:MAX_RANKED]
    if not ranked:
        return []
    already_followed = edges.followees_among(follower=viewer, uids=[uid for uid, _ in ranked])
    candidates = [
        Candidate(
            uid,
            Reason.FOLLOWED,
            followed_by=tuple(followers[:MAX_COMMON_FOLLOWEES]),
            follower_count=len(followers),
        )
        for uid, followers in ranked
        if uid not in already_followed
    ]
    return candidates[:MAX_CANDIDATES]


def invitation_candidates(*, viewer: int) -> list[Candidate]:
    """Return the user who invited the viewer, then the users whom the viewer invited. One command."""
    rows = InvitedUser.objects.filter(Q(user=viewer) | Q(inviter=viewer)).order_by("-pk")
    pairs = rows.values_list("user_id", "inviter_id")[:MAX_INVITED]
    inviters = [
        Candidate(inviter, Reason.INVITED_VIEWER)
        for user, inviter in pairs
        if user == viewer and inviter is not None
    ]
    invited = [Candidate(user, Reason.INVITED_BY_VIEWER) for user, _ in pairs if user != viewer]
    return inviters + invited


def recommended_uids() -> list[int]:
    """Return the users whom moderators recommend, newest user first. One command."""
    users = User.objects.filter(
        is_recommended=True, is_active=True, is_private=False, is_discoverable=True
    )
    return list(users.order_by("-pk").values_list("pk", flat=True)[:MAX_CANDIDATES])


def dismissed_uids(*, viewer: int) -> list[int]:
    """Return the users whom the viewer has dismissed from the suggestions, the latest dismissal last."""
    uids: list[int] = cache.get(dismissed_key(uid=viewer), [])
    return uids


def candidates_key(*, uid: int) -> str:
    """Return the cache key of a user's candidates."""
    return f"suggested_people:{uid}"


def dismissed_key(*, uid: int) -> str:
    """Return the cache key of the suggestions that a user has dismissed."""
    return f"dismissed_suggestions:{uid}"
