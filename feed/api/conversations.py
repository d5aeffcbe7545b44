"""Posts to single people: each is a conversation, with what is said to it in comments."""

from collections.abc import Sequence
from typing import Any, TypedDict

from django.http import Http404
from django.utils.translation import gettext as _

from accounts.infra.api.endpoints import ApiRequest, endpoint
from accounts.infra.api.inputs import PageInputs
from accounts.infra.api.pages import Page
from feed.api.serializers.accounts import Account, serialize_accounts
from feed.api.serializers.statuses import Status, serialize_post
from feed.api.serializers.values import EmptyObject
from feed.models import Post
from feed.selectors.lists import direct_posts_page
from feed.selectors.pages import PostView

from .serializers.statuses import mentioned_uids
from .serializers.values import Id
from .status_lookup import NotSupported, find_post
from .timelines import status_page


class Conversation(TypedDict):
    """``id``: that of the post, which is the ``last_status``. Whether it is ``unread`` is not noted. Of the
    ``accounts``, apps show the first: oneself where all others are gone."""

    id: Id
    unread: bool
    accounts: list[Account]
    last_status: Status | None


def serialize_conversations(
    *, posts: Sequence[PostView], statuses: Sequence[Status], viewer: int
) -> list[Conversation]:
    people = {str(one.id): [one.author.uid, *mentioned_uids(one)] for one in posts}
    known = serialize_accounts(uids=[uid for some in people.values() for uid in some])
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


@endpoint("read:statuses", inputs=PageInputs, returns=list[Conversation])
def index(request: ApiRequest) -> Any:
    """What one has written to single people and they to oneself, the newest first."""
    page = direct_posts_page(reader=request.uid, **request.page_bounds)
    listed = status_page(page=page, request=request)
    items = serialize_conversations(posts=page.posts, statuses=listed.results, viewer=request.uid)
    return Page(results=items, older_cursor=listed.older_cursor, newer_cursor=listed.newer_cursor)


@endpoint("write:conversations", returns=Conversation)
def mark_read(request: ApiRequest, conversation_id: int) -> Any:
    """Changes nothing: whether one has read it is not noted."""
    (found,) = serialize_conversations(
        posts=[post := _direct(request, conversation_id)],
        statuses=[serialize_post(post=post, viewer=request.uid)],
        viewer=request.uid,
    )
    return found


@endpoint("write:conversations", returns=EmptyObject)
def delete(request: ApiRequest, conversation_id: int) -> Any:
    """Refused: a post is there until its author deletes it."""
    _direct(request, conversation_id)
    raise NotSupported(_("A conversation is there until who began it deletes the post."))


def _direct(request: ApiRequest, conversation_id: int) -> PostView:
    found = find_post(status_id=conversation_id, viewer=request.uid)
    if found.visibility != Post.Visibility.DIRECT:
        raise Http404("No such conversation.")
    return found
