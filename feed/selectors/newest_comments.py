"""The newest comments of everybody, for moderators: listed, and searched within bounds."""

from dataclasses import dataclass

from feed.models import Post
from feed.store import newest_comments, posts
from feed.store.comments import Comment

SEARCHED_COMMENTS = 2000
"""Of so many comments at least, the newest, those of one person or with some words are found."""


@dataclass(frozen=True, slots=True)
class CommentList:
    """``older``: the cursor of the next page, None on the last."""

    comments: list[Comment]
    older: int | None


def newest_comments_page(
    *, limit: int, below: int | None = None, uid: int = 0, words: str = "", with_direct: bool
) -> CommentList:
    """With ``uid`` or ``words``: of these, among the newest ``SEARCHED_COMMENTS``. Three commands.

    Without what is said to direct posts, unless ``with_direct``: a page may be short for that.
    """
    among = SEARCHED_COMMENTS if uid or words else 0
    found = newest_comments.newest(below=below, limit=limit + 1, among=among, uid=uid, words=words)
    older = found[limit - 1].id if len(found) > limit else None
    return CommentList(_readable(found[:limit], with_direct), older)


def comments_with_id(*, id: int, with_direct: bool) -> CommentList:
    found = newest_comments.newest(below=id + 1, limit=1)
    return CommentList(_readable([one for one in found if one.id == id], with_direct), None)


def _readable(found: list[Comment], with_direct: bool) -> list[Comment]:
    rows = posts.by_ids(ids={one.post for one in found})
    return [
        one
        for one in found
        if one.post in rows and (with_direct or rows[one.post].visibility != Post.Visibility.DIRECT)
    ]
