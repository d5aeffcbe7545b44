"""What somebody has said and done, in stretches: each costs the same number of commands."""

from collections.abc import Iterator
from typing import Any

from accounts.user_cards import UserCard, cards
from feed.activities import activity
from feed.selectors import lists
from feed.store import belongings, bookmarks, comments, pins, posts, revisions
from feed.store.rows import Bounds, PostRow

from .notes import Writer, said_at

AT_ONCE = 500


def own_posts(*, uid: int) -> Iterator[list[PostRow]]:
    """All posts and shares, the oldest first."""
    above = 0
    while rows := posts.by_authors(
        authors=[uid], reader=uid, bounds=Bounds(above=above), limit=AT_ONCE, upwards=True
    ):
        yield rows
        above = rows[-1].id


def published(*, me: UserCard) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """For some posts at a time: how many they were, and how they are told."""
    for rows in own_posts(uid=me.uid):
        shared = posts.by_ids(ids={one.share_of for one in rows if one.share_of is not None})
        uids = {one.author for one in shared.values()}
        for row in rows:
            uids.update(one["value"] for one in row.entities if one["kind"] == "mention")
            uids.update(row.recipients)
        yield len(rows), list(_told(rows, shared, _writer(me, uids)))


def _told(
    rows: list[PostRow], shared: dict[int, PostRow], writer: Writer
) -> Iterator[dict[str, Any]]:
    for row in rows:
        if row.share_of is None:
            if activity(row.kind).is_written:
                yield writer.post(row)
        elif row.kind == "share" and row.share_of in shared:
            told = writer.share(row, shared[row.share_of])
            yield from [] if told is None else [told]


def replaced(*, me: UserCard) -> Iterator[dict[str, Any]]:
    """What posts said before they were edited, one version after the other."""
    writer = _writer(me, set())
    for rows in own_posts(uid=me.uid):
        edited = {row.id: row for row in rows if row.edited_at}
        since = {row.id: row.created_at for row in edited.values()}
        for post, before in revisions.of_posts(posts=list(edited)):
            yield writer.version(edited[post], before, since[post])
            since[post] = before.until


def pinned(*, me: UserCard) -> list[str]:
    """The addresses of what is pinned to the top of their profile, as it stands there."""
    ids = pins.get(author=me.uid)
    rows = posts.by_ids(ids=ids)
    return _addresses(me, [rows[one] for one in ids if one in rows])


def commented(*, me: UserCard) -> Iterator[list[dict[str, Any]]]:
    """What they said to posts, some at a time."""
    cursor: Any = None
    while True:
        said, cursor = belongings.comments_of(uid=me.uid, cursor=cursor, limit=AT_ONCE)
        about = posts.by_ids(ids={one.post for one in said})
        writer = _writer(me, {one.author for one in about.values()})
        told = (writer.comment(one, about[one.post]) for one in said if one.post in about)
        yield [one for one in told if one is not None]
        if cursor is None:
            return


def liked(*, me: UserCard) -> Iterator[list[str]]:
    """The addresses of what they like, some at a time."""
    cursor: Any = None
    while True:
        ids, cursor = belongings.likes_of(uid=me.uid, cursor=cursor, limit=AT_ONCE)
        found = posts.by_ids(ids=ids)
        said = comments.by_ids(ids=[one for one in ids if one not in found])
        yield [
            *_addresses(me, [found[one] for one in ids if one in found]),
            *(said_at(one.post, one.id) for one in said.values()),
        ]
        if cursor is None:
            return


def kept(*, me: UserCard) -> Iterator[list[str]]:
    """The addresses of what they keep and may read, the first kept first, some at a time."""
    above = 0
    while found := bookmarks.page(
        owner=me.uid, bounds=Bounds(above=above), limit=AT_ONCE, upwards=True
    ):
        rows = posts.by_ids(ids=[one.post for one in found])
        said = comments.by_ids(ids=[one.post for one in found if one.post not in rows])
        yield [
            *_addresses(me, [rows[one.post] for one in found if one.post in rows]),
            *(said_at(one.post, one.id) for one in said.values()),
        ]
        above = found[-1].id


def _addresses(me: UserCard, rows: list[PostRow]) -> list[str]:
    seen = lists.readable_by(rows=rows, viewer=me.uid)
    readable = [one.post for one in seen.shown]
    writer = _writer(me, {one.author for one in readable})
    return [at for one in readable if (at := writer.address_of(one))]


def _writer(me: UserCard, uids: set[int]) -> Writer:
    # One's own card is not asked for: who is about to go away has none, and takes their things along.
    return Writer(me, cards(uids=uids - {me.uid}) | {me.uid: me})
