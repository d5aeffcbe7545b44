"""Comments as their viewer sees them.

If there is a block between two users, neither sees the other's comments. Lists also omit comments by users
whom the viewer mutes. Nobody sees limited comments without being among their readers (decision 0026).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import ClassVar

from accounts.infra.ids import time_of
from accounts.infra.store.unions import Query, UnionResult, read_union
from accounts.selectors.profiles import active_usernames_among
from accounts.selectors.relationships import relationship_queries, relationships_in
from accounts.user_cards import UserCard, cards_by_uid
from feed.store import interactions
from feed.store.comment_rows import Comment
from feed.store.interactions import Interactions
from feed.store.post_rows import PostRow
from feed.text.mentions import dotted_candidates

from .post_view import PostView
from .visibility import can_view_comment

FIRST_REPLIES = 3
NO_REPLIES: Mapping[int, list[Comment]] = {}


@dataclass(frozen=True, slots=True)
class CommentView:
    """A comment as its viewer sees it.

    Attributes:
        thread_id: id of the root comment of the thread, 0 if this comment is a root comment.
        parent_id: id of the comment that this comment replies to, 0 if this comment is no reply.
        author: None for the placeholder of a deleted comment that has replies.
        is_restricted: True for the placeholder of a comment that the viewer may not read.
        visibility: "" if everyone who can read the post can read the comment, else "followers" or
            "direct", as in ``Post.Visibility``.
        recipient_uids: users who can read a limited comment besides its author.
        reply_to: author of the parent comment, None if the parent is the root comment.
        reply_count: number of replies in the thread of a root comment. Of the limited replies, it counts
            only those that the page read.
        first_replies: the oldest replies in the thread, at most ``FIRST_REPLIES``.
        dotted_usernames: as in ``renderer.to_html``.
    """

    id: int
    thread_id: int
    parent_id: int
    author: UserCard | None
    text: str
    created_at: datetime
    edited_at: datetime | None
    likes: int
    is_liked: bool
    is_bookmarked: bool
    is_own: bool
    can_delete: bool
    is_by_post_author: bool
    reply_to: UserCard | None
    reply_count: int
    content_warning: str = ""
    visibility: str = ""
    recipient_uids: tuple[int, ...] = ()
    is_restricted: bool = False
    first_replies: tuple["CommentView", ...] = ()
    dotted_usernames: frozenset[str] = frozenset()

    @property
    def remaining_replies(self) -> int:
        """Return the number of replies in the thread that are not in ``first_replies``."""
        return self.reply_count - len(self.first_replies)


@dataclass(frozen=True, slots=True)
class CommentWithPost:
    """A comment with its post."""

    is_comment: ClassVar[bool] = True

    comment: CommentView
    post: PostView


def comments_with_posts(
    *,
    rows: Sequence[Comment],
    posts: Mapping[int, PostView],
    viewer: int | None,
    include_muted: bool,
) -> list[CommentWithPost]:
    """Return the visible comments among ``rows``, in order. Costs two database commands.

    Args:
        posts: posts visible to the viewer, by id. Comments on other posts are left out.
        include_muted: True to include comments by users whom the viewer mutes.
    """
    existing_rows = [row for row in rows if row.post in posts and not row.is_deleted]
    post_of = {row.id: posts[row.post] for row in existing_rows}
    views = read_comment_views(existing_rows, posts, viewer, with_muted=include_muted)
    return [CommentWithPost(view, post_of[view.id]) for view in views if view.author]


def read_comment_views(
    rows: Sequence[Comment],
    posts: Mapping[int, PostView],
    viewer: int | None,
    *,
    replies: Mapping[int, list[Comment]] = NO_REPLIES,
    with_muted: bool = False,
) -> tuple[CommentView, ...]:
    """Return the visible comments. One command."""
    uids = all_uids(rows, replies)
    post_rows = [post.row for post in posts.values()]
    union = read_union(queries=viewer_queries(viewer, uids, post_rows, rows, replies))
    return comment_views(rows, posts, viewer, union, replies=replies, with_muted=with_muted)


def all_uids(rows: Iterable[Comment], replies: Mapping[int, list[Comment]]) -> set[int]:
    return {uid for row in _all_rows(rows, replies) for uid in (row.uid, row.reply_to_uid)} - {0}


def _all_rows(rows: Iterable[Comment], replies: Mapping[int, list[Comment]]) -> list[Comment]:
    return [*rows, *chain.from_iterable(replies.values())]


def viewer_queries(
    viewer: int | None,
    uids: set[int],
    post_rows: Collection[PostRow],
    rows: Iterable[Comment],
    replies: Mapping[int, list[Comment]],
) -> list[Query]:
    """Return the queries for the viewer's relationships and interactions."""
    comment_ids = [row.id for row in _all_rows(rows, replies)]
    return [
        *relationship_queries(viewer=viewer, uids=uids - {viewer}),
        *interactions.interaction_queries(
            viewer=viewer, posts=[*(row.id for row in post_rows), *comment_ids], rows=post_rows
        ),
    ]


