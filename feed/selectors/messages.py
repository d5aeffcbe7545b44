"""Read the conversations of a user: the direct posts that they sent or received, with the comments.

A conversation shows only what its viewer may read: no posts and comments of users with a block between them
and the viewer, none of muted users, and none that moderators hid.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.http import Http404

from accounts.infra.cursors import PageBounds
from accounts.infra.ids import MAX_ID
from accounts.infra.store.unions import read_union
from accounts.user_cards import UserCard
from feed import providers
from feed.models import Post
from feed.store import comment_pages, conversations, posts
from feed.store.comment_rows import Comment
from feed.store.conversations import Conversation
from feed.store.post_rows import IdRange, PostRow

from .comment_views import CommentView, CommentWithPost, comments_with_posts
from .post_pages import MAX_ROWS, READ_FACTORS
from .post_view import PostView
from .shown_posts import post_views
from .visibility import VisibleEntries
from .visible_posts import visible_entries

PAGE_SIZE = 20
MESSAGES_PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class ConversationView:
    """A conversation in a list.

    Attributes:
        others: the other participants who still have an account, the author first.
        last_comment: the last message, None if that is the post.
    """

    post: PostView
    others: tuple[UserCard, ...]
    last_comment: CommentWithPost | None
    newest_id: int
    is_unread: bool

    @property
    def last_id(self) -> int:
        """Return the id of the last message that the viewer sees."""
        return self.last_comment.comment.id if self.last_comment else self.post.id

    @property
    def last_author(self) -> UserCard:
        comment = self.last_comment and self.last_comment.comment
        return (comment and comment.author) or self.post.author

    @property
    def last_text(self) -> str:
        """Return the last message, or only the content warning of the post or of the message."""
        if self.last_comment is None or self.post.content_warning:
            return self.post.excerpt
        return self.last_comment.comment.content_warning or self.last_comment.comment.text

    @property
    def last_at(self) -> datetime:
        return self.last_comment.comment.created_at if self.last_comment else self.post.created_at


@dataclass(frozen=True, slots=True)
class ConversationsPage:
    """A page of conversations, newest activity first. The cursors are as in ``TimelinePage``.

    ``unread_elsewhere`` are the ids of conversations with unread messages that are not on this page.
    """

    conversations: tuple[ConversationView, ...]
    older_cursor: str | None
    newer_cursor: str | None
    unread_elsewhere: frozenset[int]


@dataclass(frozen=True, slots=True)
class MessagesPage:
    """A page of the messages of one conversation, oldest first.

    Attributes:
        others: as in ``ConversationView``.
        older_cursor: id below which earlier comments follow, None if this page begins with the post.
        newer_cursor: id above which later comments follow, None on the last page.
        newest_id: id of the conversation's last message, even if it is on another page or hidden from the
            viewer.
    """

    post: PostView
    others: tuple[UserCard, ...]
    comments: tuple[CommentView, ...]
    older_cursor: str | None
    newer_cursor: str | None
    newest_id: int


def conversations_page(*, viewer: int, bounds: PageBounds) -> ConversationsPage:
    """Return a page of the viewer's conversations. Costs a constant number of database commands.

    If the viewer may not see many of the conversations, read more, as ``read_visible_page`` does.
    """
    limit, id_range = bounds.limit, IdRange.within(bounds)
    rest, further = id_range, None
    views = list[ConversationView]()
    unread = _unread_posts(viewer)
    for factor in READ_FACTORS:
        number = min(factor * limit, MAX_ROWS)
        rows = conversations.conversations_of(owner=viewer, id_range=rest, limit=number + 1)
        examined, has_more = rows[:number], len(rows) > number
        rows_by_post = {row.post: row for row in examined}
        seen = _visible_conversations(examined, viewer)
        room = limit - len(views)
        is_over = len(seen.entries) > room
        del seen.entries[room:]
        views += _views(rows_by_post, seen, viewer, unread)
        further = examined[-1].newest if has_more else None
        if is_over or (has_more and len(views) == limit):
            further = views[-1].newest_id
        if is_over or not has_more:
            break
        rest = rest.after(examined[-1].newest)
    elsewhere = unread - {view.post.id for view in views}
    cursor = None if further is None else str(further)
    if bounds.is_ascending:
        back = views[0].newest_id if views else min(MAX_ID, id_range.above + 1)
        return ConversationsPage(tuple(reversed(views)), str(back), cursor, elsewhere)
    newer = None
    if id_range.below is not None:
        newer = str(views[0].newest_id if views else max(0, id_range.below - 1))
    return ConversationsPage(tuple(views), cursor, newer, elsewhere)


def hidden_conversations(*, post_ids: Collection[int], viewer: int) -> set[int]:
    """Return those conversations that the viewer's list does not show, for example after a suspension."""
    rows = [Conversation(post_id, post_id) for post_id in post_ids]
    visible = _visible_conversations(rows, viewer)
    return set(post_ids) - {entry.post.id for entry in visible.entries}


