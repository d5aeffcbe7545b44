"""What clients ask for and this site has not: lists are empty, and nothing is found by its id."""

from typing import Any, TypedDict

from django.http import Http404

from accounts.api import ApiRequest, Who, Window, endpoint

from .entities import Account, MediaAttachment, Nothing, Status
from .entities.accounts import Emoji
from .entities.values import Id, Moment


class PollOption(TypedDict):
    title: str
    votes_count: int | None


class Poll(TypedDict):
    """https://docs.joinmastodon.org/entities/Poll/"""

    id: Id
    expires_at: Moment | None
    expired: bool
    multiple: bool
    votes_count: int
    voters_count: int | None
    options: list[PollOption]
    emojis: list[Emoji]


class ScheduledStatus(TypedDict):
    """https://docs.joinmastodon.org/entities/ScheduledStatus/"""

    id: Id
    scheduled_at: Moment
    params: dict[str, Any]
    media_attachments: list[MediaAttachment]


class Conversation(TypedDict):
    """https://docs.joinmastodon.org/entities/Conversation/"""

    id: Id
    unread: bool
    accounts: list[Account]
    last_status: Status | None


class CustomEmoji(Emoji):
    category: str | None


@endpoint(who=Who.ANYBODY, returns=list[CustomEmoji])
def custom_emojis(request: ApiRequest) -> Any:
    """Nothing: emoji are those of Unicode here."""
    return []


@endpoint("read:statuses", who=Who.ANYBODY, returns=Poll)
def poll(request: ApiRequest, poll_id: int) -> Any:
    """Not found: there are no polls here."""
    raise Http404("There are none.")


@endpoint("write:statuses", returns=Poll)
def vote(request: ApiRequest, poll_id: int) -> Any:
    """Not found: there are no polls here."""
    raise Http404("There are none.")


@endpoint("read:statuses", takes=Window, returns=list[ScheduledStatus])
def scheduled_statuses(request: ApiRequest) -> Any:
    """Nothing: posts are not scheduled here."""
    return []


@endpoint("read:statuses", returns=ScheduledStatus)
def scheduled_status(request: ApiRequest, scheduled_id: int) -> Any:
    """Not found: posts are not scheduled here."""
    raise Http404("There are none.")


@endpoint("write:statuses", returns=ScheduledStatus)
def reschedule(request: ApiRequest, scheduled_id: int) -> Any:
    """Not found: posts are not scheduled here."""
    raise Http404("There are none.")


@endpoint("write:statuses", returns=Nothing)
def unschedule(request: ApiRequest, scheduled_id: int) -> Any:
    """Not found: posts are not scheduled here."""
    raise Http404("There are none.")


@endpoint("read:statuses", takes=Window, returns=list[Conversation])
def conversations(request: ApiRequest) -> Any:
    """Nothing: posts to single people are at home and in the notifications here."""
    return []


@endpoint("read:statuses", takes=Window, returns=list[Conversation])
def conversations_below(request: ApiRequest) -> Any:
    """The same, where some clients ask for it."""
    return []


@endpoint("write:conversations", returns=Conversation)
def read_conversation(request: ApiRequest, conversation_id: int) -> Any:
    """Not found: posts to single people are at home and in the notifications here."""
    raise Http404("There are none.")


@endpoint("write:conversations", returns=Nothing)
def delete_conversation(request: ApiRequest, conversation_id: int) -> Any:
    """Not found: posts to single people are at home and in the notifications here."""
    raise Http404("There are none.")
