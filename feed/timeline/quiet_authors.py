"""Pages with the newest posts of the followed users who post least."""

from collections import defaultdict

from feed.selectors.pages import TimelinePage, post_views
from feed.selectors.visibility import VisibleEntry
from feed.store import home_states
from feed.store.post_rows import IdRange

from .candidates import HomeViewer, newest_candidates
from .home import visible_candidates

MAX_EXAMINED = 500
"""Number of newest entries of the home timeline in which the posts of each author are counted."""


def quiet_authors_page(*, viewer: int, limit: int, offset: int = 0) -> TimelinePage:
    """Return the newest post of each followed user, the least active authors first.

    ``offset`` is the number of authors on earlier pages. ``older_cursor`` is the offset of the next page.
    """
    home_viewer = HomeViewer(uid=viewer, state=home_states.home_state(viewer=viewer))
    candidates = newest_candidates(
        home_viewer=home_viewer, id_range=IdRange(), limit=MAX_EXAMINED, reach_id=0
    )
    seen = visible_candidates(home_viewer=home_viewer, candidates=candidates, limit=MAX_EXAMINED)
    by_author: dict[int, list[VisibleEntry]] = defaultdict(list)
    for visible in seen.entries[:MAX_EXAMINED]:
        author = visible.entry.author
        if author != viewer and author in seen.relationships.followed:
            by_author[author].append(visible)
    least_active_first = sorted(
        by_author.values(), key=lambda entries: (len(entries), -entries[0].entry.id)
    )
    page = [entries[0] for entries in least_active_first[offset : offset + limit]]
    return TimelinePage(
        posts=post_views(shown=page, seen=seen),
        older_cursor=str(offset + limit) if len(least_active_first) > offset + limit else None,
        newer_cursor=None,
        is_backfilling=candidates.is_building,
    )
