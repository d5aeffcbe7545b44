"""Everybody whom strangers may find, for programs that show a directory."""

from dataclasses import dataclass
from datetime import datetime

from django.http import Http404
from django.utils import timezone

from accounts.infra.ids import MAX_ID
from accounts.models import User
from accounts.store import blocks_and_mutes, edges, follow_requests, relationship_kinds
from accounts.store.relationship_kinds import UidsByKind
from accounts.user_cards import UserCard, cards_by_uid

from .relationships import relationships_from

# MERGED FROM accounts.selectors.user_pages: Lists of people, newest first, page by page: the cost is the same for one person and for twenty.
PAGE_SIZE = 20


@dataclass(frozen=True, slots=True)
class UserRow:
    """A person as the viewer stands to them. ``is_closed``: they approve their followers or moderators keep
    them from strangers, and the viewer is none of their followers."""

    card: UserCard
    bio: str
    is_self: bool
    is_following: bool
    is_requested: bool
    is_blocking: bool
    muted_until: datetime | None
    is_blocked_by: bool = False
    is_restricted: bool = False


@dataclass(frozen=True, slots=True)
class UserPage:
    """``older`` and ``newer`` are cursors for ``max_id`` and ``min_id``; None where there is nothing.
    ``newest``: the cursor of the first one, also where nothing is newer yet."""

    rows: tuple[UserRow, ...]
    older_cursor: str | None
    newer_cursor: str | None
    newest_cursor: str | None = None


