"""What there is to read about people. Pages get cards, never model instances, for lists."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.http import Http404

from .ids import first_id_at
from .models import User
from .store import audiences, bulk, edges
from .store.audiences import AudienceBucket, AudienceSize
from .user_cards import UserCard, card, cards

PAGE_SIZE = 20


@dataclass(frozen=True, slots=True)
class Profile:
    """A person's page, without their posts."""

    person: UserCard
    bio: str
    joined: datetime
    followers_count: int
    following_count: int
    is_self: bool
    is_following: bool


@dataclass(frozen=True, slots=True)
class PersonRow:
    card: UserCard
    bio: str
    is_self: bool
    is_following: bool


@dataclass(frozen=True, slots=True)
class PeoplePage:
    """``older`` and ``newer`` are cursors for ``max_id`` and ``min_id``; None where there is nothing."""

    people: tuple[PersonRow, ...]
    older: str | None
    newer: str | None


def person(*, username: str) -> UserCard:
    """The one road from a name in a URL to a person. Raises Http404."""
    uid = User.objects.filter(username=username.lower()).values_list("pk", flat=True).first()
    found = None if uid is None else card(uid=uid)
    if found is None:
        raise Http404("No such person.")
    return found


def profile(*, username: str, viewer: int | None) -> Profile:
    """Raises Http404."""
    who = person(username=username)
    row = User.objects.filter(pk=who.uid).values("bio", "date_joined").get()
    return Profile(
        person=who,
        bio=row["bio"],
        joined=row["date_joined"],
        followers_count=audiences.size(author=who.uid).people,
        following_count=edges.count_followees(follower=who.uid),
        is_self=viewer == who.uid,
        is_following=follows(follower=viewer, followee=who.uid),
    )


def follows(*, follower: int | None, followee: int) -> bool:
    if follower is None or follower == followee:
        return False
    return edges.get(follower=follower, followee=followee) is not None


def followees(*, uid: int) -> list[int]:
    """The uids of everybody this person follows."""
    return edges.followees(follower=uid)


def followees_among(*, uid: int, uids: Iterable[int]) -> set[int]:
    """Which of ``uids`` this person follows."""
    return edges.followees_among(follower=uid, uids=uids)


def count_followers_among(*, uid: int, uids: Iterable[int]) -> int:
    """How many of ``uids`` follow this person."""
    wanted = list(uids)
    return len(wanted) - len(bulk.lacking(followee=uid, followers=wanted))


def audience_size(*, uid: int) -> AudienceSize:
    """How many people follow this person, and in how many audience buckets."""
    return audiences.size(author=uid)


def next_audience_bucket(*, uid: int, from_seq: int) -> AudienceBucket | None:
    """The next part of a person's audience; None at its end."""
    return audiences.next_bucket(author=uid, from_seq=from_seq)


def pending_backfill(*, follower: int, followee: int) -> int | None:
    """The id of the follow if the feed has still to bring the older posts over."""
    return edges.pending_backfill(follower=follower, followee=followee)


def marked_for_backfill(*, until: datetime, above: int = 0, limit: int) -> dict[int, list[int]]:
    """By follower, the ids of up to ``limit`` such follows made until a moment, from ``above`` on."""
    below = first_id_at(moment=until + timedelta(milliseconds=1))
    marked: dict[int, list[int]] = {}
    for edge in bulk.pending_backfills(above=above, below=below, limit=limit):
        marked.setdefault(edge.follower, []).append(edge.id)
    return marked


def pending_backfills_of(*, follower: int) -> dict[int, int]:
    """By followee, the ids of all such follows of one person."""
    return {edge.followee: edge.id for edge in bulk.pending_backfills_of(follower=follower)}


def followers_page(
    *,
    uid: int,
    viewer: int | None,
    max_id: int | None = None,
    min_id: int | None = None,
) -> PeoplePage:
    """Who follows this person, newest first."""
    found = edges.page_of_followers(followee=uid, below=max_id, above=min_id, limit=PAGE_SIZE + 1)
    return _people_page([(one.id, one.follower) for one in found], viewer, max_id, min_id)


def following_page(
    *,
    uid: int,
    viewer: int | None,
    max_id: int | None = None,
    min_id: int | None = None,
) -> PeoplePage:
    """Whom this person follows, newest first."""
    found = edges.page_of_followees(follower=uid, below=max_id, above=min_id, limit=PAGE_SIZE + 1)
    return _people_page([(one.id, one.followee) for one in found], viewer, max_id, min_id)


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
    return _people_page([(uid, uid) for uid in found], viewer, max_id, min_id)


def _people_page(
    found: list[tuple[int, int]],
    viewer: int | None,
    max_id: int | None,
    min_id: int | None,
) -> PeoplePage:
    """``found``: up to one more (cursor, uid) than fit on the page, newest first."""
    backwards = min_id is not None and max_id is None
    more = len(found) > PAGE_SIZE
    shown = found[-PAGE_SIZE:] if backwards else found[:PAGE_SIZE]
    uids = [uid for _, uid in shown]
    known = cards(uids=uids)
    bios = dict(User.objects.filter(pk__in=uids).values_list("pk", "bio"))
    followed = edges.followees_among(follower=viewer, uids=uids) if viewer else set()
    rows = tuple(
        PersonRow(
            card=known[uid],
            bio=bios.get(uid, ""),
            is_self=uid == viewer,
            is_following=uid in followed,
        )
        for uid in uids
        if uid in known
    )
    has_older = bool(shown) and (more or backwards)
    has_newer = bool(shown) and (more if backwards else max_id is not None)
    return PeoplePage(
        people=rows,
        older=str(shown[-1][0]) if has_older else None,
        newer=str(shown[0][0]) if has_newer else None,
    )
