"""Other lists of posts: everybody's, one person's, those about something, those with some words; and the
one road from a URL to a post.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from django.http import Http404
from django.utils import timezone

from accounts import selectors as people
from accounts.ids import MAX_ID
from feed.activities import kinds
from feed.models import Post
from feed.store import directs, entities, filters, marks, narrowed, posts, words
from feed.store.rows import Bounds, PostRow
from feed.text.searching import is_unspaced

from .filtering import Filtering
from .home import targets_of
from .pages import PostView, TimelinePage, post_views
from .visible import Seen, Shown, people_of, readable

READS = (2, 10, 50)
"""How many rows a page reads, as multiples of its length: first, and again where most are hidden."""

MOST_READ = 2_000
"""Rows at a time."""


class Read(Protocol):
    def __call__(self, *, bounds: Bounds, limit: int) -> list[PostRow]: ...


def public_page(
    *,
    viewer: int | None,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
    with_pictures: bool = False,
) -> TimelinePage:
    """What everybody has posted for everybody, without those whom the viewer has muted; or only posts
    ``with_pictures``."""
    upwards, bounds = direction(max_id, min_id, since_id)
    listed = [one.name for one in kinds() if one.is_written]
    return filled_page(
        read=partial(posts.public, kinds=listed, upwards=upwards),
        only=_has_pictures if with_pictures else None,
        viewer=viewer,
        limit=limit,
        bounds=bounds,
        is_upwards=upwards,
        is_wanted=True,
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
    is_open: bool = True,
    is_following: bool = False,
    with_pictures: bool = False,
    written: bool = False,
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
    if is_open:
        kept_back = ["direct"] if is_following or author == viewer else ["direct", "followers"]
    only = narrowed.only(with_pictures=with_pictures, written=written, tag=tag)
    examined, end = bounds, None
    if only:
        examined, end = narrowed.examined(
            author=author, reader=viewer, bounds=bounds, upwards=upwards, kept_back=kept_back
        )
    page = filled_page(
        read=partial(
            posts.by_authors,
            authors=[author],
            reader=viewer,
            upwards=upwards,
            kept_back=kept_back,
            only=only,
        ),
        viewer=viewer,
        limit=limit,
        bounds=bounds,
        start=examined,
        is_upwards=upwards,
        is_wanted=False,
    )
    if end is None:
        return page
    if upwards:
        return replace(page, newer=page.newer or str(end))
    return replace(page, older=page.older or str(end))


def about_page(
    *,
    kind: entities.Kind,
    value: str | Sequence[str],
    viewer: int | None,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
    with_all: Collection[str] = (),
    with_none: Collection[str] = (),
    with_pictures: bool = False,
) -> TimelinePage:
    """The public posts about something (``store.entities``), such as a hashtag or one of several, without
    those whom the viewer has muted. ``with_all``, ``with_none``: other values that they must have, and that
    they must not have."""
    upwards, bounds = direction(max_id, min_id, since_id)

    def fits(row: PostRow) -> bool:
        values = {entity["value"] for entity in row.entities if entity["kind"] == kind}
        is_about = values.issuperset(with_all) and values.isdisjoint(with_none)
        return is_about and (bool(row.media) or not with_pictures)

    return filled_page(
        read=partial(entities.posts_about, kind=kind, value=value, upwards=upwards),
        only=fits,
        viewer=viewer,
        limit=limit,
        bounds=bounds,
        is_upwards=upwards,
        is_wanted=True,
    )


def direct_page(
    *,
    reader: int,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> TimelinePage:
    """What the reader has written to single people, and those to them, without whom they mute."""
    upwards, bounds = direction(max_id, min_id, since_id)
    return filled_page(
        read=partial(directs.by_or_to, uid=reader, upwards=upwards),
        viewer=reader,
        limit=limit,
        bounds=bounds,
        is_upwards=upwards,
        is_wanted=True,
    )


def found_posts_page(
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
    bounds, further = Bounds(above=min_id or 0, below=max_id), None
    is_scanned = any(map(is_unspaced, phrases))

    def read(*, bounds: Bounds, limit: int) -> list[PostRow]:
        nonlocal further, is_scanned
        wanted: dict[str, Any] = {
            "phrases": phrases,
            "bounds": bounds,
            "author": author,
            "limit": limit,
        }
        if not is_scanned:
            try:
                return words.with_words(**wanted)
            except words.TooMany:
                is_scanned = True
        is_whole = not any(map(is_unspaced, phrases))
        rows, further = words.containing(**wanted, whole_words=is_whole)
        return rows

    page = filled_page(
        read=read,
        viewer=viewer,
        limit=limit,
        bounds=bounds,
        is_upwards=False,
        is_wanted=True,
    )
    older = page.older or (None if further is None else str(further))
    return replace(page, older=older, newer=None)


def post(*, post_id: int, viewer: int | None) -> PostView:
    """Raises Http404 for posts that are gone and for those the viewer may not read, alike.

    The id of a share stands for what is shared.
    """
    rows = list(posts.by_ids(ids=[post_id]).values())
    seen = readable_by(rows=rows, viewer=viewer)
    for view in post_views(shown=seen.shown, seen=seen):
        return view
    raise Http404("No such post.")


def filled_page(
    *,
    read: Read,
    viewer: int | None,
    limit: int,
    bounds: Bounds,
    is_upwards: bool,
    is_wanted: bool,
    start: Bounds | None = None,
    only: Callable[[PostRow], bool] | None = None,
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
    rest, seen_parts = start or bounds, list[Seen]()
    visible, further = list[Shown](), None
    for factor in READS:
        number = min(factor * limit, MOST_READ)
        rows = read(bounds=rest, limit=number + 1)
        examined, has_more = rows[:number], len(rows) > number
        fitting = examined if only is None else [row for row in examined if only(row)]
        seen = readable_by(rows=fitting, viewer=viewer, wanted=is_wanted)
        seen_parts.append(replace(seen, shown=seen.shown[: limit - len(visible)]))
        is_over = len(visible) + len(seen.shown) > limit
        visible += seen_parts[-1].shown
        further = examined[-1].id if has_more else None
        if is_over:
            further = visible[-1].entry.id
        if len(visible) == limit or not has_more:
            break
        rest = beyond(rest, examined[-1].id, is_upwards)
    views = [view for part in seen_parts for view in post_views(shown=part.shown, seen=part)]
    cursor = None if further is None else str(further)
    if is_upwards:
        back = visible[0].entry.id if visible else min(MAX_ID, bounds.above + 1)
        return TimelinePage(posts=tuple(reversed(views)), older=str(back), newer=cursor)
    newer = None
    if bounds.below is not None:
        newer = str(visible[0].entry.id if visible else max(0, bounds.below - 1))
    return TimelinePage(posts=tuple(views), older=cursor, newer=newer)


def beyond(bounds: Bounds, last: int, is_upwards: bool) -> Bounds:
    """The rest of the bounds, after the ``last`` that was read."""
    if is_upwards:
        return Bounds(above=last, below=bounds.below)
    return Bounds(above=bounds.above, below=last)


def readable_by(*, rows: Sequence[PostRow], viewer: int | None, wanted: bool = False) -> Seen:
    """Those entries that the viewer may read, in their order; or only those that are ``wanted``, without
    what their mutes and filters leave out."""
    targets = targets_of(rows)
    uids = people_of(rows=rows, targets=targets, sampled=len(rows))
    relations = people.relations(viewer=viewer, uids=uids - {viewer})
    visible = [
        shown
        for row in rows
        if (shown := readable(entry=row, targets=targets, viewer=viewer, relations=relations))
    ]
    filtering = None
    if wanted and viewer is not None and visible:
        filtering = Filtering(filters=filters.of(reader=viewer), now=timezone.now())
        visible = [
            one
            for one in visible
            if one.post.author not in relations.mutes
            and (one.post.author == viewer or not filtering.hides(one.post))
        ]
    marked = marks.of_viewer(viewer=viewer, posts={one.post.id for one in visible})
    return Seen(viewer, visible, marked, relations, uids, filtering)


def direction(max_id: int | None, min_id: int | None, since_id: int | None) -> tuple[bool, Bounds]:
    if min_id is not None:
        return True, Bounds(above=min_id, below=max_id)
    return False, Bounds(above=since_id or 0, below=max_id)
