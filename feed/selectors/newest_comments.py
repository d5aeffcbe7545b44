"""Read and search the newest comments of all users, for moderators."""

from dataclasses import dataclass

from feed.models import Post
from feed.store import comment_pages, posts
from feed.store.comment_rows import Comment

SEARCHED_COMMENTS = 2000
"""A search by author or text examines at least this many of the newest comments."""


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
