"""The quiet people first: of what is new, the latest of those who write least."""

from collections import defaultdict

from feed.selectors.pages import TimelinePage, post_views
from feed.selectors.visibility import VisibleEntry
from feed.store import reading
from feed.store.post_rows import IdRange

from .candidates import HomeViewer, newest_candidates
from .home import visible_candidates

MAX_EXAMINED = 500
"""Who writes little is told from so many of the newest entries."""


def quiet_authors_page(*, viewer: int, limit: int, offset: int = 0) -> TimelinePage:
    """The newest post of each followed person, of the rarest writers first.

    ``after``: how many people came on earlier pages; ``older`` is the number for the next.
    """
    me = HomeViewer(uid=viewer, state=reading.home_state(viewer=viewer))
    found = newest_candidates(viewer=me, id_range=IdRange(), limit=MAX_EXAMINED, reach_id=0)
    seen = visible_candidates(reader=me, candidates=found, limit=MAX_EXAMINED)
    by_author: dict[int, list[VisibleEntry]] = defaultdict(list)
    for one in seen.entries[:MAX_EXAMINED]:
        if one.entry.author != viewer and one.entry.author in seen.relationships.followed:
            by_author[one.entry.author].append(one)
    rarest = sorted(by_author.values(), key=lambda entries: (len(entries), -entries[0].entry.id))
    page = [entries[0] for entries in rarest[offset : offset + limit]]
    return TimelinePage(
        posts=post_views(shown=page, seen=seen),
        older_cursor=str(offset + limit) if len(rarest) > offset + limit else None,
        newer_cursor=None,
        is_backfilling=found.is_building,
    )
