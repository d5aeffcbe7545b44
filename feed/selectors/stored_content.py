"""Posts and comments as they are stored, whoever may see them, for notifications and moderation."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from accounts.infra.ids import first_id_at
from accounts.infra.store.unions import read_union
from accounts.selectors.follow_graph import has_subscriber_in, subscriber_queries
from accounts.selectors.relationships import Relationships, recipient_relationships
from feed.activities import activity_kind
from feed.models import Post
from feed.store import attributes, comment_pages, comments, hidden_comments, posts, quotes, shares
from feed.store.comment_rows import Comment
from feed.store.post_rows import IdRange, PostRow

from .visibility import can_view, can_view_comment

SEARCHED_COMMENTS = 2000
"""A search by author or text examines at least this many of the newest comments."""

MAX_REVIEWERS = 1000
"""The authors of at most this many newest reviews of an item are notified."""


@dataclass(frozen=True, slots=True)
class ReviewedComment:
    """A comment as moderators see it. ``parent`` is the id of the answered comment, 0 if there is none.

    ``visibility`` is as in ``store.comment_rows.Comment``.
    """

    uid: int
    text: str
    parent: int
    is_hidden: bool
    content_warning: str
    visibility: str


def post_row(*, post_id: int) -> PostRow | None:
    """Return the row of a post, or None if the post is deleted. Costs one database command."""
    return posts.by_ids(ids=[post_id]).get(post_id)


def post_row_with_subscribers(*, post_id: int, author: int) -> tuple[PostRow | None, bool]:
    """Return the row of a post and whether the author has subscribers. Costs one database command."""
    union = read_union(
        queries=[*posts.post_queries(id=post_id), *subscriber_queries(followee=author)]
    )
    return posts.post_in(union=union), has_subscriber_in(union=union)


def full_text(*, post: PostRow) -> str:
    """Return the text of a post with the text of its kind, such as the choices of a poll."""
    return "\n".join(filter(None, (post.text, activity_kind(post.kind).full_text(post.details))))


def comment_row(*, post_id: int, comment_id: int) -> Comment | None:
    """Return the row of a comment, or None if the comment is deleted. Costs one database command."""
    comment = comments.get_comment(post=post_id, id=comment_id)
    return None if comment is None or comment.is_deleted else comment


def reviewed_comment(*, post_id: int, comment_id: int) -> ReviewedComment | None:
    """Return a visible or hidden comment, or None if the comment is deleted.

    Costs one database command for a visible comment, otherwise two.
    """
    comment = comments.get_comment(post=post_id, id=comment_id)
    if comment is None:
        return None
    shown = ReviewedComment(
        uid=comment.uid,
        text=comment.text,
        parent=comment.parent_id,
        is_hidden=comment.is_deleted,
        content_warning=comment.content_warning,
        visibility=comment.visibility,
    )
    if not comment.is_deleted:
        return shown
    content = hidden_comments.hidden_content(post=post_id, id=comment_id)
    if content is None:
        return None
    names = ("uid", "text", "content_warning", "visibility")
    return replace(shown, **{name: content[name] for name in names if name in content})


def ids_pending_review(*, limit: int) -> list[int]:
    """Return the ids of posts pending review, oldest first."""
    pending = Post.objects.filter(hidden=Post.Hidden.PENDING).order_by("pk")
    return list(pending.values_list("pk", flat=True)[:limit])


def comments_by_ids(*, comment_ids: Collection[int]) -> dict[int, Comment]:
    """Return the existing comments by id. Callers check visibility with ``visible_post_views``."""
    return comments.by_ids(ids=comment_ids) if comment_ids else {}


def readable_comments(
    *, comment_ids: Collection[int], viewer: int, relationships: Relationships
) -> dict[int, Comment]:
    """Return the existing comments by id, without limited comments that the viewer may not read.

    Callers check the visibility of the posts. ``relationships`` include those to the authors.
    """
    return {
        comment_id: comment
        for comment_id, comment in comments_by_ids(comment_ids=comment_ids).items()
        if can_view_comment(comment=comment, viewer=viewer, relationships=relationships)
    }


def other_reviewers(*, post: PostRow) -> list[int]:
    """Return the uids of other users who reviewed the same item. Empty if the post is not a review.

    Costs one database command for a review, otherwise none.
    """
    item_names = [
        attribute["value"] for attribute in post.attributes if attribute["kind"] == "item"
    ]
    if post.kind != "review" or not item_names:
        return []
    reviews = attributes.posts_about(
        kind="item", value=item_names[0], id_range=IdRange(), limit=MAX_REVIEWERS
    )
    return list(dict.fromkeys(row.author for row in reviews if row.author != post.author))


def quoted_author(*, post: PostRow) -> list[int]:
    """Return the uid of the author of the quoted post, [] if there is none or the quote is revoked.

    Costs one database command for a quote, otherwise none.
    """
    if post.quoted_id is None or post.is_quote_revoked:
        return []
    return list(posts.authors_of(ids=[post.quoted_id]).values())


def quotes_after(*, post: int, cursor: int, limit: int) -> list[tuple[int, int]]:
    """Return ``(post id, author)`` of the quotes of a post above the id ``cursor``, the oldest first.

    Revoked quotes are left out. Costs one database command.
    """
    id_range = IdRange(above=cursor, is_ascending=True)
    rows = quotes.quotes_of(post=post, id_range=id_range, limit=limit)
    return [(row.id, row.author) for row in rows]


def shares_after(*, post: int, cursor: int, limit: int) -> list[tuple[int, int]]:
    """Return ``(share id, author)`` of the shares of a post above the id ``cursor``, the oldest first.

    Costs one database command.
    """
    rows = shares.shares_of_post(post=post, id_range=IdRange(above=cursor), limit=limit)
    return [(row.id, row.author) for row in rows]


def uids_with_access(*, post: PostRow, uids: Collection[int]) -> set[int]:
    """Return those ``uids`` whose users may read the post (``can_view``). Costs one database command."""
    all_relationships = recipient_relationships(recipients=uids, actor=post.author)
    return {
        uid
        for uid in uids
        if can_view(
            post=post,
            viewer=uid,
            relationships=all_relationships.for_recipient(uid, actor=post.author),
        )
    }


def uids_with_access_to_comment(
    *, author: int, visibility: str, recipients: Collection[int], uids: Collection[int]
) -> set[int]:
    """Return those ``uids`` of readers of the post who may also read a comment, as ``can_view_comment``.

    ``visibility`` and ``recipients`` are as in ``store.comment_rows.Comment``. Costs one database
    command for a comment for followers, otherwise none.
    """
    if not visibility:
        return set(uids)
    readers = {author, *recipients}
    if visibility == Post.Visibility.FOLLOWERS:
        readers |= recipient_relationships(recipients=uids, actor=author).followers
    return readers.intersection(uids)


def post_ids_since(*, author: int, since: datetime, limit: int) -> list[int]:
    """Return the ids of a user's posts since a time, newest first, without shares and direct posts."""
    author_posts = Post.objects.filter(
        author_id=author, pk__gte=first_id_at(moment=since), share_of=None
    )
    visible_posts = author_posts.exclude(visibility=Post.Visibility.DIRECT).order_by("-pk")
    return list(visible_posts.values_list("pk", flat=True)[:limit])


