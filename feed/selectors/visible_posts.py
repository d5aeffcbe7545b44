"""Posts that a viewer may read, by their rows or ids: the middle step of every page of posts."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from django.http import Http404
from django.utils import timezone

from accounts.infra.store.unions import Query, UnionResult, read_union
from accounts.selectors.relationships import relationship_queries, relationships_in
from feed.store import filters, interactions, pins, posts
from feed.store.filters import Filter, FilteredPost
from feed.store.post_rows import PostRow

from .filters import ActiveFilters
from .post_view import PostView
from .shown_posts import post_views
from .visibility import VisibleEntries, involved_uids, visible_entry


def visible_entries(
    *,
    rows: Sequence[PostRow],
    viewer: int | None,
    should_filter: bool = False,
    with_interactions: bool = True,
) -> VisibleEntries:
    """Return the entries for the rows that the viewer may read, in the order of ``rows``.

    Args:
        should_filter: True to apply the viewer's mutes and filters, too.
        with_interactions: True to read which posts the viewer likes, shares and bookmarks.
    """
    queries: list[Query] = []
    if viewer is not None and should_filter:
        queries = filters.filter_queries(viewer=viewer)
    seen, union = readable_entries(
        rows=rows,
        viewer=viewer,
        sample_size=len(rows),
        with_interactions=with_interactions,
        further_queries=lambda _shared: queries,
    )
    if not queries:
        return seen
    active = ActiveFilters(filters=filters.filters_among(union=union), now=timezone.now())
    unmuted = [
        shown
        for shown in seen.entries
        if shown.post.author not in seen.relationships.muted
        and (shown.post.author == viewer or not active.hides_post(shown.post))
    ]
    return replace(seen, entries=unmuted, filters=active)


def readable_entries(
    *,
    rows: Sequence[PostRow],
    viewer: int | None,
    sample_size: int,
    with_interactions: bool = True,
    further_queries: Callable[[Collection[int]], list[Query]],
) -> tuple[VisibleEntries, UnionResult]:
    """Return the entries that the viewer may read, and the result that decided this.

    Args:
        sample_size: number of first rows whose commenters and likers a page may show.
        further_queries: a function that gets the ids of the shared posts and returns queries, whose results
            are in the result, because another command would cost more.
    """
    targets = posts.related_posts_of(entries=rows)
    uids = involved_uids(rows=rows, shared_posts=targets, sample_size=sample_size)
    union = read_union(
        queries=[
            *relationship_queries(viewer=viewer, uids=uids - {viewer}),
            *interactions.interaction_queries(
                viewer=viewer,
                posts={*(row.share_of or row.id for row in rows), *targets}
                if with_interactions
                else (),
                rows=[*rows, *targets.values()],
            ),
            *further_queries({row.share_of for row in rows if row.share_of in targets}),
        ]
    )
    relations = relationships_in(union=union)
    visible = [
        shown
        for row in rows
        if (
            shown := visible_entry(
                entry=row, shared_posts=targets, viewer=viewer, relationships=relations
            )
        )
    ]
    seen = VisibleEntries(
        viewer,
        visible,
        interactions.interactions_in(union=union),
        relations,
        uids,
        related_posts=targets,
    )
    return seen, union


def visible_post(*, post_id: int, viewer: int | None, with_interactions: bool = True) -> PostView:
    """Return a post visible to the viewer. If ``post_id`` is the id of a share, return the shared post.

    Raises Http404 both for missing posts and for posts that the viewer may not read.

    Args:
        with_interactions: False to save one database command. The post then seems neither liked, shared
            nor bookmarked.
    """
    rows = list(posts.by_ids(ids=[post_id]).values())
    seen = visible_entries(rows=rows, viewer=viewer, with_interactions=with_interactions)
    for view in post_views(shown=seen.entries, seen=seen):
        return view
    raise Http404("No such post.")


def posts_in_order(*, ids: Sequence[int], viewer: int | None) -> tuple[PostView, ...]:
    """Return the posts visible to the viewer in the order of ``ids``."""
    if not ids:
        return ()
    rows = posts.by_ids(ids=ids)
    page = visible_entries(
        rows=[rows[post_id] for post_id in ids if post_id in rows], viewer=viewer
    )
    return post_views(shown=page.entries, seen=page)


def filtered_posts(
    *, viewer: int, user_filter: Filter
) -> list[tuple[FilteredPost, PostView | None]]:
    """Return the single posts in a filter, the newest addition first.

    The view is None if the post is deleted or the viewer may no longer read it.
    """
    rows = user_filter.posts[::-1]
    views = posts_in_order(ids=[row.post for row in rows], viewer=viewer)
    views_by_id = {view.id: view for view in views}
    return [(row, views_by_id.get(row.post)) for row in rows]


def pinned_posts(*, author: int, viewer: int | None) -> tuple[PostView, ...]:
    """Return the pinned posts visible to the viewer, newest pin first."""
    return posts_in_order(ids=pins.pinned_ids(author=author), viewer=viewer)


def visible_post_views(*, post_ids: Collection[int], viewer: int) -> dict[int, PostView]:
    """Return the visible posts by id. For a share, the key is the id of the share, not of the post."""
    views = posts_in_order(ids=list(post_ids), viewer=viewer)
    return {view.entry_id: view for view in views}


def visible_post_ids(*, ids: Collection[int], viewer: int | None) -> set[int]:
    """Return those ``ids`` whose posts are visible. Costs a constant number of database commands."""
    rows = posts.by_ids(ids=ids) if ids else {}
    seen = visible_entries(rows=list(rows.values()), viewer=viewer)
    return {shown.post.id for shown in seen.entries}
