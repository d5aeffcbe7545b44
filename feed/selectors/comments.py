"""What people say to a post: a page of it with the first replies, one thread, one comment.

Whether the viewer may read the post is asked before, on the road to it: who holds a ``PostView`` may. Left
out are comments by those who are apart from the viewer, and in lists by those whom the viewer mutes. A page
costs the same number of commands however many comments there are.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import ClassVar

from django.http import Http404

from accounts.infra.ids import time_of
from accounts.selectors.profiles import active_usernames_among
from accounts.selectors.relationships import relationships
from accounts.user_cards import UserCard, cards_by_uid
from feed.store import comments, interactions
from feed.store.comments import Comment
from feed.store.interactions import Interactions
from feed.text.mentions import dotted_candidates

from .lists import visible_post as readable_post
from .pages import PostView

PAGE_SIZE = 20
FIRST_REPLIES = 3
NO_REPLIES: Mapping[int, list[Comment]] = {}


@dataclass(frozen=True, slots=True)
class CommentView:
    """A comment as its viewer sees it. ``by`` is None where it was deleted and only replies are left.

    ``thread``: the comment that began the thread, 0 for one to the post itself; ``parent``: the one that is
    answered. ``answers``: who is
    answered, if that is not who began the thread. ``replies``: how many are in its thread, of which the
    ``first`` are here. ``names``: as in ``rendering.to_html``.
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
    first_replies: tuple["CommentView", ...] = ()
    dotted_usernames: Collection[str] = ()

    @property
    def remaining_replies(self) -> int:
        """Replies that are not here."""
        return self.reply_count - len(self.first_replies)


@dataclass(frozen=True, slots=True)
class CommentWithPost:
    """A comment, with the post it was said to."""

    is_comment: ClassVar[bool] = True

    comment: CommentView
    post: PostView


@dataclass(frozen=True, slots=True)
class CommentPage:
    """Comments, the oldest first. ``earlier`` is a cursor for ``before``, ``later`` one for ``after``; None
    where there is nothing that way. A short page is not the end."""

    comments: tuple[CommentView, ...]
    older_cursor: str | None
    newer_cursor: str | None


def comments_page(
    *,
    post: PostView,
    viewer: int | None,
    thread_id: int = 0,
    after: int | None = None,
    before: int | None = None,
    should_start_at_end: bool = False,
) -> CommentPage:
    """What was said to the post, or in one ``thread``: from the beginning or the end, behind a position or
    before one."""
    backwards = should_start_at_end or before is not None
    if backwards:
        found = comments.comments_before(
            post=post.id, thread_id=thread_id, position=before, limit=PAGE_SIZE + 1
        )
    else:
        start = -1 if after is None else after
        found = comments.comments_after(
            post=post.id, thread_id=thread_id, position=start, limit=PAGE_SIZE + 1
        )
    rows, is_more = found[:PAGE_SIZE], len(found) > PAGE_SIZE
    if backwards:
        rows.reverse()
    replies: dict[int, list[Comment]] = {}
    if not thread_id:
        threads = [row.id for row in rows if row.replies]
        replies = comments.first_replies(post=post.id, thread_ids=threads, limit=FIRST_REPLIES)
    views = _views(rows, {post.id: post}, viewer, replies=replies)
    if not rows:  # past one of the ends: back is where the last one stands, or the first
        earlier = None if after is None else str(after + 1)
        return CommentPage(views, earlier, None if before is None else str(before - 1))
    has_earlier = is_more if backwards else rows[0].position > 0
    has_later = before is not None if backwards else is_more
    return CommentPage(
        comments=views,
        older_cursor=str(rows[0].position) if has_earlier else None,
        newer_cursor=str(rows[-1].position) if has_later else None,
    )


def visible_comment(*, post: PostView, comment_id: int, viewer: int | None) -> CommentView:
    """Raises Http404 for comments that are gone and for those the viewer may not read, alike."""
    found = comments.get_comment(post=post.id, id=comment_id)
    if found is not None and not found.is_deleted:
        for view in _views([found], {post.id: post}, viewer, with_muted=True):
            return view
    raise Http404("No such comment.")


def visible_comment_by_id(*, comment_id: int, viewer: int | None) -> tuple[PostView, CommentView]:
    """With the post it was said to. Raises Http404 as ``comment`` does."""
    found = comments.by_ids(ids=[comment_id]).get(comment_id)
    if found is None:
        raise Http404("No such comment.")
    post = readable_post(post_id=found.post, viewer=viewer)
    return post, visible_comment(post=post, comment_id=comment_id, viewer=viewer)


def thread_root(*, post: PostView, comment_id: int, viewer: int | None) -> CommentView:
    """The comment that began a thread, also a deleted one that was answered; else as ``comment``."""
    found = comments.get_comment(post=post.id, id=comment_id)
    if found is not None and not found.thread_id and (found.replies or not found.is_deleted):
        for view in _views([found], {post.id: post}, viewer, with_muted=True):
            return view
    raise Http404("No such comment.")


def comments_with_posts(
    *,
    rows: Sequence[Comment],
    posts: Mapping[int, PostView],
    viewer: int | None,
    include_muted: bool,
) -> list[CommentWithPost]:
    """Those of these comments, in their order, whose posts are here and which the viewer may read: three
    commands."""
    found = [row for row in rows if row.post in posts and not row.is_deleted]
    post_of = {row.id: posts[row.post] for row in found}
    views = _views(found, posts, viewer, with_muted=include_muted)
    return [CommentWithPost(view, post_of[view.id]) for view in views if view.author]


def _views(
    rows: Sequence[Comment],
    posts: Mapping[int, PostView],
    viewer: int | None,
    *,
    replies: Mapping[int, list[Comment]] = NO_REPLIES,
    with_muted: bool = False,
) -> tuple[CommentView, ...]:
    every = [*rows, *(reply for thread in replies.values() for reply in thread)]
    uids = {uid for one in every for uid in (one.uid, one.reply_to_uid)} - {0}
    relations = relationships(viewer=viewer, uids={uid for uid in uids if uid != viewer})
    hidden = relations.blocked if with_muted else relations.blocked | relations.muted
    known = cards_by_uid(uids=uids - relations.unavailable)
    marked = interactions.viewer_interactions(viewer=viewer, posts=[one.id for one in every])
    names = active_usernames_among(names=dotted_candidates(one.text for one in every))
    seen = {
        one.id: replace(_view(one, posts[one.post], viewer, known, marked), dotted_usernames=names)
        for one in every
        if one.uid not in hidden and (one.uid in known or one.replies)
    }
    return tuple(
        replace(
            seen[row.id],
            first_replies=tuple(seen[one.id] for one in replies.get(row.id, ()) if one.id in seen),
        )
        for row in rows
        if row.id in seen
    )


def _view(
    row: Comment,
    post: PostView,
    viewer: int | None,
    known: dict[int, UserCard],
    marked: Interactions,
) -> CommentView:
    by = known.get(row.uid)
    is_own = by is not None and row.uid == viewer
    return CommentView(
        id=row.id,
        thread_id=row.thread_id,
        parent_id=row.parent_id,
        position=row.position,
        author=by,
        text=row.text if by else "",
        created_at=time_of(id=row.id),
        edited_at=row.edited_at,
        likes=row.likes,
        is_liked=row.id in marked.liked,
        is_bookmarked=row.id in marked.bookmarked,
        is_own=is_own,
        can_delete=is_own or (by is not None and post.is_own),
        is_by_post_author=row.uid == post.author.uid,
        reply_to=known.get(row.reply_to_uid),
        reply_count=row.replies,
    )
