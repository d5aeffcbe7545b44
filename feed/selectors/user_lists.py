"""Somebody's lists of people, and what the people on one have posted: fan-out on read, whatever the
strategy. Everything is asked of the owner; of others' lists nobody learns."""

from functools import partial

from django.http import Http404

from accounts.selectors.relationships import relationships
from accounts.selectors.user_pages import PAGE_SIZE, UserPage, user_rows
from feed.store import posts, user_lists
from feed.store.user_lists import PeopleList

from .lists import direction, read_visible_page
from .pages import TimelinePage
from .uid_pages import UidPage, numbered_slice, uid_page


def owned_lists(*, owner: int) -> list[PeopleList]:
    return user_lists.lists_of(owner=owner)


def owned_list(*, owner: int, list_id: int) -> PeopleList:
    """Raises Http404 for lists that are gone and for those of others, alike."""
    found = user_lists.get_list(owner=owner, id=list_id)
    if found is None:
        raise Http404("No such list.")
    return found


def list_members_page(*, user_list: PeopleList, owner: int, offset: int = 0) -> UserPage:
    """Who is on it and still here, the last added first. ``after``: how many came on earlier pages."""
    shown, end = user_list.uids[::-1][offset : offset + PAGE_SIZE], offset + PAGE_SIZE
    return UserPage(
        rows=user_rows(uids=shown, viewer=owner),
        older_cursor=str(end) if len(user_list.uids) > end else None,
        newer_cursor=None,
    )


def list_member_uid_page(
    *,
    user_list: PeopleList,
    owner: int,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> UidPage:
    """As ``people_on``; its cursors are places on the list: one command."""
    upwards, bounds = direction(max_id, min_id, since_id)
    rows = numbered_slice(items=user_list.uids, id_range=bounds, limit=limit + 1, ascending=upwards)
    page = uid_page(rows=rows, limit=limit, id_range=bounds, ascending=upwards)
    is_to = relationships(viewer=owner, uids=set(page.uids) - {owner})
    return page.without(is_to.blocked | is_to.unavailable)


def list_timeline_page(
    *,
    user_list: PeopleList,
    owner: int,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> TimelinePage:
    """What the people on it have posted, as far as the owner may read it and does not mute it.

    Of those of whom the owner may read nothing nothing is even examined: a cursor would tell when they
    wrote, and the muted might fill whole pages.
    """
    upwards, bounds = direction(max_id, min_id, since_id)
    is_to = relationships(viewer=owner, uids=set(user_list.uids) - {owner})
    apart = is_to.blocked | is_to.muted | is_to.unavailable | (is_to.private - is_to.followed)
    authors = [uid for uid in user_list.uids if uid not in apart]
    return read_visible_page(
        read=partial(posts.by_authors, authors=authors, viewer=owner, ascending=upwards),
        viewer=owner,
        limit=limit,
        bounds=bounds,
        is_upwards=upwards,
        should_filter=True,
    )
