"""Posts that have just come, for streams: of these ids those that belong to a timeline, the oldest first.

Each timeline has the rules of its page, asked at this moment.
"""

from collections.abc import Collection, Sequence

from feed.activities import activity_kind
from feed.models import Post
from feed.store import posts, reading
from feed.store.post_rows import PostRow
from feed.timeline.candidates import Candidates, HomeViewer
from feed.timeline.home import visible_candidates

from .lists import visible_entries
from .pages import PostView, post_views


def new_posts_at_home(*, viewer: int, post_ids: Collection[int]) -> tuple[PostView, ...]:
    me = HomeViewer(uid=viewer, state=reading.home_state(viewer=viewer))
    rows = posts.by_ids(ids=post_ids)
    newest_first = sorted(rows, reverse=True)
    found = Candidates(newest_first, rows, has_more=False)
    seen = visible_candidates(reader=me, candidates=found, limit=len(newest_first))
    return post_views(shown=seen.entries, seen=seen)[::-1]


def new_posts_in_public(*, viewer: int | None, post_ids: Collection[int]) -> tuple[PostView, ...]:
    return _wanted([one for one in _rows(post_ids) if _is_listed(one)], viewer)


def new_posts_on_list(
    *, owner: int, uids: Collection[int], post_ids: Collection[int]
) -> tuple[PostView, ...]:
    """``uids``: who is on the list."""
    return _wanted([one for one in _rows(post_ids) if one.author in uids], owner)


def _rows(ids: Collection[int]) -> list[PostRow]:
    return [row for _id, row in sorted(posts.by_ids(ids=ids).items())]


def _is_listed(row: PostRow) -> bool:
    is_public = row.visibility == Post.Visibility.PUBLIC and row.share_of is None
    return is_public and activity_kind(row.kind).is_written


def _wanted(rows: Sequence[PostRow], viewer: int | None) -> tuple[PostView, ...]:
    seen = visible_entries(rows=rows, viewer=viewer, should_filter=True)
    return post_views(shown=seen.entries, seen=seen)
