"""What there is around a post or comment: what it says exactly and has said, the conversation, who likes
and shares it."""

from typing import Any, TypedDict

from django.http import Http404
from rest_framework import serializers

from accounts.infra.api.endpoints import ApiRequest, Caller, endpoint
from accounts.infra.api.inputs import PageInputs
from accounts.infra.api.pages import Page
from feed.api.serializers.accounts import Account, serialize_account, serialize_account_list
from feed.api.serializers.comments import serialize_comments_on_posts
from feed.api.serializers.media import MediaAttachment, serialize_media
from feed.api.serializers.statuses import Status, serialize_post
from feed.api.serializers.values import EMPTY_OBJECT, EmptyObject, format_datetime, render_html
from feed.selectors.conversation import MAX_COMMENTS, post_conversation
from feed.selectors.history import post_versions
from feed.selectors.likers import liker_uid_page, sharer_uid_page
from feed.selectors.uid_pages import UidPage

from .serializers.accounts import Emoji
from .serializers.statuses import Card
from .serializers.values import DateTime, Html, Id
from .status_lookup import find_status, serialize_status

MAX_ANONYMOUS_COMMENTS = 60


class People(PageInputs):
    most = 80

    limit = serializers.IntegerField(default=40, min_value=1)


class Context(TypedDict):
    """``ancestors``: what it answers, the first first. ``descendants``: the answers, each followed by its
    own."""

    ancestors: list[Status]
    descendants: list[Status]


class StatusEdit(TypedDict):
    """What it said from ``created_at`` on."""

    content: Html
    spoiler_text: str
    sensitive: bool
    created_at: DateTime
    account: Account
    media_attachments: list[MediaAttachment]
    emojis: list[Emoji]


class StatusSource(TypedDict):
    """As it was typed."""

    id: Id
    text: str
    spoiler_text: str


@endpoint("read:statuses", caller=Caller.ANYONE, returns=Context, tag="statuses")
def context(request: ApiRequest, status_id: int) -> Any:
    """What it answers and what answers it, also indirectly: of a post all comments, of a comment those of
    its thread. At most 4,096, for visitors 60."""
    found = find_status(status_id=status_id, viewer=request.viewer_id)
    limit = MAX_COMMENTS if request.viewer_id else MAX_ANONYMOUS_COMMENTS
    said = post_conversation(
        post=found.post, comment=found.comment, viewer=request.viewer_id, limit=limit
    )
    comments = serialize_comments_on_posts(
        comments=[*said.ancestors, *said.descendants], viewer=request.viewer_id
    )
    above = {str(one.comment.id) for one in said.ancestors}
    post = [serialize_post(post=found.post, viewer=request.viewer_id)] if found.comment else []
    return {
        "ancestors": [*post, *(one for one in comments if one["id"] in above)],
        "descendants": [one for one in comments if one["id"] not in above],
    }


@endpoint("read:statuses", caller=Caller.ANYONE, returns=list[StatusEdit], tag="statuses")
def history(request: ApiRequest, status_id: int) -> Any:
    """What it has said, the first words first. Of comments only the last words are kept."""
    found = find_status(status_id=status_id, viewer=request.viewer_id)
    if found.comment is not None:
        said = found.comment
        words = [(said.text, "", said.edited_at or said.created_at)]
        author = said.author.uid if said.author else 0
    else:
        versions = post_versions(post=found.post, viewer=request.viewer_id)
        words = [(one.text, one.content_warning, one.written_at) for one in versions]
        author = found.post.author.uid
    account = serialize_account(uid=author)
    media = [serialize_media(one) for one in found.post.media] if found.comment is None else []
    return [
        {
            "content": render_html(text),
            "spoiler_text": warning,
            "sensitive": bool(warning),
            "created_at": format_datetime(since),
            "account": account,
            "media_attachments": media,
            "emojis": [],
        }
        for text, warning, since in words
    ]


@endpoint("read:statuses", returns=StatusSource, tag="statuses")
def source(request: ApiRequest, status_id: int) -> Any:
    """As it was typed."""
    found = find_status(status_id=status_id, viewer=request.uid)
    text = found.comment.text if found.comment else found.post.text
    warning = "" if found.comment else found.post.content_warning
    return {"id": str(status_id), "text": text, "spoiler_text": warning}


def account_page_from_uids(page: UidPage) -> Page:
    return Page(
        results=serialize_account_list(uids=page.uids),
        older_cursor=page.older_cursor,
        newer_cursor=page.newer_cursor,
    )


@endpoint(
    "read:statuses", caller=Caller.ANYONE, inputs=People, returns=list[Account], tag="statuses"
)
def favourited_by(request: ApiRequest, status_id: int) -> Any:
    """Who likes it, the newest like first."""
    found = find_status(status_id=status_id, viewer=request.viewer_id)
    return account_page_from_uids(
        liker_uid_page(target_id=found.id, viewer=request.viewer_id, **request.page_bounds)
    )


@endpoint(
    "read:statuses", caller=Caller.ANYONE, inputs=People, returns=list[Account], tag="statuses"
)
def reblogged_by(request: ApiRequest, status_id: int) -> Any:
    """Who has shared it, the newest share first."""
    found = find_status(status_id=status_id, viewer=request.viewer_id)
    if found.comment is not None:
        return []
    return account_page_from_uids(
        sharer_uid_page(post_id=found.id, viewer=request.viewer_id, **request.page_bounds)
    )


@endpoint(
    "read:statuses", caller=Caller.ANYONE, inputs=PageInputs, returns=list[Status], tag="statuses"
)
def quotes(request: ApiRequest, status_id: int) -> Any:
    """Nothing: posts cannot be quoted here."""
    find_status(status_id=status_id, viewer=request.viewer_id)
    return []


@endpoint("read:statuses", caller=Caller.ANYONE, returns=Card | EmptyObject, tag="statuses")
def card(request: ApiRequest, status_id: int) -> Any:
    """The page that a post is about; empty if it is about none."""
    found = find_status(status_id=status_id, viewer=request.viewer_id)
    return serialize_status(found=found, viewer=request.viewer_id)["card"] or EMPTY_OBJECT


@endpoint("read:statuses", returns=EmptyObject, tag="statuses")
def translate(request: ApiRequest, status_id: int) -> Any:
    """Not found: nothing is translated here."""
    find_status(status_id=status_id, viewer=request.uid)
    raise Http404("There is no translator.")
