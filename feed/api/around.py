"""What there is around a post or comment: what it says exactly and has said, the conversation, who likes
and shares it."""

from typing import Any, TypedDict

from django.http import Http404
from rest_framework import serializers

from accounts.api import ApiRequest, Page, Who, Window, endpoint
from feed import selectors
from feed.selectors import UidPage

from .entities import (
    EMPTY,
    Account,
    MediaAttachment,
    Nothing,
    Status,
    account_of,
    at,
    attachment,
    html,
    listed,
    status_of,
    statuses_of_comments,
)
from .entities.accounts import Emoji
from .entities.statuses import Card
from .entities.values import Html, Id, Moment
from .found import find, status_json

MOST_FOR_VISITORS = 60


class People(Window):
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
    created_at: Moment
    account: Account
    media_attachments: list[MediaAttachment]
    emojis: list[Emoji]


class StatusSource(TypedDict):
    """As it was typed."""

    id: Id
    text: str
    spoiler_text: str


@endpoint("read:statuses", who=Who.ANYBODY, returns=Context, tag="statuses")
def context(request: ApiRequest, status_id: int) -> Any:
    """What it answers and what answers it, also indirectly: of a post all comments, of a comment those of
    its thread. At most 4,096, for visitors 60."""
    found = find(status_id=status_id, viewer=request.viewer)
    limit = selectors.MOST_READ if request.viewer else MOST_FOR_VISITORS
    said = selectors.conversation(
        post=found.post, about=found.comment, viewer=request.viewer, limit=limit
    )
    comments = statuses_of_comments(said=[*said.above, *said.below], viewer=request.viewer)
    above = {str(one.comment.id) for one in said.above}
    post = [status_of(view=found.post, viewer=request.viewer)] if found.comment else []
    return {
        "ancestors": [*post, *(one for one in comments if one["id"] in above)],
        "descendants": [one for one in comments if one["id"] not in above],
    }


@endpoint("read:statuses", who=Who.ANYBODY, returns=list[StatusEdit], tag="statuses")
def history(request: ApiRequest, status_id: int) -> Any:
    """What it has said, the first words first. Of comments only the last words are kept."""
    found = find(status_id=status_id, viewer=request.viewer)
    if found.comment is not None:
        said = found.comment
        words = [(said.text, "", said.edited_at or said.created_at)]
        author = said.by.uid if said.by else 0
    else:
        versions = selectors.all_versions(post=found.post, viewer=request.viewer)
        words = [(one.text, one.warning, one.since) for one in versions]
        author = found.post.author.uid
    account = account_of(uid=author)
    media = [attachment(one) for one in found.post.media] if found.comment is None else []
    return [
        {
            "content": html(text),
            "spoiler_text": warning,
            "sensitive": bool(warning),
            "created_at": at(since),
            "account": account,
            "media_attachments": media,
            "emojis": [],
        }
        for text, warning, since in words
    ]


@endpoint("read:statuses", returns=StatusSource, tag="statuses")
def source(request: ApiRequest, status_id: int) -> Any:
    """As it was typed."""
    found = find(status_id=status_id, viewer=request.uid)
    text = found.comment.text if found.comment else found.post.text
    warning = "" if found.comment else found.post.warning
    return {"id": str(status_id), "text": text, "spoiler_text": warning}


def people_page(page: UidPage) -> Page:
    return Page(items=listed(uids=page.uids), older=page.older, newer=page.newer)


@endpoint("read:statuses", who=Who.ANYBODY, takes=People, returns=list[Account], tag="statuses")
def favourited_by(request: ApiRequest, status_id: int) -> Any:
    """Who likes it, the newest like first."""
    found = find(status_id=status_id, viewer=request.viewer)
    return people_page(
        selectors.liker_uids(liked=found.id, viewer=request.viewer, **request.window)
    )


@endpoint("read:statuses", who=Who.ANYBODY, takes=People, returns=list[Account], tag="statuses")
def reblogged_by(request: ApiRequest, status_id: int) -> Any:
    """Who has shared it, the newest share first."""
    found = find(status_id=status_id, viewer=request.viewer)
    if found.comment is not None:
        return []
    return people_page(
        selectors.sharer_uids(post=found.id, viewer=request.viewer, **request.window)
    )


@endpoint("read:statuses", who=Who.ANYBODY, takes=Window, returns=list[Status], tag="statuses")
def quotes(request: ApiRequest, status_id: int) -> Any:
    """Nothing: posts cannot be quoted here."""
    find(status_id=status_id, viewer=request.viewer)
    return []


@endpoint("read:statuses", who=Who.ANYBODY, returns=Card | Nothing, tag="statuses")
def card(request: ApiRequest, status_id: int) -> Any:
    """The page that a post is about; empty if it is about none."""
    found = find(status_id=status_id, viewer=request.viewer)
    return status_json(found=found, viewer=request.viewer)["card"] or EMPTY


@endpoint("read:statuses", returns=Nothing, tag="statuses")
def translate(request: ApiRequest, status_id: int) -> Any:
    """Not found: nothing is translated here."""
    find(status_id=status_id, viewer=request.uid)
    raise Http404("There is no translator.")