def posts_by_id(*, ids: Sequence[int]) -> list[Post]:
    """Return the existing posts in the order of ``ids``."""
    posts_by_id = Post.objects.in_bulk(list(ids))
    return [posts_by_id[post_id] for post_id in ids if post_id in posts_by_id]


@dataclass(frozen=True, slots=True)
class CommentRowsPage:
    """A page of comments. ``older_cursor`` is None on the last page."""

    comments: list[Comment]
    older_cursor: int | None


def newest_comments_page(
    *, limit: int, below: int | None = None, author: int = 0, text: str = "", include_direct: bool
) -> CommentRowsPage:
    """Return the newest comments, or the newest comments by an author or with a text.

    A search covers only about ``SEARCHED_COMMENTS`` comments. Costs three database commands.

    Args:
        below: exclusive upper bound of comment ids, None for the first page.
        author: uid of the author to search for, 0 for any author.
        text: text to search for, "" for any text.
        include_direct: False to drop comments on direct posts, and comments only for mentioned people. The
            page may then be short.
    """
    max_examined = SEARCHED_COMMENTS if author or text else 0
    rows = comment_pages.newest_comments(
        below=below, limit=limit + 1, max_examined=max_examined, uid=author, text=text
    )
    older = rows[limit - 1].id if len(rows) > limit else None
    return CommentRowsPage(_drop_hidden(rows[:limit], include_direct), older)


def comment_page_by_id(*, comment_id: int, include_direct: bool) -> CommentRowsPage:
    rows = comment_pages.newest_comments(below=comment_id + 1, limit=1)
    return CommentRowsPage(
        _drop_hidden([comment for comment in rows if comment.id == comment_id], include_direct),
        None,
    )


def _drop_hidden(rows: list[Comment], with_direct: bool) -> list[Comment]:
    posts_by_id = posts.by_ids(ids={comment.post for comment in rows})
    return [
        comment
        for comment in rows
        if comment.post in posts_by_id
        and (
            with_direct
            or Post.Visibility.DIRECT
            not in (comment.visibility, posts_by_id[comment.post].visibility)
        )
    ]
