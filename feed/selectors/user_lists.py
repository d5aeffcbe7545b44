"""Read a user's lists, and the members and timeline of each list. Only the owner can see a list.

The strategy of the home timeline does not affect lists. The timeline of a list is always read from the
posts of its members.
"""

from collections.abc import Sequence

from django.http import Http404

from accounts.infra.cursors import PageBounds
from accounts.selectors.follow_graph import followees_among
from accounts.selectors.relationships import relationships
from accounts.selectors.user_pages import PAGE_SIZE, UserPage, user_rows
from feed.activities import Comment
from feed.store import posts, user_lists
from feed.store.post_rows import IdRange, PostRow
from feed.store.user_lists import UserList

from .list_pages import ListPage, list_page, numbered_slice
from .post_pages import read_visible_page
from .timeline_pages import TimelinePage
from .visibility import has_followed_language, hidden_authors


def owned_lists(*, owner: int) -> list[UserList]:
    return user_lists.lists_of(owner=owner)


def owned_list(*, owner: int, list_id: int) -> UserList:
    """Return a list of ``owner``. Raises Http404 if it is missing or belongs to another user."""
    user_list = user_lists.get_list(owner=owner, id=list_id)
    if user_list is None:
        raise Http404("No such list.")
    return user_list


def list_members_page(*, user_list: UserList, owner: int, offset: int = 0) -> UserPage:
    """Return a page of a list's active members, last added first. ``offset``: members on earlier pages."""
    shown, end = user_list.uids[::-1][offset : offset + PAGE_SIZE], offset + PAGE_SIZE
    return UserPage(
        rows=user_rows(uids=shown, viewer=owner),
        older_cursor=str(end) if len(user_list.uids) > end else None,
        newer_cursor=None,
    )


def list_member_uid_page(
    *,
    user_list: UserList,
    owner: int,
    bounds: PageBounds,
) -> ListPage[int]:
    """Return a page of members' uids. Cursors are positions in the list. Costs one database command."""
    rows = numbered_slice(items=user_list.uids, bounds=bounds)
    page = list_page(rows=rows, bounds=bounds)
    relations = relationships(viewer=owner, uids=set(page.items) - {owner})
    return page.without(relations.invisible)


def list_timeline_page(
    *,
    user_list: UserList,
    owner: int,
    bounds: PageBounds,
) -> TimelinePage:
    """Return a page of the members' posts visible to the owner, without muted members.

    Leaves out posts in languages in which the owner does not follow their author.

    The query excludes members whose posts are hidden from the owner. Otherwise a cursor would reveal when
    such a member posts, and the hidden posts of a muted member might empty whole pages.
    """
    relations = relationships(viewer=owner, uids=set(user_list.uids) - {owner})
    hidden_uids = hidden_authors(relationships=relations)
    authors = [uid for uid in user_list.uids if uid not in hidden_uids]
    hidden_ids: set[int] = set()

    def read(*, id_range: IdRange, limit: int) -> list[PostRow]:
        rows = posts.by_authors(
            authors=authors,
            viewer=owner,
            id_range=id_range,
            limit=limit,
            in_timeline=True,
        )
        hidden_ids.update(hidden_comment_reports(rows=rows, user_list=user_list, owner=owner))
        return rows

    return read_visible_page(
        read=read,
        belongs_to_page=lambda row: (
            row.id not in hidden_ids and has_followed_language(post=row, relationships=relations)
        ),
        viewer=owner,
        bounds=bounds,
        should_filter=True,
    )


def hidden_comment_reports(*, rows: Sequence[PostRow], user_list: UserList, owner: int) -> set[int]:
    """Return the ids of those rows that the replies policy of the list leaves out.

    The policy is about posts that report a comment by a member (``activities.Comment``). The list shows
    those about posts by followed users, by members, or none, and with the first two those about posts by
    the owner. Costs at most two commands, none if no row is such a report.
    """
    reports = [row for row in rows if row.kind == Comment.name]
    if not reports or user_list.replies_policy == user_lists.NONE:
        return {row.id for row in reports}
    authors = posts.authors_of(ids={row.share_of or 0 for row in reports})
    if user_list.replies_policy == user_lists.LIST:
        shown_uids = {owner, *user_list.uids}
    else:
        shown_uids = {owner, *followees_among(follower=owner, uids=set(authors.values()))}
    return {row.id for row in reports if authors.get(row.share_of or 0) not in shown_uids}
