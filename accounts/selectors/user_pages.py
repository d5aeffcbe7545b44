"""Lists of users, newest first, in pages. The cost of a page does not depend on the list's length."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.http import Http404
from django.utils import timezone

from accounts.infra.cursors import PageBounds
from accounts.models import User
from accounts.store import blocks_and_mutes, edges, follow_requests, relationship_kinds
from accounts.store.relationship_kinds import UidsByKind
from accounts.user_cards import UserCard, cards_by_uid

from .relationships import relationships_from

PAGE_SIZE = 20
FIRST_PAGE = PageBounds(limit=PAGE_SIZE)


@dataclass(frozen=True, slots=True)
class UserRow:
    """A user in a list, with the viewer's relationship to the user.

    ``is_restricted``: the user is private or limited, and the viewer does not follow the user.
    """

    card: UserCard
    bio: str
    is_self: bool
    is_following: bool
    is_requested: bool
    is_blocking: bool
    muted_until: datetime | None
    shows_notifications: bool = False
    """the viewer mutes the user, but not notifications about the user"""
    is_blocked_by: bool = False
    is_restricted: bool = False


@dataclass(frozen=True, slots=True)
class UserPage:
    """A page of users.

    Attributes:
        older_cursor: ``max_id`` of the next page, or None at the end of the list.
        newer_cursor: ``min_id`` of the previous page, or None at the beginning of the list.
        newest_cursor: cursor of the first row, even at the beginning of the list. None for an empty page.
    """

    rows: tuple[UserRow, ...]
    older_cursor: str | None
    newer_cursor: str | None
    newest_cursor: str | None = None


def followers_page(*, uid: int, viewer: int | None, bounds: PageBounds = FIRST_PAGE) -> UserPage:
    """Return a page of a user's followers. Raises Http404 if the viewer may not see the followers."""
    rows = edges.follower_edges_page(followee=uid, bounds=_with_next_row(bounds))
    return _build_page([(edge.id, edge.follower) for edge in rows], viewer, bounds, owner=uid)


def following_page(*, uid: int, viewer: int | None, bounds: PageBounds = FIRST_PAGE) -> UserPage:
    """Return a page of a user's followees. Raises Http404 if the viewer may not see the followees."""
    rows = edges.followee_edges_page(follower=uid, bounds=_with_next_row(bounds))
    return _build_page([(edge.id, edge.followee) for edge in rows], viewer, bounds, owner=uid)


def featured_page(*, uid: int, viewer: int | None, bounds: PageBounds = FIRST_PAGE) -> UserPage:
    """Return a page of the users whom a user features on the profile, the newest first.

    Raises Http404 if the viewer may not see whom the user follows.
    """
    featured = [
        row
        for row in edges.featured_followees(follower=uid)
        if (bounds.max_id is None or row[0] < bounds.max_id) and row[0] > bounds.lower_bound
    ]
    limit = bounds.limit + 1
    page = featured[-limit:] if bounds.is_upward else featured[:limit]
    return _build_page(page, viewer, bounds, owner=uid)


def newest_users_page(*, viewer: int | None, bounds: PageBounds = FIRST_PAGE) -> UserPage:
    """Return a page of all active users, the newest user first."""
    users = User.objects.filter(is_active=True, is_discoverable=True)
    if bounds.max_id is not None:
        users = users.filter(pk__lt=bounds.max_id)
    elif bounds.min_id is not None:
        users = users.filter(pk__gt=bounds.min_id)
    order = "pk" if bounds.is_upward else "-pk"
    uids = list(users.order_by(order).values_list("pk", flat=True)[: bounds.limit + 1])
    if bounds.is_upward:
        uids.reverse()
    return _build_page([(uid, uid) for uid in uids], viewer, replace(bounds, since_id=None))


def directory_users(
    *, viewer: int | None, limit: int, offset: int = 0, first_uids: Sequence[int] = ()
) -> tuple[UserRow, ...]:
    """Return the discoverable users, newest first, for the public directory.

    Args:
        first_uids: users who come first, in this order, if they are in the directory.
    """
    users = User.objects.filter(
        is_active=True, is_private=False, is_limited=False, is_discoverable=True
    )
    first: list[int] = []
    if first_uids:
        listed = set(users.filter(pk__in=first_uids).values_list("pk", flat=True))
        first = [uid for uid in first_uids if uid in listed]
    uids = first[offset : offset + limit]
    if len(uids) < limit:
        start = max(0, offset - len(first))
        others = users.exclude(pk__in=first) if first else users
        rest = others.order_by("-pk").values_list("pk", flat=True)
        uids += rest[start : start + limit - len(uids)]
    return user_rows(uids=uids, viewer=viewer)


def follow_requests_page(*, uid: int, bounds: PageBounds = FIRST_PAGE) -> UserPage:
    """Return a page of the users who have requested to follow this user."""
    found_uids = follow_requests.requests_page(followee=uid, bounds=_with_next_row(bounds))
    return _build_page(found_uids, uid, bounds, include_limited=True)