def comment_views(
    rows: Sequence[Comment],
    posts: Mapping[int, PostView],
    viewer: int | None,
    union: UnionResult,
    *,
    replies: Mapping[int, list[Comment]] = NO_REPLIES,
    with_muted: bool = False,
) -> tuple[CommentView, ...]:
    """Return the visible comments. ``union`` are the results of ``viewer_queries``."""
    all_rows, uids = _all_rows(rows, replies), all_uids(rows, replies)
    relations = relationships_in(union=union)
    viewer_interactions = interactions.interactions_in(union=union)
    hidden_uids = relations.blocked if with_muted else relations.blocked | relations.muted
    cards = cards_by_uid(uids=uids - relations.unavailable)
    names = active_usernames_among(names=dotted_candidates(row.text for row in all_rows))
    views = {
        row.id: replace(
            comment_view(row, posts[row.post], viewer, cards, viewer_interactions),
            dotted_usernames=names,
        )
        for row in all_rows
        if row.uid not in hidden_uids
        and (row.uid in cards or row.replies or row.limited_replies)
        and can_view_comment(comment=row, viewer=viewer, relationships=relations)
    }
    roots = (
        _with_replies(
            views[row.id],
            [views[reply.id] for reply in replies.get(row.id, ()) if reply.id in views],
        )
        for row in rows
        if row.id in views
    )
    # A placeholder needs replies below it that the viewer can read.
    return tuple(root for root in roots if root.author or root.reply_count)


def _with_replies(root: CommentView, replies: Sequence[CommentView]) -> CommentView:
    first_replies = tuple(replies[:FIRST_REPLIES])
    limited_count = sum(bool(reply.visibility) for reply in first_replies)
    reply_count = max(root.reply_count + limited_count, len(replies))
    return replace(root, first_replies=first_replies, reply_count=reply_count)


def comment_view(
    row: Comment,
    post: PostView,
    viewer: int | None,
    cards: dict[int, UserCard],
    viewer_interactions: Interactions,
) -> CommentView:
    author = cards.get(row.uid)
    is_own = author is not None and row.uid == viewer
    return CommentView(
        id=row.id,
        thread_id=row.thread_id,
        parent_id=row.parent_id,
        author=author,
        text=row.text if author else "",
        created_at=time_of(id=row.id),
        edited_at=row.edited_at,
        likes=row.likes,
        is_liked=row.id in viewer_interactions.liked,
        is_bookmarked=row.id in viewer_interactions.bookmarked,
        is_own=is_own,
        can_delete=is_own or (author is not None and post.is_own),
        is_by_post_author=row.uid == post.author.uid,
        reply_to=cards.get(row.reply_to_uid),
        reply_count=row.replies,
        content_warning=row.content_warning if author else "",
        visibility=row.visibility,
        recipient_uids=row.recipients,
    )
