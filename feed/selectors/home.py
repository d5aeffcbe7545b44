"""The home timeline: what the reader's inbox holds, and below its floor what the followed people have
posted, with no seam between the two, down to the first post ever.

Who may be seen is decided here, on what is about to be shown, and not when posts are delivered: so
following and unfollowing act at once and touch no inbox. A cursor is the id of the last entry
*examined*; any id works, also that of a post which is gone.
"""

from dataclasses import dataclass

from accounts import selectors as people
from accounts.ids import MAX_ID
from feed import strategies
from feed.store import posts
from feed.store.posts import PostRow

from .pages import TimelinePage, post_views

EXAMINED = 250
"""At most so many entries are looked at for one page, so that filtering always ends."""


@dataclass(frozen=True, slots=True)
class _Stretch:
    """Rows to show and, if there are further entries that way, the id to go on from."""

    rows: list[PostRow]
    next: int | None


def home_page(
    *, reader: int, limit: int, max_id: int | None = None, min_id: int | None = None
) -> TimelinePage:
    """The newest posts below ``max_id``, or those just above ``min_id``, or the newest of all."""
    if min_id is not None and max_id is None:
        return _page_above(reader, min_id, limit)
    found = _below(reader, MAX_ID if max_id is None else max_id, limit)
    newer = None
    if max_id is not None:
        newer = found.rows[0].id if found.rows else max(0, max_id - 1)
    reason = "" if found.rows or found.next or max_id is not None else _why_empty(reader)
    return TimelinePage(
        posts=post_views(rows=found.rows, viewer=reader),
        older=_cursor(found.next),
        newer=_cursor(newer),
        reason=reason,
    )


def _page_above(reader: int, min_id: int, limit: int) -> TimelinePage:
    found = _above(reader, min_id, limit)
    oldest = found.rows[-1].id if found.rows else min(MAX_ID, min_id + 1)
    return TimelinePage(
        posts=post_views(rows=found.rows, viewer=reader),
        older=_cursor(oldest),
        newer=_cursor(found.next),
    )


def _below(reader: int, below: int, limit: int) -> _Stretch:
    held = strategies.current().entries(reader=reader)
    if below <= held.floor + 1:
        return _from_posts(reader, below, limit)
    ids = [one for one in held.newest if one < below]
    if len(ids) > limit:
        return _examine(reader, ids, limit, more_after=True)
    everything, floor = held.everything()
    ids = [one for one in everything if one < below]
    if len(ids) > limit or not floor:
        return _examine(reader, ids, limit, more_after=floor > 0)
    # The page crosses the floor. What an inbox holds are posts of the same people, so the posts
    # answer for both sides at once.
    return _from_posts(reader, below, limit)


def _above(reader: int, above: int, limit: int) -> _Stretch:
    ids, floor = strategies.current().entries(reader=reader).everything()
    if above < floor:
        rows = posts.by_authors_upwards(authors=_authors(reader), above=above, limit=limit + 1)
        shown = rows[:limit]
        return _Stretch(shown[::-1], shown[-1].id if len(rows) > limit else None)
    upwards = [one for one in reversed(ids) if one > above]
    found = _examine(reader, upwards, limit, more_after=False)
    return _Stretch(found.rows[::-1], found.next)


def _examine(reader: int, ids: list[int], limit: int, *, more_after: bool) -> _Stretch:
    """The first ``limit`` visible posts of ``ids``, in their order.

    ``more_after``: whether there is anything to go on to behind the last of ``ids``.
    """
    examined = ids[:EXAMINED]
    known = posts.by_ids(ids=examined)
    authors = {row.author for row in known.values()} - {reader}
    visible = people.followees_among(uid=reader, uids=authors) | {reader} if known else set()
    rows = [known[one] for one in examined if one in known and known[one].author in visible]
    if len(rows) > limit:
        return _Stretch(rows[:limit], rows[limit - 1].id)
    more = more_after or len(ids) > EXAMINED
    return _Stretch(rows, examined[-1] if more and examined else None)


def _from_posts(reader: int, below: int, limit: int) -> _Stretch:
    """Fan-out on read: what the followed people have posted, whatever any inbox holds."""
    rows = posts.by_authors(authors=_authors(reader), below=below, limit=limit + 1)
    shown = rows[:limit]
    return _Stretch(shown, shown[-1].id if len(rows) > limit else None)


def _authors(reader: int) -> set[int]:
    return {reader, *people.followees(uid=reader)}


def _why_empty(reader: int) -> str:
    return "nobody_posted" if people.followees(uid=reader) else "follows_nobody"


def _cursor(id: int | None) -> str | None:
    return None if id is None else str(id)
