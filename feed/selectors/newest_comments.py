"""The newest comments of everybody, for moderators: listed, and searched within bounds."""

from dataclasses import dataclass

from feed.models import Post
from feed.store import comment_pages, posts
from feed.store.comments import Comment

SEARCHED_COMMENTS = 2000
"""Of so many comments at least, the newest, those of one person or with some words are found."""


@dataclass(frozen=True, slots=True)
class CommentRowsPage:
    """``older``: the cursor of the next page, None on the last."""

    comments: list[Comment]
    older_cursor: int | None


def newest_comments_page(
    *, limit: int, below: int | None = None, author: int = 0, text: str = "", include_direct: bool
) -> CommentRowsPage:
    """With ``uid`` or ``words``: of these, among the newest ``SEARCHED_COMMENTS``. Three commands.

    Without what is said to direct posts, unless ``with_direct``: a page may be short for that.
    """
    among = SEARCHED_COMMENTS if author or text else 0
    found = comment_pages.newest_comments(
        below=below, limit=limit + 1, max_examined=among, uid=author, text=text
    )
    older = found[limit - 1].id if len(found) > limit else None
    return CommentRowsPage(_readable(found[:limit], include_direct), older)


def comment_page_by_id(*, comment_id: int, include_direct: bool) -> CommentRowsPage:
    found = comment_pages.newest_comments(below=comment_id + 1, limit=1)
    return CommentRowsPage(
        _readable([one for one in found if one.id == comment_id], include_direct), None
    )


def _readable(found: list[Comment], with_direct: bool) -> list[Comment]:
    rows = posts.by_ids(ids={one.post for one in found})
    return [
        one
        for one in found
        if one.post in rows and (with_direct or rows[one.post].visibility != Post.Visibility.DIRECT)
    ]
