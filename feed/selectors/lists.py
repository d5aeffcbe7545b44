"""Public, profile, attribute, direct and search pages, and ``visible_post``, which resolves a post URL."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from django.http import Http404
from django.utils import timezone

from accounts.infra.ids import MAX_ID
from accounts.selectors.relationships import relationships
from feed.activities import kinds
from feed.models import Post
from feed.store import attributes, filters, interactions, posts, text_search
from feed.store.post_rows import IdRange, PostRow
from feed.text.phrases import has_unspaced_script

from .filters import ActiveFilters
from .pages import PostView, TimelinePage, post_views
from .visibility import VisibleEntries, VisibleEntry, involved_uids, visible_entry

READ_FACTORS = (2, 10, 50)
"""How many rows a page reads, as multiples of its length: first, and again where most are hidden."""

MAX_ROWS = 2_000
"""Maximum number of rows in one read."""


class RowReader(Protocol):
    def __call__(self, *, id_range: IdRange, limit: int) -> list[PostRow]: ...


def public_page(
    *,
    viewer: int | None,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
    only_with_pictures: bool = False,
) -> TimelinePage:
    """What everybody has posted for everybody, without those whom the viewer has muted; or only posts
    ``with_pictures``."""
    upwards, bounds = direction(max_id, min_id, since_id)
    listed = [kind.name for kind in kinds() if kind.is_written]
    return read_visible_page(
        read=partial(posts.public_posts, kinds=listed, ascending=upwards),
        belongs_to_page=_has_pictures if only_with_pictures else None,
        viewer=viewer,
        limit=limit,
        bounds=bounds,
        is_upwards=upwards,
        should_filter=True,
    )


def _has_pictures(row: PostRow) -> bool:
    return bool(row.media)


def profile_page(
    *,
    author: int,
    viewer: int | None,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
    can_view_posts: bool = True,
    is_following: bool = False,
    only_with_pictures: bool = False,
    exclude_shares: bool = False,
    tag: str = "",
) -> TimelinePage:
    """What one person has posted and shared, as far as the viewer may read it; or only what is ``written``
    and not shared, has pictures, or a hashtag.

    What the viewer may not read is not even examined (``is_open``, ``is_following``: as in
    ``Profile``): a cursor would tell when it was written. What is looked for is looked for among
    ``narrowed.EXAMINED`` posts at a time: a short page is not the end.
    """
    upwards, bounds = direction(max_id, min_id, since_id)
    kept_back = Post.Visibility.values
    if can_view_posts:
        kept_back = ["direct"] if is_following or author == viewer else ["direct", "followers"]
    only = posts.author_filter(
        with_pictures=only_with_pictures, without_shares=exclude_shares, hashtag=tag
    )
    examined, end = bounds, None
    if only:
        examined, end = posts.examined_range(
            author=author,
            reader=viewer,
            id_range=bounds,
            ascending=upwards,
            excluded_visibilities=kept_back,
        )
    page = read_visible_page(
        read=partial(
            posts.by_authors,
            authors=[author],
            viewer=viewer,
            ascending=upwards,
            excluded_visibilities=kept_back,
            extra_filter=only,
        ),
        viewer=viewer,
        limit=limit,
        bounds=bounds,
        first_read=examined,
        is_upwards=upwards,
        should_filter=False,
    )
    if end is None:
        return page
    if upwards:
        return replace(page, newer_cursor=page.newer_cursor or str(end))
    return replace(page, older_cursor=page.older_cursor or str(end))


def attribute_page(
    *,
    kind: attributes.AttributeKind,
    value: str | Sequence[str],
    viewer: int | None,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
    required_values: Collection[str] = (),
    excluded_values: Collection[str] = (),
    only_with_pictures: bool = False,
) -> TimelinePage:
    """The public posts about something (``store.entities``), such as a hashtag or one of several, without
    those whom the viewer has muted. ``with_all``, ``with_none``: other values that they must have, and that
    they must not have."""
    upwards, bounds = direction(max_id, min_id, since_id)

    def fits(row: PostRow) -> bool:
        values = {entity["value"] for entity in row.attributes if entity["kind"] == kind}
        is_about = values.issuperset(required_values) and values.isdisjoint(excluded_values)
        return is_about and (bool(row.media) or not only_with_pictures)

    return read_visible_page(
        read=partial(attributes.posts_about, kind=kind, value=value, ascending=upwards),
        belongs_to_page=fits,
        viewer=viewer,
        limit=limit,
        bounds=bounds,
        is_upwards=upwards,
        should_filter=True,
    )


def direct_posts_page(
    *,
    reader: int,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> TimelinePage:
    """Return direct posts sent by or to the reader, without those of muted users."""
    upwards, bounds = direction(max_id, min_id, since_id)
    return read_visible_page(
        read=partial(posts.direct_by_or_to, uid=reader, ascending=upwards),
        viewer=reader,
        limit=limit,
        bounds=bounds,
        is_upwards=upwards,
        should_filter=True,
    )


def post_search_page(
    *,
    phrases: Sequence[str],
    viewer: int | None,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    author: int | None = None,
) -> TimelinePage:
    """The public posts with all of these words or phrases, newest first, without those whom the viewer has
    muted; or only those of one ``author``.

    Where words are written without blanks, and of words that very many posts have, a page may be short or
    empty and yet not be the end.
    """
    bounds, further = IdRange(above=min_id or 0, below=max_id), None
    is_scanned = any(map(has_unspaced_script, phrases))

    def read(*, id_range: IdRange, limit: int) -> list[PostRow]:
        nonlocal further, is_scanned
        wanted: dict[str, Any] = {
            "phrases": phrases,
            "id_range": id_range,
            "author": author,
            "limit": limit,
        }
        if not is_scanned:
            try:
                return text_search.posts_with_words(**wanted)
            except text_search.TooManyMatches:
                is_scanned = True
        is_whole = not any(map(has_unspaced_script, phrases))
        rows, further = text_search.posts_containing(**wanted, whole_words=is_whole)
        return rows

    page = read_visible_page(
        read=read,
        viewer=viewer,
        limit=limit,
        bounds=bounds,
        is_upwards=False,
        should_filter=True,
    )
    older = page.older_cursor or (None if further is None else str(further))
    return replace(page, older_cursor=older, newer_cursor=None)


def visible_post(*, post_id: int, viewer: int | None) -> PostView:
    """Return a post visible to the viewer; the id of a share returns the shared post.

    Raises Http404 both for missing posts and for posts that the viewer may not read.
    """
    rows = list(posts.by_ids(ids=[post_id]).values())
    seen = visible_entries(rows=rows, viewer=viewer)
    for view in post_views(shown=seen.entries, seen=seen):
        return view
    raise Http404("No such post.")


def read_visible_page(
    *,
    read: RowReader,
    viewer: int | None,
    limit: int,
    bounds: IdRange,
    is_upwards: bool,
    should_filter: bool,
    first_read: IdRange | None = None,
    belongs_to_page: Callable[[PostRow], bool] | None = None,
) -> TimelinePage:
    """Return a page of up to ``limit`` visible posts, reading on past those that the viewer may not see.

    Otherwise a private account with many posts about a hashtag would empty its page for everybody. The
    reads grow, and there are at most ``len(READS)``. A page may be short, and its cursor goes on there.

    Args:
        read: returns up to so many rows within these bounds, in the order of the page.
        bounds: of the page, for its cursors. ``start``: where to begin to read, if it is not there.
        is_wanted: leave out what the viewer's mutes and filters hide.
        only: which of the rows belong to the page, if not all do.
    """
    rest, seen_parts = first_read or bounds, list[VisibleEntries]()
    visible, further = list[VisibleEntry](), None
    for factor in READ_FACTORS:
        number = min(factor * limit, MAX_ROWS)
        rows = read(id_range=rest, limit=number + 1)
        examined, has_more = rows[:number], len(rows) > number
        fitting = (
            examined
            if belongs_to_page is None
            else [row for row in examined if belongs_to_page(row)]
        )
        seen = visible_entries(rows=fitting, viewer=viewer, should_filter=should_filter)
        seen_parts.append(replace(seen, entries=seen.entries[: limit - len(visible)]))
        is_over = len(visible) + len(seen.entries) > limit
        visible += seen_parts[-1].entries
        further = examined[-1].id if has_more else None
        if is_over:
            further = visible[-1].entry.id
        if len(visible) == limit or not has_more:
            break
        rest = remaining_bounds(rest, examined[-1].id, is_upwards)
    views = [view for part in seen_parts for view in post_views(shown=part.entries, seen=part)]
    cursor = None if further is None else str(further)
    if is_upwards:
        back = visible[0].entry.id if visible else min(MAX_ID, bounds.above + 1)
        return TimelinePage(
            posts=tuple(reversed(views)), older_cursor=str(back), newer_cursor=cursor
        )
    newer = None
    if bounds.below is not None:
        newer = str(visible[0].entry.id if visible else max(0, bounds.below - 1))
    return TimelinePage(posts=tuple(views), older_cursor=cursor, newer_cursor=newer)


def remaining_bounds(bounds: IdRange, last_id: int, is_ascending: bool) -> IdRange:
    """The rest of the bounds, after the ``last`` that was read."""
    if is_ascending:
        return IdRange(above=last_id, below=bounds.below)
    return IdRange(above=bounds.above, below=last_id)


def visible_entries(
    *, rows: Sequence[PostRow], viewer: int | None, should_filter: bool = False
) -> VisibleEntries:
    """Those entries that the viewer may read, in their order; or only those that are ``wanted``, without
    what their mutes and filters leave out."""
    targets = posts.shared_posts_of(entries=rows)
    uids = involved_uids(rows=rows, shared_posts=targets, sample_size=len(rows))
    relations = relationships(viewer=viewer, uids=uids - {viewer})
    visible = [
        shown
        for row in rows
        if (
            shown := visible_entry(
                entry=row, shared_posts=targets, viewer=viewer, relationships=relations
            )
        )
    ]
    filtering = None
    if should_filter and viewer is not None and visible:
        filtering = ActiveFilters(filters=filters.filters_of(viewer=viewer), now=timezone.now())
        visible = [
            one
            for one in visible
            if one.post.author not in relations.muted
            and (one.post.author == viewer or not filtering.hides_post(one.post))
        ]
    marked = interactions.viewer_interactions(viewer=viewer, posts={one.post.id for one in visible})
    return VisibleEntries(viewer, visible, marked, relations, uids, filtering)


def direction(max_id: int | None, min_id: int | None, since_id: int | None) -> tuple[bool, IdRange]:
    if min_id is not None:
        return True, IdRange(above=min_id, below=max_id)
    return False, IdRange(above=since_id or 0, below=max_id)
