"""Posts that have just come, for streams: of these ids those that belong to a timeline, the oldest first.

Each timeline has the rules of its page, asked at this moment.
"""

from collections.abc import Collection, Sequence

from feed.activities import activity
from feed.models import Post
from feed.store import posts, reading
from feed.store.rows import PostRow

from .candidates import Candidates, Reader
from .home import seen_by
from .lists import readable_by
from .pages import PostView, post_views


def arrived_at_home(*, reader: int, ids: Collection[int]) -> tuple[PostView, ...]:
    me = Reader(uid=reader, before=reading.before_home(reader=reader))
    rows = posts.by_ids(ids=ids)
    newest_first = sorted(rows, reverse=True)
    found = Candidates(newest_first, rows, more=False)
    seen = seen_by(reader=me, candidates=found, limit=len(newest_first))
    return post_views(shown=seen.shown, seen=seen)[::-1]


def arrived_in_public(*, viewer: int | None, ids: Collection[int]) -> tuple[PostView, ...]:
    return _wanted([one for one in _rows(ids) if _is_listed(one)], viewer)


def arrived_on_list(
    *, owner: int, uids: Collection[int], ids: Collection[int]
) -> tuple[PostView, ...]:
    """``uids``: who is on the list."""
    return _wanted([one for one in _rows(ids) if one.author in uids], owner)


def _rows(ids: Collection[int]) -> list[PostRow]:
    return [row for _id, row in sorted(posts.by_ids(ids=ids).items())]


def _is_listed(row: PostRow) -> bool:
    is_public = row.visibility == Post.Visibility.PUBLIC and row.share_of is None
    return is_public and activity(row.kind).is_written


def _wanted(rows: Sequence[PostRow], viewer: int | None) -> tuple[PostView, ...]:
    seen = readable_by(rows=rows, viewer=viewer, wanted=True)
    return post_views(shown=seen.shown, seen=seen)