def conversation(*, post_id: int, viewer: int) -> ConversationView:
    """Return a conversation as the list shows it, even if the viewer hid it.

    Raises Http404 if there is no such direct post, or if the viewer may not read it.
    """
    row = _direct_row(post_id)
    rows = comment_pages.comments_in_time_order(post=post_id, id_range=IdRange(), limit=1)
    newest = rows[0].id if rows else post_id
    seen = visible_entries(rows=[row], viewer=viewer)
    rows_by_post = {post_id: Conversation(post_id, newest)}
    for view in _views(rows_by_post, seen, viewer, _unread_posts(viewer)):
        return view
    raise Http404("No such conversation.")


def messages_page(
    *,
    post_id: int,
    viewer: int,
    after: int | None = None,
    before: int | None = None,
    around: int | None = None,
) -> MessagesPage:
    """Return the newest messages of a conversation, or those above ``after`` or below ``before``.

    If the newest messages do not include the comment ``around``, the page begins with this comment.
    Raises Http404 like ``conversation``.
    """
    row = _direct_row(post_id)
    seen = visible_entries(rows=[row], viewer=viewer)
    views = post_views(shown=seen.entries, seen=seen)
    if not views:
        raise Http404("No such conversation.")
    (post,) = views
    rows = _rows(post_id, None, None)
    newest_id = rows[0].id if rows else post_id
    if around is not None and len(rows) > MESSAGES_PER_PAGE and rows[-2].id > around:
        after, before = max(0, around - 1), None
    if after is not None or before is not None:
        rows = _rows(post_id, after, before)
    rows, has_more = rows[:MESSAGES_PER_PAGE], len(rows) > MESSAGES_PER_PAGE
    if after is None:
        rows.reverse()
    comments = comments_with_posts(
        rows=rows, posts={post.id: post}, viewer=viewer, include_muted=False
    )
    has_older = has_more if after is None else after > post_id
    has_newer = before is not None if after is None else has_more
    return MessagesPage(
        # The page shows all comments, so the post needs no excerpts.
        post=replace(post, newest_comments=()),
        others=_others(post, viewer),
        comments=tuple(comment.comment for comment in comments),
        older_cursor=str(rows[0].id if rows else (after or 0) + 1) if has_older else None,
        newer_cursor=str(rows[-1].id if rows else (before or 1) - 1) if has_newer else None,
        newest_id=newest_id,
    )


def _rows(post_id: int, after: int | None, before: int | None) -> list[Comment]:
    return comment_pages.comments_in_time_order(
        post=post_id,
        id_range=IdRange(after or 0, before, is_ascending=after is not None),
        limit=MESSAGES_PER_PAGE + 1,
    )


def _direct_row(post_id: int) -> PostRow:
    row = posts.by_ids(ids=[post_id]).get(post_id)
    if row is None or row.visibility != Post.Visibility.DIRECT:
        raise Http404("No such conversation.")
    return row


def _visible_conversations(rows: Sequence[Conversation], viewer: int) -> VisibleEntries:
    post_rows = posts.by_ids(ids=[row.post for row in rows]) if rows else {}
    return visible_entries(
        rows=[post_rows[row.post] for row in rows if row.post in post_rows],
        viewer=viewer,
        should_filter=True,
    )


def _views(
    rows_by_post: dict[int, Conversation],
    seen: VisibleEntries,
    viewer: int,
    unread: frozenset[int],
) -> list[ConversationView]:
    """Return the views of the visible entries, in their order."""
    if not seen.entries:
        return []
    views = {view.id: view for view in post_views(shown=seen.entries, seen=seen)}
    last_comments = _last_visible_comments(
        {post: rows_by_post[post].newest for post in views}, views, viewer
    )
    return [
        ConversationView(
            post=view,
            others=_others(view, viewer),
            last_comment=last_comments.get(view.id),
            newest_id=rows_by_post[view.id].newest,
            is_unread=view.id in unread,
        )
        for view in views.values()
    ]


def _unread_posts(viewer: int) -> frozenset[int]:
    union = read_union(queries=[query(viewer) for query in providers.unread_posts_queries])
    return frozenset(document["post"] for document in union.having("post"))


def _last_visible_comments(
    newest_by_post: dict[int, int], views: dict[int, PostView], viewer: int
) -> dict[int, CommentWithPost]:
    rows = comment_pages.last_comments(
        newest_by_post={post: newest for post, newest in newest_by_post.items() if newest != post}
    )
    last_comments: dict[int, CommentWithPost] = {}
    if rows:
        for comment in comments_with_posts(
            rows=rows, posts=views, viewer=viewer, include_muted=False
        ):
            last_comments.setdefault(comment.post.id, comment)
    return last_comments


def _others(post: PostView, viewer: int) -> tuple[UserCard, ...]:
    return tuple(card for card in post.participants if card.uid != viewer)
