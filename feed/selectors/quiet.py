"""The quiet people first: of what is new, the latest of those who write least."""

from collections import defaultdict

from feed.store import reading
from feed.store.rows import Bounds

from .candidates import Reader, downwards
from .home import seen_by
from .pages import TimelinePage, post_views
from .visible import Shown

LOOKED_AT = 500
"""Who writes little is told from so many of the newest entries."""


def quiet_page(*, reader: int, limit: int, after: int = 0) -> TimelinePage:
    """The newest post of each followed person, of the rarest writers first.

    ``after``: how many people came on earlier pages; ``older`` is the number for the next.
    """
    me = Reader(uid=reader, before=reading.before_home(reader=reader))
    found = downwards(reader=me, bounds=Bounds(), limit=LOOKED_AT, reach=0)
    seen = seen_by(reader=me, candidates=found, limit=LOOKED_AT)
    by_author: dict[int, list[Shown]] = defaultdict(list)
    for one in seen.shown[:LOOKED_AT]:
        if one.entry.author != reader and one.entry.author in seen.relations.follows:
            by_author[one.entry.author].append(one)
    rarest = sorted(by_author.values(), key=lambda entries: (len(entries), -entries[0].entry.id))
    page = [entries[0] for entries in rarest[after : after + limit]]
    return TimelinePage(
        posts=post_views(shown=page, seen=seen),
        older=str(after + limit) if len(rarest) > after + limit else None,
        newer=None,
        being_built=found.being_built,
    )
