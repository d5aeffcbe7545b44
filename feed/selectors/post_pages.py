"""Read pages of posts: public, profile, attribute, quotes and links."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from accounts.infra.cursors import PageBounds
from accounts.infra.ids import MAX_ID
from feed.models import Post
from feed.store import attributes, posts, quotes
from feed.store.post_rows import IdRange, PostRow
from feed.text.urls import host_of, unicode_host, urls_in, web_urls

from .post_view import PostView
from .shown_posts import post_views
from .timeline_pages import TimelinePage
from .trends import written_kinds
from .visibility import VisibleEntries, VisibleEntry
from .visible_posts import visible_entries

READ_FACTORS = (2, 10, 50)
"""Rows in each read of a page, as multiples of the page length. Most pages need only the first read."""

MAX_ROWS = 2_000
"""Maximum number of rows in one read."""


class RowReader(Protocol):
    def __call__(self, *, id_range: IdRange, limit: int) -> list[PostRow]: ...


def public_page(
    *,
    viewer: int | None,
    bounds: PageBounds,
    only_with_pictures: bool = False,
    language: str = "",
) -> TimelinePage:
    """Return a page of the public posts in a language, or in any, without posts by muted users."""
    if language:
        read: RowReader = partial(attributes.posts_about, kind="language", value=language)
    else:
        read = partial(posts.public_posts, kinds=written_kinds())
    return read_visible_page(
        read=read,
        belongs_to_page=(lambda row: bool(row.media)) if only_with_pictures else None,
        viewer=viewer,
        bounds=bounds,
        should_filter=True,
    )


def profile_page(
    *,
    author: int,
    viewer: int | None,
    bounds: PageBounds,
    can_view_posts: bool = True,
    is_following: bool = False,
    only_with_pictures: bool = False,
    exclude_shares: bool = False,
    tag: str = "",
    kind: str = "",
) -> TimelinePage:
    """Return a page of the visible posts and shares of one user.

    The query excludes posts that the viewer may not read. Otherwise a cursor would reveal when such a post
    was published.

    With one of the filters after ``is_following``, except ``tag``, a page examines a limited number of
    posts. Such a page may have fewer posts than ``bounds.limit`` even if there are older posts.

    Args:
        can_view_posts, is_following: as in ``Profile``.
        tag: normalized hashtag that all posts must have, "" for any posts.
        kind: name of the activity kind of all posts, "" for any posts.
    """
    id_range = IdRange.within(bounds)
    hidden_visibilities: Sequence[str] = Post.Visibility.values
    if can_view_posts:
        hidden_visibilities = excluded_visibilities(is_close=is_following or author == viewer)
    if tag and not (only_with_pictures or exclude_shares or kind):
        return read_visible_page(
            read=partial(
                posts.by_author_with_tag,
                author=author,
                tag=tag,
                viewer=viewer,
                excluded_visibilities=hidden_visibilities,
            ),
            viewer=viewer,
            bounds=bounds,
            should_filter=False,
        )
    extra_filter = posts.author_filter(
        with_pictures=only_with_pictures, without_shares=exclude_shares, hashtag=tag, kind=kind
    )
    examined, end = id_range, None
    if extra_filter:
        examined, end = posts.examined_range(
            author=author,
            viewer=viewer,
            id_range=id_range,
            excluded_visibilities=hidden_visibilities,
        )
    page = read_visible_page(
        read=partial(
            posts.by_authors,
            authors=[author],
            viewer=viewer,
            excluded_visibilities=hidden_visibilities,
            extra_filter=extra_filter,
        ),
        viewer=viewer,
        bounds=bounds,
        first_read=examined,
        should_filter=False,
    )
    if end is None:
        return page
    if bounds.is_ascending:
        return replace(page, newer_cursor=page.newer_cursor or str(end))
    return replace(page, older_cursor=page.older_cursor or str(end))


def excluded_visibilities(*, is_close: bool) -> Sequence[str]:
    """Return the visibilities of a user's posts that a page does not show, except to recipients.

    ``is_close``: whether the viewer is the user or follows the user.
    """
    return ["direct"] if is_close else ["direct", "followers"]


def attribute_page(
    *,
    kind: attributes.AttributeKind,
    value: str | Sequence[str],
    viewer: int | None,
    bounds: PageBounds,
    required_values: Collection[str] = (),
    excluded_values: Collection[str] = (),
    only_with_pictures: bool = False,
) -> TimelinePage:
    """Return a page of public posts with an attribute, such as a hashtag, without muted authors.

    If ``value`` is a sequence, a post needs only one of its values.
    """

    def has_values(row: PostRow) -> bool:
        values = {attribute["value"] for attribute in row.attributes if attribute["kind"] == kind}
        is_match = values.issuperset(required_values) and values.isdisjoint(excluded_values)
        return is_match and (bool(row.media) or not only_with_pictures)

    return read_visible_page(
        read=partial(attributes.posts_about, kind=kind, value=value),
        belongs_to_page=has_values,
        viewer=viewer,
        bounds=bounds,
        should_filter=True,
    )


def quotes_page(*, post: PostView, viewer: int | None, bounds: PageBounds) -> TimelinePage:
    """Return a page of the visible posts that quote a post, without posts by muted users.

    Callers check that the viewer may read the post.
    """
    return read_visible_page(
        read=partial(quotes.quotes_of, post=post.id),
        viewer=viewer,
        bounds=bounds,
        should_filter=True,
    )


def link_page(*, url: str, viewer: int | None, bounds: PageBounds) -> TimelinePage:
    """Return a page of public posts that link to a page on the web, without muted authors.

    The index has only the host of a link, so the result may be short or empty although older posts exist.
    """
    wanted = frozenset(web_urls([url]))
    # Cards have the host in Punycode, attributes as it was typed.
    hosts = {host_of(url), *(unicode_host(wanted_url.host) for wanted_url in wanted)}

    def has_link(row: PostRow) -> bool:
        addresses = [row.details["url"]] if row.kind == "link" else []
        addresses += (span.value for span in urls_in(row.text))
        return not wanted.isdisjoint(web_urls(addresses))

    return read_visible_page(
        read=partial(attributes.posts_about, kind="host", value=sorted(hosts)),
        belongs_to_page=has_link,
        viewer=viewer,
        bounds=bounds,
        should_filter=True,
    )


def read_visible_page(
    *,
    read: RowReader,
    viewer: int | None,
    bounds: PageBounds,
    should_filter: bool,
    first_read: IdRange | None = None,
    belongs_to_page: Callable[[PostRow], bool] | None = None,
) -> TimelinePage:
    """Return a page of visible posts.

    If the viewer may not see many of the rows, read more rows. Otherwise a private account with many posts
    about a hashtag could empty the page of the hashtag. There are at most ``len(READ_FACTORS)`` reads, each
    larger than the previous read. After the last read, a page may still be short although older posts
    exist.

    Args:
        read: a function that returns up to ``limit`` rows within ``id_range``, in the order of the page.
        should_filter: True to apply the viewer's mutes and filters.
        first_read: range of ids of the first read. None means the range of ``bounds``.
        belongs_to_page: a function that selects the rows of the page. None selects all rows.
    """
    limit, id_range = bounds.limit, IdRange.within(bounds)
    rest, seen_parts = first_read or id_range, list[VisibleEntries]()
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
        if is_over or (has_more and len(visible) == limit):
            further = visible[-1].entry.id
        # A full page ends only when the next visible row is known, or that there is none. A cursor would
        # otherwise reveal that rows follow which the viewer may not see.
        if is_over or not has_more:
            break
        rest = rest.after(examined[-1].id)
    views = [view for part in seen_parts for view in post_views(shown=part.entries, seen=part)]
    cursor = None if further is None else str(further)
    if bounds.is_ascending:
        back = visible[0].entry.id if visible else min(MAX_ID, id_range.above + 1)
        return TimelinePage(
            posts=tuple(reversed(views)), older_cursor=str(back), newer_cursor=cursor
        )
    newer = None
    if id_range.below is not None:
        newer = str(visible[0].entry.id if visible else max(0, id_range.below - 1))
    return TimelinePage(posts=tuple(views), older_cursor=cursor, newer_cursor=newer)
