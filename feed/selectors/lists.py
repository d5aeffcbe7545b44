"""Other lists of posts: everybody's and one person's; and the one road from a URL to a post."""

from django.http import Http404

from accounts.ids import MAX_ID
from feed.store import posts
from feed.store.posts import PostRow

from .pages import PostView, TimelinePage, post_views


def public_page(
    *,
    viewer: int | None,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
) -> TimelinePage:
    """What everybody has posted."""
    return _page(None, viewer, limit, max_id, min_id)


def profile_page(
    *,
    author: int,
    viewer: int | None,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
) -> TimelinePage:
    """What one person has posted."""
    return _page([author], viewer, limit, max_id, min_id)


def post(*, post_id: int, viewer: int | None) -> PostView:
    """Raises Http404 for posts that are gone and for those the viewer may not see, alike."""
    found = posts.by_ids(ids=[post_id])
    for view in post_views(rows=list(found.values()), viewer=viewer):
        return view
    raise Http404("No such post.")


def _page(
    authors: list[int] | None,
    viewer: int | None,
    limit: int,
    max_id: int | None,
    min_id: int | None,
) -> TimelinePage:
    if min_id is not None and max_id is None:
        rows = posts.by_authors_upwards(authors=authors, above=min_id, limit=limit + 1)
        shown = rows[:limit][::-1]
        return TimelinePage(
            posts=post_views(rows=shown, viewer=viewer),
            older=str(shown[-1].id if shown else min(MAX_ID, min_id + 1)),
            newer=_cursor(shown, 0) if len(rows) > limit else None,
        )
    rows = posts.by_authors(authors=authors, below=max_id, limit=limit + 1)
    shown = rows[:limit]
    newer = None
    if max_id is not None:
        newer = _cursor(shown, 0) or str(max(0, max_id - 1))
    return TimelinePage(
        posts=post_views(rows=shown, viewer=viewer),
        older=_cursor(shown, -1) if len(rows) > limit else None,
        newer=newer,
    )


def _cursor(rows: list[PostRow], position: int) -> str | None:
    return str(rows[position].id) if rows else None
