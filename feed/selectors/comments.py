"""What people say to a post: a page of it with the first replies, one thread, one comment.

Whether the viewer may read the post is asked before, on the road to it: who holds a ``PostView`` may. Left
out are comments by those who are apart from the viewer, and in lists by those whom the viewer mutes. A page
costs the same number of commands however many comments there are.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.http import Http404

from accounts import selectors as people
from accounts.ids import time_of
from accounts.user_cards import UserCard, cards
from feed.store import comments, marks
from feed.store.comments import Comment
from feed.store.marks import Marks
from feed.text.mentions import dotted_names

from .lists import post as readable_post
from .pages import PostView

PAGE_SIZE = 20
FIRST_REPLIES = 3
NONE: Mapping[int, list[Comment]] = {}


@dataclass(frozen=True, slots=True)
class CommentView:
    """A comment as its viewer sees it. ``by`` is None where it was deleted and only replies are left.

    ``thread``: the comment that began the thread, 0 for one to the post itself; ``parent``: the one that is
    answered. ``answers``: who is
    answered, if that is not who began the thread. ``replies``: how many are in its thread, of which the
    ``first`` are here. ``names``: as in ``rendering.to_html``.
    """

    id: int
    thread: int
    parent: int
    position: int
    by: UserCard | None
    text: str
    created_at: datetime
    edited_at: datetime | None
    likes: int
    is_liked: bool
    is_kept: bool
    is_own: bool
    may_delete: bool
    is_of_author: bool
    answers: UserCard | None
    replies: int
    first: tuple["CommentView", ...] = ()
    names: Collection[str] = ()

    @property
    def more(self) -> int:
        """Replies that are not here."""
        return self.replies - len(self.first)


@dataclass(frozen=True, slots=True)
class CommentOnPost:
    """A comment, with the post it was said to."""

    comment: CommentView
    post: PostView


@dataclass(frozen=True, slots=True)
class CommentPage:
    """Comments, the oldest first. ``earlier`` is a cursor for ``before``, ``later`` one for ``after``; None
    where there is nothing that way. A short page is not the end."""

    comments: tuple[CommentView, ...]
    earlier: str | None
    later: str | None


def comments_page(
    *,
    post: PostView,
    viewer: int | None,
    thread: int = 0,
    after: int | None = None,
    before: int | None = None,
    from_end: bool = False,
) -> CommentPage:
    """What was said to the post, or in one ``thread``: from the beginning or the end, behind a position or
    before one."""
    backwards = from_end or before is not None
    if backwards:
        found = comments.before(post=post.id, thread=thread, position=before, limit=PAGE_SIZE + 1)
    else:
        start = -1 if after is None else after
        found = comments.after(post=post.id, thread=thread, position=start, limit=PAGE_SIZE + 1)
    rows, is_more = found[:PAGE_SIZE], len(found) > PAGE_SIZE
    if backwards:
        rows.reverse()
    replies: dict[int, list[Comment]] = {}
    if not thread:
        threads = [one.id for one in rows if one.replies]
        replies = comments.first_of(post=post.id, threads=threads, limit=FIRST_REPLIES)
    views = _views(rows, {post.id: post}, viewer, replies=replies)
    if not rows:  # past one of the ends: back is where the last one stands, or the first
        earlier = None if after is None else str(after + 1)
        return CommentPage(views, earlier, None if before is None else str(before - 1))
    has_earlier = is_more if backwards else rows[0].position > 0
    has_later = before is not None if backwards else is_more
    return CommentPage(
        comments=views,
        earlier=str(rows[0].position) if has_earlier else None,
        later=str(rows[-1].position) if has_later else None,
    )


def comment(*, post: PostView, comment_id: int, viewer: int | None) -> CommentView:
    """Raises Http404 for comments that are gone and for those the viewer may not read, alike."""
    found = comments.get(post=post.id, id=comment_id)
    if found is not None and not found.is_gone:
        for view in _views([found], {post.id: post}, viewer, with_muted=True):
            return view
    raise Http404("No such comment.")


def comment_by_id(*, comment_id: int, viewer: int | None) -> tuple[PostView, CommentView]:
    """With the post it was said to. Raises Http404 as ``comment`` does."""
    found = comments.by_ids(ids=[comment_id]).get(comment_id)
    if found is None:
        raise Http404("No such comment.")
    post = readable_post(post_id=found.post, viewer=viewer)
    return post, comment(post=post, comment_id=comment_id, viewer=viewer)


def thread_start(*, post: PostView, comment_id: int, viewer: int | None) -> CommentView:
    """The comment that began a thread, also a deleted one that was answered; else as ``comment``."""
    found = comments.get(post=post.id, id=comment_id)
    if found is not None and not found.thread and (found.replies or not found.is_gone):
        for view in _views([found], {post.id: post}, viewer, with_muted=True):
            return view
    raise Http404("No such comment.")


def comments_on(
    *, rows: Sequence[Comment], posts: Mapping[int, PostView], viewer: int | None, with_muted: bool
) -> list[CommentOnPost]:
    """Those of these comments, in their order, whose posts are here and which the viewer may read: three
    commands."""
    found = [one for one in rows if one.post in posts and not one.is_gone]
    post_of = {one.id: posts[one.post] for one in found}
    views = _views(found, posts, viewer, with_muted=with_muted)
    return [CommentOnPost(view, post_of[view.id]) for view in views if view.by]


def _views(
    rows: Sequence[Comment],
    posts: Mapping[int, PostView],
    viewer: int | None,
    *,
    replies: Mapping[int, list[Comment]] = NONE,
    with_muted: bool = False,
) -> tuple[CommentView, ...]:
    every = [*rows, *(reply for thread in replies.values() for reply in thread)]
    uids = {uid for one in every for uid in (one.uid, one.to)} - {0}
    relations = people.relations(viewer=viewer, uids={uid for uid in uids if uid != viewer})
    hidden = relations.blocks if with_muted else relations.blocks | relations.mutes
    known = cards(uids=uids - relations.gone)
    marked = marks.of_viewer(viewer=viewer, posts=[one.id for one in every])
    names = people.usernames_among(names=dotted_names(one.text for one in every))
    seen = {
        one.id: replace(_view(one, posts[one.post], viewer, known, marked), names=names)
        for one in every
        if one.uid not in hidden and (one.uid in known or one.replies)
    }
    return tuple(
        replace(
            seen[row.id],
            first=tuple(seen[one.id] for one in replies.get(row.id, ()) if one.id in seen),
        )
        for row in rows
        if row.id in seen
    )


def _view(
    row: Comment, post: PostView, viewer: int | None, known: dict[int, UserCard], marked: Marks
) -> CommentView:
    by = known.get(row.uid)
    is_own = by is not None and row.uid == viewer
    return CommentView(
        id=row.id,
        thread=row.thread,
        parent=row.parent,
        position=row.position,
        by=by,
        text=row.text if by else "",
        created_at=time_of(id=row.id),
        edited_at=row.edited_at,
        likes=row.likes,
        is_liked=row.id in marked.liked,
        is_kept=row.id in marked.kept,
        is_own=is_own,
        may_delete=is_own or (by is not None and post.is_own),
        is_of_author=row.uid == post.author.uid,
        answers=known.get(row.to),
        replies=row.replies,
    )
