"""Direct posts as the conversations of Mastodon. A conversation is a direct post with its comments."""

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

from .serializers.values import Id
from .status_lookup import NotSupported, find_post
from .timelines import status_page


class Conversation(TypedDict):
    """A direct post, in the format of Mastodon's conversations. ``last_status`` is the post.

    ``accounts`` are the author and the mentioned users, without the caller. If none of these accounts
    exists any more, the list contains the caller, because apps need at least one account. ``unread`` is
    always false, because the site does not record which direct posts a user has read.
    """

    id: Id
    unread: bool
    accounts: list[Account]
    last_status: Status | None


def serialize_conversations(
    *, posts: Sequence[PostView], statuses: Sequence[Status], viewer: int
) -> list[Conversation]:
    uids_by_id = {
        str(post.id): [card.uid for card in (post.author, *post.mentioned_users)] for post in posts
    }
    accounts = serialize_accounts(uids=[uid for uids in uids_by_id.values() for uid in uids])
    return [
        {
            "id": status["id"],
            "unread": False,
            "accounts": [
                accounts[uid]
                for uid in dict.fromkeys(uids_by_id[status["id"]])
                if uid != viewer and uid in accounts
            ]
            or [accounts[uid] for uid in (viewer,) if uid in accounts],
            "last_status": status,
        }
        for status in statuses
    ]


@endpoint("read:statuses", inputs=PageInputs, returns=list[Conversation])
def index(request: ApiRequest) -> Any:
    """Return the direct posts that the caller sent or received, newest first."""
    page = direct_posts_page(reader=request.uid, bounds=request.page_bounds)
    status_results = status_page(page=page, request=request)
    conversations = serialize_conversations(
        posts=page.posts, statuses=status_results.results, viewer=request.uid
    )
    return Page(
        results=conversations,
        older_cursor=status_results.older_cursor,
        newer_cursor=status_results.newer_cursor,
    )


@endpoint("write:conversations", returns=Conversation)
def mark_read(request: ApiRequest, conversation_id: int) -> Any:
    """Change nothing, because the site does not record which direct posts a user has read."""
    (conversation,) = serialize_conversations(
        posts=[post := _find_direct_post(request, conversation_id)],
        statuses=[serialize_post(post=post)],
        viewer=request.uid,
    )
    return conversation


@endpoint("write:conversations", returns=EmptyObject)
def delete(request: ApiRequest, conversation_id: int) -> Any:
    """Refuse the request, because only the author can delete a direct post."""
    _find_direct_post(request, conversation_id)
    raise NotSupported(_("Only the author of the first post can delete this conversation."))


def _find_direct_post(request: ApiRequest, conversation_id: int) -> PostView:
    post = find_post(status_id=conversation_id, viewer=request.uid)
    if post.visibility != Post.Visibility.DIRECT:
        raise Http404("No such conversation.")
    return post
