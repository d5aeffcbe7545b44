"""Somebody's lists of people, and what the people on one have posted: fan-out on read, whatever the
strategy. Everything is asked of the owner; of others' lists nobody learns."""

from functools import partial

from django.http import Http404

from accounts import selectors as people
from accounts.selectors import PeoplePage
from feed.store import people_lists, posts
from feed.store.people_lists import PeopleList

from .lists import direction, filled_page
from .pages import TimelinePage
from .positions import UidPage, numbered, page_between


def lists_of(*, owner: int) -> list[PeopleList]:
    return people_lists.of(owner=owner)


def people_list(*, owner: int, list_id: int) -> PeopleList:
    """Raises Http404 for lists that are gone and for those of others, alike."""
    found = people_lists.get(owner=owner, id=list_id)
    if found is None:
        raise Http404("No such list.")
    return found


def people_on(*, found: PeopleList, owner: int, after: int = 0) -> PeoplePage:
    """Who is on it and still here, the last added first. ``after``: how many came on earlier pages."""
    shown, end = found.uids[::-1][after : after + people.PAGE_SIZE], after + people.PAGE_SIZE
    return PeoplePage(
        people=people.people_rows(uids=shown, viewer=owner),
        older=str(end) if len(found.uids) > end else None,
        newer=None,
    )


def uids_on(
    *,
    found: PeopleList,
    owner: int,
    limit: int,
    max_id: int | None = None,
    min_id: int | None = None,
    since_id: int | None = None,
) -> UidPage:
    """As ``people_on``; its cursors are places on the list: one command."""
    upwards, bounds = direction(max_id, min_id, since_id)
    rows = numbered(items=found.uids, bounds=bounds, limit=limit + 1, upwards=upwards)
    page = page_between(found=rows, limit=limit, bounds=bounds, upwards=upwards)
    is_to = people.relations(viewer=owner, uids=set(page.uids) - {owner})
    return page.but(is_to.blocks | is_to.gone)


def list_page(
    *,
    found: PeopleList,
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
    is_to = people.relations(viewer=owner, uids=set(found.uids) - {owner})
    apart = is_to.blocks | is_to.mutes | is_to.gone | (is_to.private - is_to.follows)
    authors = [uid for uid in found.uids if uid not in apart]
    return filled_page(
        read=partial(posts.by_authors, authors=authors, reader=owner, upwards=upwards),
        viewer=owner,
        limit=limit,
        bounds=bounds,
        is_upwards=upwards,
        is_wanted=True,
    )
