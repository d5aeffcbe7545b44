"""Return details of a post or comment: thread, earlier versions, source text, likes and shares."""

from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

from django.http import Http404

from accounts.infra.paths import path_for
from feed.selectors.conversation import MAX_COMMENTS, post_conversation
from feed.selectors.history import Version, post_versions
from feed.selectors.likers import liker_uid_page, sharer_uid_page
from feed.selectors.list_pages import ListPage

from .account_lists import AccountPageInputs
from .plumbing.endpoints import ApiRequest, Caller, Page, endpoint
from .polls import StatusEditPoll
from .serializers.accounts import Account, Emoji, serialize_account, serialize_account_list
from .serializers.comments import serialize_comments_on_posts
from .serializers.media import MediaAttachment, serialize_media
from .serializers.statuses import Card, Status, serialize_post
from .serializers.values import (
    DateTime,
    EmptyObject,
    Html,
    Id,
    format_datetime,
    render_html,
)
from .status_lookup import find_status, serialize_status

MAX_ANONYMOUS_COMMENTS = 60


class Context(TypedDict):
    """The thread around a status.

    ``ancestors`` are the statuses above, oldest first. ``descendants`` are the replies below. Each reply is
    followed by its own replies.
    """

    ancestors: list[Status]
    descendants: list[Status]


class StatusEdit(TypedDict):
    """A version of a status, written at ``created_at``."""

    content: Html
    spoiler_text: str
    sensitive: bool
    created_at: DateTime
    account: Account
    media_attachments: list[MediaAttachment]
    emojis: list[Emoji]
    poll: NotRequired[StatusEditPoll]


class StatusSource(TypedDict):
    """The text of a status as the author typed it, without HTML."""

    id: Id
    text: str
    spoiler_text: str


@endpoint("read:statuses", caller=Caller.ANYONE, returns=Context, tag="statuses")
def context(request: ApiRequest, status_id: int) -> Any:
    """Return the statuses above and below a status in its thread.

    For a post, the descendants are all its comments. For a comment, only its thread is returned. The limit
    is 4,096 comments, or 60 comments without a user token.
    """
    status = find_status(status_id=status_id, viewer=request.viewer_id)
    limit = MAX_COMMENTS if request.viewer_id else MAX_ANONYMOUS_COMMENTS
    ancestors, descendants = post_conversation(
        post=status.post, comment=status.comment, viewer=request.viewer_id, limit=limit
    )
    comments = serialize_comments_on_posts(
        comments=[*ancestors, *descendants], viewer=request.viewer_id
    )
    ancestor_ids = {str(ancestor.comment.id) for ancestor in ancestors}
    post = [serialize_post(post=status.post)] if status.comment else []
    return {
        "ancestors": [*post, *(comment for comment in comments if comment["id"] in ancestor_ids)],
        "descendants": [comment for comment in comments if comment["id"] not in ancestor_ids],
    }


@endpoint("read:statuses", caller=Caller.ANYONE, returns=list[StatusEdit], tag="statuses")
def history(request: ApiRequest, status_id: int) -> Any:
    """Return the versions of a post, oldest first. For a comment, return only the latest version.

    The files of pictures that an edit removed are deleted: such a picture has the type ``unknown``.
    """
    status = find_status(status_id=status_id, viewer=request.viewer_id)
    if status.comment is not None:
        comment = status.comment
        written_at = comment.edited_at or comment.created_at
        versions = [Version(comment.text, comment.content_warning, (), [], written_at, None)]
        author_uid = comment.author.uid if comment.author else 0
    else:
        versions = post_versions(post=status.post, viewer=request.viewer_id)
        author_uid = status.post.author.uid
    is_poll = status.comment is None and status.post.kind == "poll"
    account = serialize_account(uid=author_uid)
    history_url = path_for("post_history", status.post.author.username, status.post.id)
    return [
        {
            "content": render_html(version.text),
            "spoiler_text": version.content_warning,
            "sensitive": bool(version.content_warning),
            "created_at": format_datetime(version.written_at),
            "account": account,
            "media_attachments": [
                serialize_media(picture, fallback_url=history_url) for picture in version.media
            ],
            "emojis": [],
            **({"poll": _poll(version.details_lines)} if is_poll and version.details_lines else {}),
        }
        for version in versions
    ]


def _poll(choices: Sequence[str]) -> StatusEditPoll:
    return {"options": [{"title": choice} for choice in choices]}


@endpoint("read:statuses", returns=StatusSource, tag="statuses")
def source(request: ApiRequest, status_id: int) -> Any:
    """Return the source text, to fill an edit form."""
    status = find_status(status_id=status_id, viewer=request.uid)
    content = status.comment or status.post
    return {
        "id": str(status_id),
        "text": content.text,
        "spoiler_text": content.content_warning,
    }


def account_page_from_uids(page: ListPage[int]) -> Page:
    return Page.around(page, serialize_account_list(uids=page.items))


@endpoint(
    "read:statuses",
    caller=Caller.ANYONE,
    inputs=AccountPageInputs,
    returns=list[Account],
    tag="statuses",
)
def favourited_by(request: ApiRequest, status_id: int) -> Any:
    """Return the accounts that like a status, newest like first."""
    status = find_status(status_id=status_id, viewer=request.viewer_id)
    return account_page_from_uids(
        liker_uid_page(target_id=status.id, viewer=request.viewer_id, bounds=request.page_bounds)
    )


@endpoint(
    "read:statuses",
    caller=Caller.ANYONE,
    inputs=AccountPageInputs,
    returns=list[Account],
    tag="statuses",
)
def reblogged_by(request: ApiRequest, status_id: int) -> Any:
    """Return the accounts that shared a post, newest share first."""
    status = find_status(status_id=status_id, viewer=request.viewer_id)
    if status.comment is not None:
        return []
    return account_page_from_uids(
        sharer_uid_page(post_id=status.id, viewer=request.viewer_id, bounds=request.page_bounds)
    )


@endpoint("read:statuses", caller=Caller.ANYONE, returns=Card | EmptyObject, tag="statuses")
def card(request: ApiRequest, status_id: int) -> Any:
    """Return the link preview of a post, or an empty object if the post has none."""
    status = find_status(status_id=status_id, viewer=request.viewer_id)
    return serialize_status(status=status, viewer=request.viewer_id)["card"]


@endpoint("read:statuses", returns=EmptyObject, tag="statuses")
def translate(request: ApiRequest, status_id: int) -> None:
    """Return 404, because translation is not supported."""
    find_status(status_id=status_id, viewer=request.uid)
    raise Http404("Translation is not supported.")
