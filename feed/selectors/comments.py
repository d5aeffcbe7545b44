"""Read the comments that are visible to a viewer, as pages, as threads or by id.

Callers pass a ``PostView``, which proves that the viewer may read the post. If there is a block between two
users, neither sees the other's comments. Lists also omit comments by users whom the viewer mutes. Nobody
sees limited comments without being among their readers (decision 0026). A page costs a constant number of
database commands.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import chain
from typing import ClassVar

from django.http import Http404

from accounts.infra.ids import time_of
from accounts.infra.store.connection import Document
from accounts.infra.store.unions import Query, read_union
from accounts.selectors.profiles import active_usernames_among
from accounts.selectors.relationships import relationship_queries, relationships_in
from accounts.user_cards import UserCard, cards_by_uid
from feed.store import comments, interactions
from feed.store.comments import Comment
from feed.store.interactions import Interactions
from feed.store.posts import post_in, post_queries, related_posts_of
from feed.text.mentions import dotted_candidates

from .lists import visible_post
from .pages import PostView, post_views
from .visibility import VisibleEntries, can_view_comment, involved_uids, visible_entry

PAGE_SIZE = 20
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
    position: int
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


@dataclass(frozen=True, slots=True)
class CommentBounds:
    """Where a page of comments begins or ends. By default, it begins with the oldest comment.

    Attributes:
        after: position before the first comment of the page.
        before: position after the last comment of the page.
        is_at_end: True for the newest comments.
    """

    after: int | None = None
    before: int | None = None
    is_at_end: bool = False

    @property
    def is_backwards(self) -> bool:
        return self.is_at_end or self.before is not None


OLDEST_COMMENTS = CommentBounds()


@dataclass(frozen=True, slots=True)
class CommentPage:
    """A page of comments, oldest first.

    ``older_cursor`` is the ``before`` of the page with older comments, or None on the first page.
    ``newer_cursor`` is the ``after`` of the page with newer comments, or None on the last page. Any page
    may have fewer comments than ``PAGE_SIZE``, because hidden comments are dropped.
    """

    comments: tuple[CommentView, ...]
    older_cursor: str | None
    newer_cursor: str | None


def post_with_comments(
    *, post_id: int, viewer: int | None, bounds: CommentBounds = OLDEST_COMMENTS
) -> tuple[PostView, CommentPage]:
    """Return a post and a page of its root comments, like ``visible_post`` and ``comments_page``.

    Three commands: one for the post and the comments, one for replies, one for what concerns the viewer. A
    quoted post costs one more.
    """
    page_queries = _page_queries(post_id, 0, bounds, viewer)
    documents = read_union(queries=[*post_queries(id=post_id), *page_queries])
    row = post_in(documents=documents)
    if row is not None and row.share_of is not None:
        post = visible_post(post_id=post_id, viewer=viewer)
        return post, comments_page(post=post, viewer=viewer, bounds=bounds)
    if row is None:
        raise Http404("No such post.")
    rows, has_more = _page_rows(comments.comments_in(documents=documents), bounds)
    replies = _first_replies(post_id, rows, viewer)
    quoted = related_posts_of(entries=[row])
    uids = involved_uids(rows=[row], shared_posts=quoted, sample_size=1) | _uids(rows, replies)
    polls = [post.id for post in (row, *quoted.values()) if post.is_poll]
    post_ids = [post_id, *quoted]
    documents = read_union(queries=_viewer_queries(viewer, uids, post_ids, polls, rows, replies))
    relations = relationships_in(documents=documents)
    entry = visible_entry(entry=row, shared_posts={}, viewer=viewer, relationships=relations)
    viewer_interactions = interactions.interactions_in(documents=documents)
    entries = [entry] if entry else []
    seen = VisibleEntries(
        viewer, entries, viewer_interactions, relations, uids, related_posts=quoted
    )
    for post in post_views(shown=seen.entries, seen=seen):
        views = _views(rows, {post_id: post}, viewer, documents, replies=replies)
        return post, _page_of(rows, views, bounds, has_more=has_more)
    raise Http404("No such post.")


def comments_page(
    *,
    post: PostView,
    viewer: int | None,
    bounds: CommentBounds = OLDEST_COMMENTS,
    thread_id: int = 0,
) -> CommentPage:
    """Return a page of the comments on a post, or of the replies in one thread.

    ``thread_id`` is the id of the root comment of a thread, 0 for the root comments of the post.
    """
    documents = read_union(queries=_page_queries(post.id, thread_id, bounds, viewer))
    rows, has_more = _page_rows(comments.comments_in(documents=documents), bounds)
    replies = NO_REPLIES if thread_id else _first_replies(post.id, rows, viewer)
    views = _read_views(rows, {post.id: post}, viewer, replies=replies)
    return _page_of(rows, views, bounds, has_more=has_more)


def _page_queries(
    post_id: int, thread_id: int, bounds: CommentBounds, viewer: int | None
) -> list[Query]:
    if bounds.is_backwards:
        return comments.comments_before_queries(
            post=post_id,
            thread_id=thread_id,
            position=bounds.before,
            limit=PAGE_SIZE + 1,
            viewer=viewer,
        )
    start = -1 if bounds.after is None else bounds.after
    return comments.comments_after_queries(
        post=post_id, thread_id=thread_id, position=start, limit=PAGE_SIZE + 1, viewer=viewer
    )


def _page_rows(rows: list[Comment], bounds: CommentBounds) -> tuple[list[Comment], bool]:
    """Return the rows of the page, oldest first, and whether more rows follow in the direction read."""
    page_rows = rows[:PAGE_SIZE]
    if bounds.is_backwards:
        page_rows.reverse()
    return page_rows, len(rows) > PAGE_SIZE


def _first_replies(
    post_id: int, rows: Sequence[Comment], viewer: int | None
) -> dict[int, list[Comment]]:
    """Return the first replies by thread, and one more to know whether further replies follow."""
    thread_ids = [row.id for row in rows if row.replies or row.limited_replies]
    return comments.first_replies(
        post=post_id, thread_ids=thread_ids, limit=FIRST_REPLIES + 1, viewer=viewer
    )


def _page_of(
    rows: Sequence[Comment],
    views: tuple[CommentView, ...],
    bounds: CommentBounds,
    *,
    has_more: bool,
) -> CommentPage:
    before, after = bounds.before, bounds.after
    if not rows:  # the cursor was past an end of the list, so link to the last or first comment
        older_cursor = None if after is None else str(after + 1)
        return CommentPage(views, older_cursor, None if before is None else str(before - 1))
    has_older = has_more if bounds.is_backwards else after is not None and rows[0].position > 0
    has_newer = before is not None if bounds.is_backwards else has_more
    return CommentPage(
        comments=views,
        older_cursor=str(rows[0].position) if has_older else None,
        newer_cursor=str(rows[-1].position) if has_newer else None,
    )


def visible_comment(*, post: PostView, comment_id: int, viewer: int | None) -> CommentView:
    """Return a comment. Raises Http404 if the comment is deleted or the viewer may not read it."""
    row = comments.get_comment(post=post.id, id=comment_id)
    if row is not None and not row.is_deleted:
        for view in _only_view(row, post, viewer):
            return view
    raise Http404("No such comment.")


def visible_comment_by_id(*, comment_id: int, viewer: int | None) -> tuple[PostView, CommentView]:
    """Return the post and the comment. Raises Http404 like ``visible_comment``."""
    row = comments.by_ids(ids=[comment_id]).get(comment_id)
    if row is None:
        raise Http404("No such comment.")
    post = visible_post(post_id=row.post, viewer=viewer)
    return post, visible_comment(post=post, comment_id=comment_id, viewer=viewer)


def thread_root(*, post: PostView, comment_id: int, viewer: int | None) -> CommentView:
    """Return the root comment of a thread, or its placeholder.

    A placeholder stands for a deleted comment with replies, or for a limited comment that the viewer may
    not read. If the placeholder has no ``reply_count``, callers must not show it unless the viewer may read
    a reply. Raises Http404 like ``visible_comment``.
    """
    row = comments.get_comment(post=post.id, id=comment_id)
    if row is None or row.thread_id:
        raise Http404("No such comment.")
    for view in _only_view(row, post, viewer):
        return view
    if row.visibility or (row.is_deleted and row.limited_replies):
        empty_row = replace(row, uid=0, text="", content_warning="", likes=0, edited_at=None)
        empty_view = _view(empty_row, post, viewer, {}, Interactions())
        return replace(empty_view, is_restricted=not row.is_deleted, recipient_uids=())
    raise Http404("No such comment.")


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
    views = _read_views(existing_rows, posts, viewer, with_muted=include_muted)
    return [CommentWithPost(view, post_of[view.id]) for view in views if view.author]


def _read_views(
    rows: Sequence[Comment],
    posts: Mapping[int, PostView],
    viewer: int | None,
    *,
    replies: Mapping[int, list[Comment]] = NO_REPLIES,
    with_muted: bool = False,
) -> tuple[CommentView, ...]:
    """Return the visible comments. One command."""
    uids = _uids(rows, replies)
    polls = [post.id for post in posts.values() if post.poll]
    documents = read_union(queries=_viewer_queries(viewer, uids, posts, polls, rows, replies))
    return _views(rows, posts, viewer, documents, replies=replies, with_muted=with_muted)


def _uids(rows: Iterable[Comment], replies: Mapping[int, list[Comment]]) -> set[int]:
    return {uid for row in _all_rows(rows, replies) for uid in (row.uid, row.reply_to_uid)} - {0}


def _all_rows(rows: Iterable[Comment], replies: Mapping[int, list[Comment]]) -> list[Comment]:
    return [*rows, *chain.from_iterable(replies.values())]


def _viewer_queries(
    viewer: int | None,
    uids: set[int],
    post_ids: Iterable[int],
    polls: Iterable[int],
    rows: Iterable[Comment],
    replies: Mapping[int, list[Comment]],
) -> list[Query]:
    """Return the queries for the viewer's relationships and interactions.

    ``polls`` are the posts among ``post_ids`` that are polls.
    """
    comment_ids = [row.id for row in _all_rows(rows, replies)]
    return [
        *relationship_queries(viewer=viewer, uids=uids - {viewer}),
        *interactions.interaction_queries(
            viewer=viewer, posts=[*post_ids, *comment_ids], polls=list(polls)
        ),
    ]


def _views(
    rows: Sequence[Comment],
    posts: Mapping[int, PostView],
    viewer: int | None,
    documents: Sequence[Document],
    *,
    replies: Mapping[int, list[Comment]] = NO_REPLIES,
    with_muted: bool = False,
) -> tuple[CommentView, ...]:
    """Return the visible comments. ``documents`` are the results of ``_viewer_queries``."""
    all_rows, uids = _all_rows(rows, replies), _uids(rows, replies)
    relations = relationships_in(documents=documents)
    viewer_interactions = interactions.interactions_in(documents=documents)
    hidden_uids = relations.blocked if with_muted else relations.blocked | relations.muted
    cards = cards_by_uid(uids=uids - relations.unavailable)
    names = active_usernames_among(names=dotted_candidates(row.text for row in all_rows))
    views = {
        row.id: replace(
            _view(row, posts[row.post], viewer, cards, viewer_interactions),
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


def _only_view(row: Comment, post: PostView, viewer: int | None) -> tuple[CommentView, ...]:
    return _read_views([row], {post.id: post}, viewer, with_muted=True)


def _view(
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
        position=row.position,
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