def blocked_or_muted_page(*, uid: int, kind: str, bounds: PageBounds = FIRST_PAGE) -> UserPage:
    """Return a page of the users whom this user currently blocks or mutes.

    ``kind`` is "block" or "mute".
    """
    rows = blocks_and_mutes.blocks_or_mutes_page(
        owner=uid, kind=kind, now=timezone.now(), bounds=_with_next_row(bounds)
    )
    return _build_page([(row.id, row.other) for row in rows], uid, bounds, include_blocked=True)


def user_rows(
    *, uids: list[int], viewer: int | None, include_blocked: bool = False
) -> tuple[UserRow, ...]:
    """Return rows for these users in the same order, without deleted and inactive users.

    Args:
        include_blocked: keep users who are limited to their followers or blocked in either direction.
    """
    uids_by_kind = relationship_kinds.find_for_viewer(
        viewer=viewer, uids=uids, now=timezone.now(), include=[relationship_kinds.REQUESTED]
    )
    return _build_rows(uids, viewer, uids_by_kind, include_blocked=include_blocked)


def _with_next_row(bounds: PageBounds) -> PageBounds:
    """Return the bounds for one row more, which shows that there is another page."""
    return replace(bounds, limit=bounds.limit + 1)


def _build_page(
    found_uids: list[tuple[int, int]],
    viewer: int | None,
    bounds: PageBounds,
    *,
    owner: int | None = None,
    include_blocked: bool = False,
    include_limited: bool = False,
) -> UserPage:
    """Return a page of the users in ``found_uids``. Raises Http404 if the viewer may not see the list.

    Args:
        found_uids: (cursor, uid) of each row, newest first. One row more than ``bounds.limit`` means that
            there is another page.
        owner: user whose list this is. Only for lists that some viewers may not see.
        include_limited: keep users whom moderators limited to their followers.
    """
    has_more = len(found_uids) > bounds.limit
    shown = found_uids[-bounds.limit :] if bounds.is_upward else found_uids[: bounds.limit]
    uids = [uid for _, uid in shown]
    uids_by_kind = relationship_kinds.find_for_viewer(
        viewer=viewer,
        uids=uids if owner is None else [*uids, owner],
        now=timezone.now(),
        include=[relationship_kinds.REQUESTED],
    )
    relationships = relationships_from(uids_by_kind)
    if owner is not None and owner != viewer:
        is_restricted = owner in relationships.private and owner not in relationships.followed
        if is_restricted or owner in relationships.invisible:
            raise Http404("No such list.")
    has_older = bool(shown) and (has_more or bounds.is_upward)
    is_below_others = bounds.max_id is not None or bounds.since_id is not None
    has_newer = bool(shown) and (has_more if bounds.is_upward else is_below_others)
    rows = _build_rows(
        uids,
        viewer,
        uids_by_kind,
        include_blocked=include_blocked,
        include_limited=include_limited,
    )
    return UserPage(
        rows=rows,
        older_cursor=str(shown[-1][0]) if has_older else None,
        newer_cursor=str(shown[0][0]) if has_newer else None,
        newest_cursor=str(shown[0][0]) if shown else None,
    )


def _build_rows(
    uids: list[int],
    viewer: int | None,
    uids_by_kind: UidsByKind,
    *,
    include_blocked: bool = False,
    include_limited: bool = False,
) -> tuple[UserRow, ...]:
    relationships = relationships_from(uids_by_kind)
    cards = cards_by_uid(uids=uids)
    excluded = frozenset() if include_blocked else relationships.blocked
    if not (include_blocked or include_limited):
        excluded |= relationships.unavailable
    requested = uids_by_kind.of_kind(relationship_kinds.REQUESTED)
    blocked = uids_by_kind.of_kind(blocks_and_mutes.BLOCK)
    blocked_by = uids_by_kind.of_kind(blocks_and_mutes.BLOCKED_BY)
    shows_notifications = uids_by_kind.of_kind(relationship_kinds.SHOWS_NOTIFICATIONS)
    closed = uids_by_kind.of_kind(relationship_kinds.PRIVATE, relationship_kinds.LIMITED)
    restricted = closed - relationships.followed - {viewer}
    return tuple(
        UserRow(
            card=cards[uid],
            # A viewer who is blocked by a user may see only the user's name.
            bio="" if uid in blocked_by else cards[uid].bio,
            is_self=uid == viewer,
            is_following=uid in relationships.followed,
            is_requested=uid in requested and uid not in relationships.followed,
            is_blocking=uid in blocked,
            muted_until=uids_by_kind.muted_until.get(uid),
            shows_notifications=uid in shows_notifications,
            is_blocked_by=uid in blocked_by,
            is_restricted=uid in restricted,
        )
        for uid in uids
        if uid in cards and uid not in excluded
    )
