"""Direct posts as the conversations of Mastodon. A conversation is a direct post with its comments."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypedDict

from feed.selectors.messages import ConversationView, conversation, conversations_page
from feed.services import conversations

from .plumbing.endpoints import ApiRequest, Page, endpoint
from .plumbing.inputs import PageInputs
from .serializers.accounts import Account, serialize_accounts
from .serializers.comments import serialize_statuses
from .serializers.statuses import Status
from .serializers.values import EmptyObject, Id
from .timelines import count_views


class Conversation(TypedDict):
    """A direct post with its comments. ``last_status`` is the last comment or, without comments, the post.

    ``accounts`` are the participants without the caller. If none of these accounts exists any more, the
    list contains the caller, because apps need at least one account.
    """

    id: Id
    unread: bool
    accounts: list[Account]
    last_status: Status | None


def serialize_conversations(
    *, views: Sequence[ConversationView], viewer: int
) -> list[Conversation]:
    statuses = serialize_statuses(
        items=[view.last_comment or view.post for view in views], viewer=viewer
    )
    status_by_id = {status["id"]: status for status in statuses}
    uids = {viewer, *(card.uid for view in views for card in view.others)} if views else ()
    accounts = serialize_accounts(uids=list(uids))
    return [
        {
            "id": str(view.post.id),
            "unread": view.is_unread,
            "accounts": [accounts[card.uid] for card in view.others if card.uid in accounts]
            or [accounts[uid] for uid in (viewer,) if uid in accounts],
            "last_status": status_by_id.get(str(view.last_id)),
        }
        for view in views
    ]


@endpoint("read:statuses", inputs=PageInputs, returns=list[Conversation])
def index(request: ApiRequest) -> Any:
    """Return the caller's conversations, newest activity first. Pages continue by ids of last statuses."""
    page = conversations_page(viewer=request.uid, bounds=request.page_bounds)
    count_views(request=request, post_ids=[view.post.id for view in page.conversations])
    results = serialize_conversations(views=page.conversations, viewer=request.uid)
    newest_id = page.conversations[0].newest_id if page.conversations else None
    return Page.around(page, results, first_cursor=newest_id)


@endpoint("write:conversations", returns=Conversation)
def mark_read(request: ApiRequest, conversation_id: int) -> Any:
    """Mark a conversation as read."""
    view = conversation(post_id=conversation_id, viewer=request.uid)
    conversations.mark_read(post_id=conversation_id, reader=request.uid)
    return _serialize(replace(view, is_unread=False), request.uid)


@endpoint("write:conversations", returns=Conversation)
def mark_unread(request: ApiRequest, conversation_id: int) -> Any:
    """Mark a conversation as unread."""
    view = conversation(post_id=conversation_id, viewer=request.uid)
    conversations.mark_unread(post_id=conversation_id, reader=request.uid, message_id=view.last_id)
    return _serialize(replace(view, is_unread=True), request.uid)


@endpoint("write:conversations", returns=EmptyObject)
def delete(request: ApiRequest, conversation_id: int) -> None:
    """Remove a conversation from the caller's list until the next message. Its posts stay."""
    view = conversation(post_id=conversation_id, viewer=request.uid)
    conversations.hide_conversation(
        post_id=conversation_id, reader=request.uid, newest_id=view.newest_id
    )


def _serialize(view: ConversationView, viewer: int) -> Conversation:
    (serialized,) = serialize_conversations(views=[view], viewer=viewer)
    return serialized