def followers_page(
    *,
    uid: int,
    viewer: int | None,
    limit: int | None = None,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> UserPage:
    """Who follows this person, newest first. Raises Http404 where the viewer may not know."""
    limit = limit or PAGE_SIZE
    below, above = _bounds(max_id, min_id, since_id)
    found = edges.follower_edges_page(followee=uid, below=below, above=above, limit=limit + 1)
    listed = [(one.id, one.follower) for one in found]
    return _people_page(listed, viewer, below, above, limit=limit, owner=uid)


def following_page(
    *,
    uid: int,
    viewer: int | None,
    limit: int | None = None,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> UserPage:
    """Whom this person follows, newest first. Raises Http404 where the viewer may not know."""
    limit = limit or PAGE_SIZE
    below, above = _bounds(max_id, min_id, since_id)
    found = edges.followee_edges_page(follower=uid, below=below, above=above, limit=limit + 1)
    listed = [(one.id, one.followee) for one in found]
    return _people_page(listed, viewer, below, above, limit=limit, owner=uid)


def newest_users_page(
    *, viewer: int | None, max_id: int | None = None, min_id: int | None = None
) -> UserPage:
    """Everybody, newest first."""
    people = User.objects.filter(is_active=True)
    if max_id is not None:
        people = people.filter(pk__lt=max_id)
    elif min_id is not None:
        people = people.filter(pk__gt=min_id)
    order = "pk" if min_id is not None and max_id is None else "-pk"
    found = list(people.order_by(order).values_list("pk", flat=True)[: PAGE_SIZE + 1])
    if order == "pk":
        found.reverse()
    listed = [(uid, uid) for uid in found]
    return _people_page(listed, viewer, max_id, min_id, limit=PAGE_SIZE)


def follow_requests_page(
    *,
    uid: int,
    limit: int | None = None,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> UserPage:
    """Who waits for this person's answer, newest first."""
    limit = limit or PAGE_SIZE
    below, above = _bounds(max_id, min_id, since_id)
    found = follow_requests.requests_page(followee=uid, below=below, above=above, limit=limit + 1)
    listed = [(one.id, one.follower) for one in found]
    return _people_page(listed, uid, below, above, limit=limit, with_limited=True)


def blocked_or_muted_page(
    *,
    uid: int,
    kind: str,
    limit: int | None = None,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> UserPage:
    """Whom this person blocks or mutes now (``kind``: "block" or "mute"), newest first."""
    limit = limit or PAGE_SIZE
    below, above = _bounds(max_id, min_id, since_id)
    found = blocks_and_mutes.blocks_or_mutes_page(
        owner=uid,
        kind=kind,
        now=timezone.now(),
        below=below,
        above=above,
        limit=limit + 1,
    )
    listed = [(one.id, one.other) for one in found]
    return _people_page(listed, uid, below, above, limit=limit, with_blocked=True)


def user_rows(
    *, uids: list[int], viewer: int | None, include_blocked: bool = False
) -> tuple[UserRow, ...]:
    """These people in this order, but for those who are gone; and but for those who are apart from the
    viewer by a block or by moderators, unless ``with_apart``."""
    stands = relationship_kinds.find_for_viewer(
        viewer=viewer, uids=uids, now=timezone.now(), include_requests=True
    )
    return _rows(uids, viewer, stands, with_blocked=include_blocked)


def _bounds(
    max_id: int | None, min_id: int | None, since_id: int | None
) -> tuple[int | None, int | None]:
    """(below, above): above ``since_id`` the newest come first, above ``min_id`` those next to it."""
    if since_id is None or min_id is not None:
        return max_id, min_id
    return MAX_ID if max_id is None else max_id, since_id


def _people_page(
    found: list[tuple[int, int]],
    viewer: int | None,
    max_id: int | None,
    min_id: int | None,
    *,
    limit: int,
    owner: int | None = None,
    with_blocked: bool = False,
    with_limited: bool = False,
) -> UserPage:
    """``found``: up to one more (cursor, uid) than fit on the page, newest first. ``owner``: whose list
    it is, if not everybody may see it. ``with_limited``: also whom moderators keep from strangers."""
    backwards = min_id is not None and max_id is None
    more = len(found) > limit
    shown = found[-limit:] if backwards else found[:limit]
    uids = [uid for _, uid in shown]
    stands = relationship_kinds.find_for_viewer(
        viewer=viewer,
        uids=uids if owner is None else [*uids, owner],
        now=timezone.now(),
        include_requests=True,
    )
    is_to = relationships_from(stands)
    if owner is not None and owner != viewer:
        is_closed = owner in is_to.private and owner not in is_to.followed
        if is_closed or owner in is_to.blocked | is_to.unavailable:
            raise Http404("No such list.")
    has_older = bool(shown) and (more or backwards)
    has_newer = bool(shown) and (more if backwards else max_id is not None)
    return UserPage(
        rows=_rows(uids, viewer, stands, with_blocked=with_blocked, with_limited=with_limited),
        older_cursor=str(shown[-1][0]) if has_older else None,
        newer_cursor=str(shown[0][0]) if has_newer else None,
        newest_cursor=str(shown[0][0]) if shown else None,
    )


def _rows(
    uids: list[int],
    viewer: int | None,
    stands: UidsByKind,
    *,
    with_blocked: bool = False,
    with_limited: bool = False,
) -> tuple[UserRow, ...]:
    is_to = relationships_from(stands)
    known = cards_by_uid(uids=uids)
    bios = dict(User.objects.filter(pk__in=uids).values_list("pk", "bio"))
    left_out = frozenset() if with_blocked else is_to.blocked
    if not (with_blocked or with_limited):
        left_out |= is_to.unavailable
    asked, blocked = (
        stands.of_kind(relationship_kinds.REQUESTED),
        stands.of_kind(blocks_and_mutes.BLOCK),
    )
    blocking = stands.of_kind(blocks_and_mutes.BLOCKED_BY)
    closed = (
        stands.of_kind(relationship_kinds.PRIVATE, relationship_kinds.LIMITED)
        - is_to.followed
        - {viewer}
    )
    return tuple(
        UserRow(
            card=known[uid],
            # Who blocks the viewer shows them nothing more than a name.
            bio="" if uid in blocking else bios.get(uid, ""),
            is_self=uid == viewer,
            is_following=uid in is_to.followed,
            is_requested=uid in asked and uid not in is_to.followed,
            is_blocking=uid in blocked,
            muted_until=stands.muted_until.get(uid),
            is_blocked_by=uid in blocking,
            is_restricted=uid in closed,
        )
        for uid in uids
        if uid in known and uid not in left_out
    )


def directory_users(*, viewer: int | None, limit: int, offset: int = 0) -> tuple[UserRow, ...]:
    """The newest first, but for who approves followers or is kept from strangers by moderators."""
    listed = User.objects.filter(is_active=True, is_private=False, is_limited=False)
    found = listed.order_by("-pk").values_list("pk", flat=True)[offset : offset + limit]
    return user_rows(uids=list(found), viewer=viewer)
