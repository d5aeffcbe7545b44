"""What somebody has said and done, in stretches: each costs the same number of commands."""

from collections.abc import Iterator
from typing import Any

from accounts.user_cards import UserCard, cards_by_uid
from feed.activities import activity_kind
from feed.selectors import lists
from feed.store import bookmarks, comments, pins, posts, revisions, user_content
from feed.store.post_rows import IdRange, PostRow

from .notes import NoteWriter, comment_url

BATCH_SIZE = 500


def own_post_batches(*, uid: int) -> Iterator[list[PostRow]]:
    """All posts and shares, the oldest first."""
    above = 0
    while rows := posts.by_authors(
        authors=[uid], viewer=uid, id_range=IdRange(above=above), limit=BATCH_SIZE, ascending=True
    ):
        yield rows
        above = rows[-1].id


def activity_batches(*, owner_card: UserCard) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """For some posts at a time: how many they were, and how they are told."""
    for rows in own_post_batches(uid=owner_card.uid):
        shared = posts.by_ids(ids={one.share_of for one in rows if one.share_of is not None})
        uids = {one.author for one in shared.values()}
        for row in rows:
            uids.update(one["value"] for one in row.attributes if one["kind"] == "mention")
            uids.update(row.recipients)
        yield len(rows), list(_told(rows, shared, _writer(owner_card, uids)))


def _told(
    rows: list[PostRow], shared: dict[int, PostRow], writer: NoteWriter
) -> Iterator[dict[str, Any]]:
    for row in rows:
        if row.share_of is None:
            if activity_kind(row.kind).is_written:
                yield writer.create_activity(row)
        elif row.kind == "share" and row.share_of in shared:
            told = writer.announce_activity(row, shared[row.share_of])
            yield from [] if told is None else [told]


def previous_versions(*, owner_card: UserCard) -> Iterator[dict[str, Any]]:
    """What posts said before they were edited, one version after the other."""
    writer = _writer(owner_card, set())
    for rows in own_post_batches(uid=owner_card.uid):
        edited = {row.id: row for row in rows if row.edited_at}
        since = {row.id: row.created_at for row in edited.values()}
        for post, before in revisions.revisions_of_posts(posts=list(edited)):
            yield writer.previous_version(edited[post], before, since[post])
            since[post] = before.replaced_at


def pinned_post_urls(*, owner_card: UserCard) -> list[str]:
    """The addresses of what is pinned to the top of their profile, as it stands there."""
    ids = pins.pinned_ids(author=owner_card.uid)
    rows = posts.by_ids(ids=ids)
    return _addresses(owner_card, [rows[one] for one in ids if one in rows])


def comment_batches(*, owner_card: UserCard) -> Iterator[list[dict[str, Any]]]:
    """What they said to posts, some at a time."""
    cursor: Any = None
    while True:
        said, cursor = user_content.comments_of(uid=owner_card.uid, cursor=cursor, limit=BATCH_SIZE)
        about = posts.by_ids(ids={one.post for one in said})
        writer = _writer(owner_card, {one.author for one in about.values()})
        told = (writer.comment_activity(one, about[one.post]) for one in said if one.post in about)
        yield [one for one in told if one is not None]
        if cursor is None:
            return


def liked_url_batches(*, owner_card: UserCard) -> Iterator[list[str]]:
    """The addresses of what they like, some at a time."""
    cursor: Any = None
    while True:
        ids, cursor = user_content.likes_of(uid=owner_card.uid, cursor=cursor, limit=BATCH_SIZE)
        found = posts.by_ids(ids=ids)
        said = comments.by_ids(ids=[one for one in ids if one not in found])
        yield [
            *_addresses(owner_card, [found[one] for one in ids if one in found]),
            *(comment_url(one.post, one.id) for one in said.values()),
        ]
        if cursor is None:
            return


def bookmark_url_batches(*, owner_card: UserCard) -> Iterator[list[str]]:
    """The addresses of what they keep and may read, the first kept first, some at a time."""
    above = 0
    while found := bookmarks.bookmarks_of(
        owner=owner_card.uid, id_range=IdRange(above=above), limit=BATCH_SIZE, ascending=True
    ):
        rows = posts.by_ids(ids=[one.post for one in found])
        said = comments.by_ids(ids=[one.post for one in found if one.post not in rows])
        yield [
            *_addresses(owner_card, [rows[one.post] for one in found if one.post in rows]),
            *(comment_url(one.post, one.id) for one in said.values()),
        ]
        above = found[-1].id


def _addresses(me: UserCard, rows: list[PostRow]) -> list[str]:
    seen = lists.visible_entries(rows=rows, viewer=me.uid)
    readable = [one.post for one in seen.entries]
    writer = _writer(me, {one.author for one in readable})
    return [at for one in readable if (at := writer.post_url(one))]


def _writer(me: UserCard, uids: set[int]) -> NoteWriter:
    # One's own card is not asked for: who is about to go away has none, and takes their things along.
    return NoteWriter(me, cards_by_uid(uids=uids - {me.uid}) | {me.uid: me})
