"""Read the posts and links that are active now. Trending hashtags are in ``tags``, people in ``people``.

The rankings are cached for ``CACHE_SECONDS``. Each request checks what its viewer may see.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

from django.conf import settings
from django.core.cache import cache
from django.utils import timezone

from accounts.infra.ids import first_id_at
from accounts.selectors.relationships import discoverable_uids
from feed.activities import kinds
from feed.models import MAX_TEXT_LENGTH
from feed.store import active_posts, posts
from feed.text.urls import absolute_url, host_of, urls_in

from .post_view import PostView
from .shown_posts import post_views
from .tags import CACHE_SECONDS
from .visible_posts import visible_entries

ACTIVE_POSTS_PERIOD = timedelta(days=3)
ACTIVE_PERIOD = timedelta(days=7)
"""How old the posts of active authors and the posts with trending links may be."""

MAX_TRENDING_POSTS = 40
MAX_POSTS_BY_AUTHOR = 2
CANDIDATE_POSTS = 400
"""Number of cached post ids, more than a page needs, because some posts are not visible to each viewer."""

MIN_USERS = 2
"""Minimum number of users who like or share a trending post, or who post a trending link."""

MAX_TRENDING_LINKS = 20
MAX_LINKED_POSTS = 1000
MAX_ADDRESSES, MAX_AUTHORS = 5, 20
"""Maximum numbers of addresses of each host and of authors of each address in the cache."""


@dataclass(frozen=True, slots=True)
class TrendingLink:
    """A host that several users link to. ``url``: the address of the host that most users posted."""

    host: str
    url: str
    user_count: int

    @property
    def label(self) -> str:
        """Return the address without its scheme."""
        return self.url.partition("://")[2].removeprefix("www.").rstrip("/")


Addresses = dict[str, list[int]]
"""The authors who posted an address, by address."""


def written_kinds() -> list[str]:
    """Return the names of the kinds of posts that users write."""
    return [kind.name for kind in kinds() if kind.is_written]


def first_active_id(*, period: timedelta = ACTIVE_PERIOD) -> int:
    """Return the id below which posts are too old to be active."""
    return first_id_at(moment=timezone.now() - period)


def trending_posts(*, viewer: int | None, limit: int = MAX_TRENDING_POSTS) -> tuple[PostView, ...]:
    """Return the posts that are active now and visible to the viewer, without muted authors.

    Only public posts by users who are neither private nor limited, at most ``MAX_POSTS_BY_AUTHOR`` by the
    same author. At most eight commands, more if most of the posts are not visible to the viewer.
    """
    ids = cache.get("trending_posts")
    if ids is None:
        ids = _rank_posts()
        cache.set("trending_posts", ids, CACHE_SECONDS)
    views: list[PostView] = []
    for start in range(0, len(ids), MAX_TRENDING_POSTS):
        part = ids[start : start + MAX_TRENDING_POSTS]
        rows = posts.by_ids(ids=part)
        authors = discoverable_uids(viewer=viewer, uids={row.author for row in rows.values()})
        seen = visible_entries(
            rows=[rows[post_id] for post_id in part if post_id in rows],
            viewer=viewer,
            should_filter=True,
        )
        views += (
            view for view in post_views(shown=seen.entries, seen=seen) if view.author.uid in authors
        )
        if len(views) >= limit:
            break
    return tuple(views[:limit])


def trending_links(*, viewer: int | None) -> tuple[TrendingLink, ...]:
    """Return the hosts that most users link to in public posts, those with most users first.

    At most two commands. Users whose posts the viewer should not see do not count.
    """
    addresses_by_host: list[tuple[str, list[tuple[str, list[int]]]]] | None = cache.get(
        "trending_links"
    )
    if addresses_by_host is None:
        addresses_by_host = _rank_links()
        cache.set("trending_links", addresses_by_host, CACHE_SECONDS)
    visible_uids = discoverable_uids(
        viewer=viewer,
        uids={
            uid for _, addresses in addresses_by_host for _, authors in addresses for uid in authors
        },
    )
    links = []
    for host, addresses in addresses_by_host:
        authors_by_url = {url: visible_uids.intersection(authors) for url, authors in addresses}
        user_count = len(frozenset().union(*authors_by_url.values()))
        if user_count >= MIN_USERS:
            # Of addresses with equal numbers of users, ``max`` returns the first, which is the newest.
            url = max(authors_by_url, key=lambda url: len(authors_by_url[url]))
            links.append(TrendingLink(host=host, url=url, user_count=user_count))
    return tuple(sorted(links, key=lambda link: -link.user_count)[:MAX_TRENDING_LINKS])


def clear_cached_trends() -> None:
    """Delete the cached rankings."""
    cache.delete_many(["trending_posts", "trending_links"])


def _rank_posts() -> list[int]:
    ranked = active_posts.most_active_posts(
        above=first_active_id(period=ACTIVE_POSTS_PERIOD),
        kinds=written_kinds(),
        min_interactions=MIN_USERS,
        limit=CANDIDATE_POSTS,
        now=timezone.now(),
    )
    ids, counts = [], Counter[int]()
    for post_id, author in ranked:
        counts[author] += 1
        if counts[author] <= MAX_POSTS_BY_AUTHOR:
            ids.append(post_id)
    return ids


def _rank_links() -> list[tuple[str, list[tuple[str, list[int]]]]]:
    """Return each host with its addresses and their authors, those with most authors first."""
    linked_posts = active_posts.newest_linked_posts(
        above=first_active_id(), kinds=written_kinds(), limit=MAX_LINKED_POSTS
    )
    own_host = host_of(urlsplit(settings.SITE_URL).netloc)
    hosts: dict[str, Addresses] = defaultdict(lambda: defaultdict(list))
    for post in linked_posts:
        for url in _addresses(post):
            host = host_of(url)
            authors = hosts[host][url]
            if host and host != own_host and post.author not in authors:
                authors.append(post.author)
    ranked = sorted(hosts.items(), key=lambda pair: -len(_authors(pair[1])))
    return [
        (
            host,
            [
                (url, authors[:MAX_AUTHORS])
                for url, authors in sorted(addresses.items(), key=lambda pair: -len(pair[1]))
            ][:MAX_ADDRESSES],
        )
        for host, addresses in ranked
        if len(_authors(addresses)) >= MIN_USERS
    ][: 2 * MAX_TRENDING_LINKS]


def _addresses(post: active_posts.LinkedPost) -> Iterable[str]:
    """Return the distinct addresses in a post, without fragments."""
    addresses = [post.url] if post.url else []
    addresses += (span.value for span in urls_in(post.text))
    urls = (absolute_url(address).partition("#")[0] for address in addresses)
    return dict.fromkeys(url for url in urls if len(url) <= MAX_TEXT_LENGTH)


def _authors(addresses: Addresses) -> set[int]:
    return set().union(*addresses.values())
