"""Posts and comments in one list.

A list costs the same number of commands however long it is, and two more where there are comments in it.
"""

from collections.abc import Sequence

from feed.store import comments, posts

from .comments import CommentOnPost, comments_on
from .lists import readable_by
from .pages import PostView, post_views

Writing = PostView | CommentOnPost


def writings(*, ids: Sequence[int], viewer: int | None) -> dict[int, Writing]:
    """Those of these posts, shares and comments that the viewer may read, by their ids, in this order."""
    rows = posts.by_ids(ids=ids) if ids else {}
    missing = [one for one in ids if one not in rows]
    said = comments.by_ids(ids=missing) if missing else {}
    about = {one.post for one in said.values()} - rows.keys()
    every = rows | (posts.by_ids(ids=about) if about else {})
    seen = readable_by(rows=list(every.values()), viewer=viewer)
    views = {view.entry: view for view in post_views(shown=seen.shown, seen=seen)}
    found: dict[int, Writing] = {one: view for one, view in views.items() if one in rows}
    if said:
        placed = comments_on(rows=list(said.values()), posts=views, viewer=viewer, with_muted=True)
        found |= {one.comment.id: one for one in placed}
    return {one: found[one] for one in ids if one in found}
