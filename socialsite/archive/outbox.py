"""Read a user's posts, comments, likes, votes and bookmarks in batches, for an export.

The number of database commands for a batch does not depend on its content.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from accounts.user_cards import UserCard, cards_by_uid
from feed.activities import activity_kind, numbers_in
from feed.selectors import visible_posts
from feed.store import answers, bookmarks, comments, pins, posts, revisions, user_content
from feed.store.post_rows import IdRange, PostRow
from feed.store.user_content import batches

from .notes import NoteWriter, comment_url

BATCH_SIZE = 500


def own_post_batches(*, uid: int) -> Iterator[list[PostRow]]:
    """Yield batches of all posts and shares, oldest first."""
    above = 0
    while rows := posts.by_authors(
        authors=[uid], viewer=uid, id_range=IdRange(above, is_ascending=True), limit=BATCH_SIZE
    ):
        yield rows
        above = rows[-1].id


def activity_batches(*, owner_card: UserCard) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Yield ``(number of posts, activities)`` for each batch.

    Some posts have no activity, for example shares of deleted posts.
    """
    for rows in own_post_batches(uid=owner_card.uid):
        related_rows = posts.related_posts_of(entries=rows)
        uids = {row.author for row in related_rows.values()}
        for row in rows:
            uids.update(
                attribute["value"] for attribute in row.attributes if attribute["kind"] == "mention"
            )
            uids.update(row.recipients)
        yield len(rows), list(_write_activities(rows, related_rows, _note_writer(owner_card, uids)))


def _write_activities(
    rows: list[PostRow], related_rows: dict[int, PostRow], writer: NoteWriter
) -> Iterator[dict[str, Any]]:
    for row in rows:
        if row.share_of is None:
            if activity_kind(row.kind).is_written:
                # A revoked quote must not return with an import.
                quoted_id = None if row.is_quote_revoked else row.quoted_id
                yield writer.create_activity(row, related_rows.get(quoted_id or 0))
        elif row.kind == "share" and row.share_of in related_rows:
            activity = writer.announce_activity(row, related_rows[row.share_of])
            if activity is not None:
                yield activity


def previous_versions(*, owner_card: UserCard) -> Iterator[dict[str, Any]]:
    writer = _note_writer(owner_card, set())
    for rows in own_post_batches(uid=owner_card.uid):
        edited_rows = {row.id: row for row in rows if row.edited_at}
        written_at = {row.id: row.created_at for row in edited_rows.values()}
        for post_id, revision in revisions.revisions_of_posts(posts=list(edited_rows)):
            yield writer.previous_version(edited_rows[post_id], revision, written_at[post_id])
            written_at[post_id] = revision.replaced_at


def pinned_post_urls(*, owner_card: UserCard) -> list[str]:
    """Return the addresses of the user's pinned posts, in the order of the profile."""
    ids = pins.pinned_ids(author=owner_card.uid)
    rows = posts.by_ids(ids=ids)
    return _post_urls(owner_card, [rows[post_id] for post_id in ids if post_id in rows])


def comment_batches(*, owner_card: UserCard) -> Iterator[list[dict[str, Any]]]:
    for batch in batches(user_content.comments_of, uid=owner_card.uid, limit=BATCH_SIZE):
        rows = posts.by_ids(ids={comment.post for comment in batch})
        recipients = {uid for comment in batch for uid in comment.recipients}
        writer = _note_writer(owner_card, recipients | {row.author for row in rows.values()})
        activities = (
            writer.comment_activity(comment, rows[comment.post])
            for comment in batch
            if comment.post in rows
        )
        yield [activity for activity in activities if activity is not None]


def liked_url_batches(*, owner_card: UserCard) -> Iterator[list[str]]:
    for ids in batches(user_content.likes_of, uid=owner_card.uid, limit=BATCH_SIZE):
        yield _content_urls(owner_card, ids)


def vote_batches(*, owner_card: UserCard) -> Iterator[list[dict[str, Any]]]:
    """Yield batches of the user's answers to visible posts: a note with ``name`` for each chosen answer."""
    for batch in batches(answers.answers_of, uid=owner_card.uid, limit=BATCH_SIZE):
        rows = posts.by_ids(ids=[post_id for post_id, _ in batch])
        seen = visible_posts.visible_entries(rows=list(rows.values()), viewer=owner_card.uid)
        visible = {entry.post.id: entry.post for entry in seen.entries}
        writer = _note_writer(owner_card, {post.author for post in visible.values()})
        yield [
            {"type": "Note", "name": texts[number], "inReplyTo": url}
            for post_id, choices in batch
            if (post := visible.get(post_id)) and (url := writer.post_url(post))
            for texts in [activity_kind(post.kind).choice_texts(post.details)]
            for number in numbers_in(choices)
        ]


def bookmark_url_batches(*, owner_card: UserCard) -> Iterator[list[str]]:
    """Yield batches of the addresses of visible bookmarks, oldest bookmark first."""
    above = 0
    while batch := bookmarks.bookmarks_of(
        owner=owner_card.uid, id_range=IdRange(above, is_ascending=True), limit=BATCH_SIZE
    ):
        yield _content_urls(owner_card, [post_id for _bookmark_id, post_id in batch])
        above, _post_id = batch[-1]


def _content_urls(owner_card: UserCard, ids: Sequence[int]) -> list[str]:
    rows = posts.by_ids(ids=ids)
    found_comments = comments.by_ids(ids=[row_id for row_id in ids if row_id not in rows])
    return [
        *_post_urls(owner_card, [rows[row_id] for row_id in ids if row_id in rows]),
        *(comment_url(comment.post, comment.id) for comment in found_comments.values()),
    ]


def _post_urls(owner_card: UserCard, rows: list[PostRow]) -> list[str]:
    """Return the addresses of the posts that are visible to the owner."""
    visible = visible_posts.visible_entries(rows=rows, viewer=owner_card.uid)
    readable = [entry.post for entry in visible.entries]
    writer = _note_writer(owner_card, {post.author for post in readable})
    return [url for post in readable if (url := writer.post_url(post))]


def _note_writer(owner_card: UserCard, uids: set[int]) -> NoteWriter:
    # A deactivated owner may still export data, but ``cards_by_uid`` has no card for deactivated users.
    cards = cards_by_uid(uids=uids - {owner_card.uid})
    return NoteWriter(owner_card, cards | {owner_card.uid: owner_card})
