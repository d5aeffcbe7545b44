"""Read the comments that are visible to a viewer, as pages, as threads or by id.

Callers pass a ``PostView``, which proves that the viewer may read the post. A page costs a constant number
of database commands.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.http import Http404

from accounts.infra.store.unions import read_union
from accounts.selectors.relationships import relationships_in
from feed.store import comments, interactions
from feed.store.comment_rows import Comment
from feed.store.comment_sequences import CommentSequence, first_replies
from feed.store.interactions import Interactions
from feed.store.posts import post_in, post_queries, related_posts_of

from .comment_views import (
    FIRST_REPLIES,
    NO_REPLIES,
    CommentView,
    all_uids,
    comment_view,
    comment_views,
    read_comment_views,
    viewer_queries,
)
from .post_view import PostView
from .shown_posts import post_views
from .visibility import VisibleEntries, involved_uids, visible_entry
from .visible_posts import visible_post

PAGE_SIZE = 20


@dataclass(frozen=True, slots=True)
class CommentBounds:
    """Where a page of comments begins or ends. By default, it begins with the oldest comment.

    Attributes:
        after: id of the comment before the first comment of the page.
        before: id of the comment after the last comment of the page.
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
    ``newer_cursor`` is the ``after`` of the page with newer comments, or None on the last page. Both are
    ids of comments. Any page may have fewer comments than ``PAGE_SIZE``, because comments of blocked, muted
    and unavailable users are dropped. Limited comments of others do not shorten a page.
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
    sequence = _page_sequence(post_id, 0, bounds, viewer)
    union = read_union(queries=[*post_queries(id=post_id), *sequence.queries()])
    row = post_in(union=union)
    if row is not None and row.share_of is not None:
        post = visible_post(post_id=post_id, viewer=viewer)
        return post, comments_page(post=post, viewer=viewer, bounds=bounds)
    if row is None:
        raise Http404("No such post.")
    rows, has_more = _page_rows(sequence.comments_in(union=union), bounds)
    replies = _first_replies(post_id, rows, viewer)
    quoted = related_posts_of(entries=[row])
    uids = involved_uids(rows=[row], shared_posts=quoted, sample_size=1) | all_uids(rows, replies)
    post_rows = [row, *quoted.values()]
    union = read_union(queries=viewer_queries(viewer, uids, post_rows, rows, replies))
    relations = relationships_in(union=union)
    entry = visible_entry(entry=row, shared_posts={}, viewer=viewer, relationships=relations)
    viewer_interactions = interactions.interactions_in(union=union)
    entries = [entry] if entry else []
    seen = VisibleEntries(
        viewer, entries, viewer_interactions, relations, uids, related_posts=quoted
    )
    for post in post_views(shown=seen.entries, seen=seen):
        views = comment_views(rows, {post_id: post}, viewer, union, replies=replies)
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
    sequence = _page_sequence(post.id, thread_id, bounds, viewer)
    rows, has_more = _page_rows(sequence.read(), bounds)
    replies = NO_REPLIES if thread_id else _first_replies(post.id, rows, viewer)
    views = read_comment_views(rows, {post.id: post}, viewer, replies=replies)
    return _page_of(rows, views, bounds, has_more=has_more)


def _page_sequence(
    post_id: int, thread_id: int, bounds: CommentBounds, viewer: int | None
) -> CommentSequence:
    return CommentSequence(
        post=post_id,
        thread=thread_id,
        limit=PAGE_SIZE + 1,
        cursor=bounds.before if bounds.is_backwards else bounds.after,
        is_backwards=bounds.is_backwards,
        viewer=viewer,
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
    return first_replies(
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
    has_older = has_more if bounds.is_backwards else after is not None
    has_newer = before is not None if bounds.is_backwards else has_more
    # Without rows, the cursor was at an end of the list, so link back.
    first, last = (rows[0].id, rows[-1].id) if rows else (after, before)
    return CommentPage(
        comments=views,
        older_cursor=str(first) if has_older else None,
        newer_cursor=str(last) if has_newer else None,
    )


def cursor_before(
    *, post: PostView, comment: CommentView, viewer: int | None, count: int
) -> int | None:
    """Return the ``after`` of a page that begins ``count`` comments before a comment of its list.

    Return None if the list has no more comments than that before it. One command.
    """
    rows = CommentSequence(
        post=post.id,
        thread=comment.thread_id,
        limit=count + 1,
        cursor=comment.id,
        is_backwards=True,
        viewer=viewer,
    ).read()
    return rows[count].id if len(rows) > count else None


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
        empty_view = comment_view(empty_row, post, viewer, {}, Interactions())
        return replace(empty_view, is_restricted=not row.is_deleted, recipient_uids=())
    raise Http404("No such comment.")


def _only_view(row: Comment, post: PostView, viewer: int | None) -> tuple[CommentView, ...]:
    return read_comment_views([row], {post.id: post}, viewer, with_muted=True)
