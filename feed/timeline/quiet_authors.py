"""Pages with the newest posts of the followed users who post least.

The page first reads only the ids and authors of the newest posts, and then the posts that it shows.
"""

from collections import defaultdict

from feed.selectors.post_view import PostView
from feed.selectors.shown_posts import post_views
from feed.selectors.timeline_pages import TimelinePage
from feed.selectors.visibility import VisibleEntry
from feed.store import posts

from .candidates import Candidates, HomeViewer
from .home import visible_candidates

MAX_COUNTED = 500
"""Number of newest posts in which the posts of each author are counted."""

READ_PER_AUTHOR = 3
"""Number of newest posts of an author of which the page shows the first visible one."""

MAX_READS = 3
"""If posts are hidden, the page reads the posts of more authors, at most this many times."""


def quiet_authors_page(*, viewer: int, limit: int, offset: int = 0) -> TimelinePage:
    """Return the newest post of each followed user, the least active authors first.

    ``offset`` is the number of authors on earlier pages. ``older_cursor`` is the offset of the next page.
    """
    home_viewer = HomeViewer(uid=viewer, with_followees=True)
    least_active_first = _least_active_first(home_viewer)
    page: list[PostView] = []
    for _read in range(MAX_READS):
        part = least_active_first[offset : offset + limit - len(page)]
        if part:
            page += _newest_visible_posts(home_viewer, part)
            offset += len(part)
    return TimelinePage(
        posts=tuple(page),
        older_cursor=str(offset) if offset < len(least_active_first) else None,
        newer_cursor=None,
    )


def _least_active_first(home_viewer: HomeViewer) -> list[list[int]]:
    """Return the ids of the newest posts of each author, newest first."""
    authors = home_viewer.source_authors() - {home_viewer.uid}
    ids_by_author: dict[int, list[int]] = defaultdict(list)
    if authors:
        for post_id, author in posts.ids_and_authors(
            authors=authors,
            viewer=home_viewer.uid,
            kinds=home_viewer.visible_kinds,
            limit=MAX_COUNTED,
        ):
            ids_by_author[author].append(post_id)
    return sorted(ids_by_author.values(), key=lambda ids: (len(ids), -ids[0]))


def _newest_visible_posts(
    home_viewer: HomeViewer, ids_by_author: list[list[int]]
) -> tuple[PostView, ...]:
    """Return the newest visible post of each author, without authors whose newest posts are hidden."""
    ids = [post_id for author_ids in ids_by_author for post_id in author_ids[:READ_PER_AUTHOR]]
    candidates = Candidates(sorted(ids, reverse=True), posts.by_ids(ids=ids), has_more=False)
    seen = visible_candidates(
        home_viewer=home_viewer, candidates=candidates, limit=len(candidates.ids)
    )
    visible = {shown.entry.id: shown for shown in seen.entries}
    newest: list[VisibleEntry] = []
    for author_ids in ids_by_author:
        newest += [visible[post_id] for post_id in author_ids if post_id in visible][:1]
    return post_views(shown=newest, seen=seen)
