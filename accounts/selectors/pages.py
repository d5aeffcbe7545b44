"""Lists of people, newest first, page by page: the cost is the same for one person and for twenty."""

from dataclasses import dataclass
from datetime import datetime

from django.http import Http404
from django.utils import timezone

from accounts.ids import MAX_ID
from accounts.models import User
from accounts.store import boundaries, edges, requests, standings
from accounts.store.standings import Standings
from accounts.user_cards import UserCard, cards

from .relations import relations_of

PAGE_SIZE = 20


@dataclass(frozen=True, slots=True)
class PersonRow:
    """A person as the viewer stands to them. ``is_closed``: they approve their followers or moderators keep
    them from strangers, and the viewer is none of their followers."""

    card: UserCard
    bio: str
    is_self: bool
    is_following: bool
    is_requested: bool
    blocks_them: bool
    muted_until: datetime | None
    is_blocked_by: bool = False
    is_closed: bool = False


@dataclass(frozen=True, slots=True)
class PeoplePage:
    """``older`` and ``newer`` are cursors for ``max_id`` and ``min_id``; None where there is nothing.
    ``newest``: the cursor of the first one, also where nothing is newer yet."""

    people: tuple[PersonRow, ...]
    older: str | None
    newer: str | None
    newest: str | None = None


def followers_page(
    *,
    uid: int,
    viewer: int | None,
    limit: int | None = None,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> PeoplePage:
    """Who follows this person, newest first. Raises Http404 where the viewer may not know."""
    limit = limit or PAGE_SIZE
    below, above = _bounds(max_id, min_id, since_id)
    found = edges.page_of_followers(followee=uid, below=below, above=above, limit=limit + 1)
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
) -> PeoplePage:
    """Whom this person follows, newest first. Raises Http404 where the viewer may not know."""
    limit = limit or PAGE_SIZE
    below, above = _bounds(max_id, min_id, since_id)
    found = edges.page_of_followees(follower=uid, below=below, above=above, limit=limit + 1)
    listed = [(one.id, one.followee) for one in found]
    return _people_page(listed, viewer, below, above, limit=limit, owner=uid)


def newest_people_page(
    *, viewer: int | None, max_id: int | None = None, min_id: int | None = None
) -> PeoplePage:
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
) -> PeoplePage:
    """Who waits for this person's answer, newest first."""
    limit = limit or PAGE_SIZE
    below, above = _bounds(max_id, min_id, since_id)
    found = requests.page_of_requests(followee=uid, below=below, above=above, limit=limit + 1)
    listed = [(one.id, one.follower) for one in found]
    return _people_page(listed, uid, below, above, limit=limit, with_limited=True)


def boundaries_page(
    *,
    uid: int,
    kind: str,
    limit: int | None = None,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> PeoplePage:
    """Whom this person blocks or mutes now (``kind``: "block" or "mute"), newest first."""
    limit = limit or PAGE_SIZE
    below, above = _bounds(max_id, min_id, since_id)
    found = boundaries.page_of_boundaries(
        owner=uid,
        kind=kind,
        now=timezone.now(),
        below=below,
        above=above,
        limit=limit + 1,
    )
    listed = [(one.id, one.other) for one in found]
    return _people_page(listed, uid, below, above, limit=limit, with_blocked=True)


def people_rows(
    *, uids: list[int], viewer: int | None, with_apart: bool = False
) -> tuple[PersonRow, ...]:
    """These people in this order, but for those who are gone; and but for those who are apart from the
    viewer by a block or by moderators, unless ``with_apart``."""
    stands = standings.towards(viewer=viewer, uids=uids, now=timezone.now(), with_requests=True)
    return _rows(uids, viewer, stands, with_blocked=with_apart)


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
) -> PeoplePage:
    """``found``: up to one more (cursor, uid) than fit on the page, newest first. ``owner``: whose list
    it is, if not everybody may see it. ``with_limited``: also whom moderators keep from strangers."""
    backwards = min_id is not None and max_id is None
    more = len(found) > limit
    shown = found[-limit:] if backwards else found[:limit]
    uids = [uid for _, uid in shown]
    stands = standings.towards(
        viewer=viewer,
        uids=uids if owner is None else [*uids, owner],
        now=timezone.now(),
        with_requests=True,
    )
    is_to = relations_of(stands)
    if owner is not None and owner != viewer:
        is_closed = owner in is_to.private and owner not in is_to.follows
        if is_closed or owner in is_to.blocks | is_to.gone:
            raise Http404("No such list.")
    has_older = bool(shown) and (more or backwards)
    has_newer = bool(shown) and (more if backwards else max_id is not None)
    return PeoplePage(
        people=_rows(uids, viewer, stands, with_blocked=with_blocked, with_limited=with_limited),
        older=str(shown[-1][0]) if has_older else None,
        newer=str(shown[0][0]) if has_newer else None,
        newest=str(shown[0][0]) if shown else None,
    )


def _rows(
    uids: list[int],
    viewer: int | None,
    stands: Standings,
    *,
    with_blocked: bool = False,
    with_limited: bool = False,
) -> tuple[PersonRow, ...]:
    is_to = relations_of(stands)
    known = cards(uids=uids)
    bios = dict(User.objects.filter(pk__in=uids).values_list("pk", "bio"))
    left_out = frozenset() if with_blocked else is_to.blocks
    if not (with_blocked or with_limited):
        left_out |= is_to.gone
    asked, blocked = stands.of(standings.REQUESTED), stands.of(boundaries.BLOCK)
    blocking = stands.of(boundaries.BLOCKED_BY)
    closed = stands.of(standings.PRIVATE, standings.LIMITED) - is_to.follows - {viewer}
    return tuple(
        PersonRow(
            card=known[uid],
            # Who blocks the viewer shows them nothing more than a name.
            bio="" if uid in blocking else bios.get(uid, ""),
            is_self=uid == viewer,
            is_following=uid in is_to.follows,
            is_requested=uid in asked and uid not in is_to.follows,
            blocks_them=uid in blocked,
            muted_until=stands.muted_until.get(uid),
            is_blocked_by=uid in blocking,
            is_closed=uid in closed,
        )
        for uid in uids
        if uid in known and uid not in left_out
    )
