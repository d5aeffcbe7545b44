"""Posts to single people: each is a conversation, with what is said to it in comments."""

from collections.abc import Sequence
from typing import Any, TypedDict

from django.http import Http404
from django.utils.translation import gettext as _

from accounts.api import ApiRequest, Page, Window, endpoint
from feed import selectors
from feed.models import Post
from feed.selectors import PostView

from .entities import Account, Nothing, Status, accounts_of, status_of
from .entities.statuses import mentions_of
from .entities.values import Id
from .found import NotHere, find_post
from .timelines import status_page


class Conversation(TypedDict):
    """``id``: that of the post, which is the ``last_status``. Whether it is ``unread`` is not noted. Of the
    ``accounts``, apps show the first: oneself where all others are gone."""

    id: Id
    unread: bool
    accounts: list[Account]
    last_status: Status | None


def conversations_of(
    *, views: Sequence[PostView], statuses: Sequence[Status], viewer: int
) -> list[Conversation]:
    people = {str(one.id): [one.author.uid, *mentions_of(one)] for one in views}
    known = accounts_of(uids=[uid for some in people.values() for uid in some])
    return [
        {
            "id": one["id"],
            "unread": False,
            "accounts": [
                known[uid]
                for uid in dict.fromkeys(people[one["id"]])
                if uid != viewer and uid in known
            ]
            or [known[uid] for uid in (viewer,) if uid in known],
            "last_status": one,
        }
        for one in statuses
    ]


@endpoint("read:statuses", takes=Window, returns=list[Conversation])
def several(request: ApiRequest) -> Any:
    """What one has written to single people and they to oneself, the newest first."""
    page = selectors.direct_page(reader=request.uid, **request.window)
    listed = status_page(page=page, request=request)
    items = conversations_of(views=page.posts, statuses=listed.items, viewer=request.uid)
    return Page(items=items, older=listed.older, newer=listed.newer)


@endpoint("write:conversations", returns=Conversation)
def read(request: ApiRequest, conversation_id: int) -> Any:
    """Changes nothing: whether one has read it is not noted."""
    (found,) = conversations_of(
        views=[post := _direct(request, conversation_id)],
        statuses=[status_of(view=post, viewer=request.uid)],
        viewer=request.uid,
    )
    return found


@endpoint("write:conversations", returns=Nothing)
def delete(request: ApiRequest, conversation_id: int) -> Any:
    """Refused: a post is there until its author deletes it."""
    _direct(request, conversation_id)
    raise NotHere(_("A conversation is there until who began it deletes the post."))


def _direct(request: ApiRequest, conversation_id: int) -> PostView:
    found = find_post(status_id=conversation_id, viewer=request.uid)
    if found.visibility != Post.Visibility.DIRECT:
        raise Http404("No such conversation.")
    return found
