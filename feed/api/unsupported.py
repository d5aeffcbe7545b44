"""What clients ask for and this site has not: lists are empty, and nothing is found by its id."""

from typing import Any, TypedDict

from django.http import Http404

from accounts.infra.api.endpoints import ApiRequest, Caller, endpoint
from accounts.infra.api.inputs import PageInputs
from feed.api.serializers.media import MediaAttachment
from feed.api.serializers.values import EmptyObject

from .serializers.accounts import Emoji
from .serializers.values import DateTime, Id


class PollOption(TypedDict):
    title: str
    votes_count: int | None


class Poll(TypedDict):
    """https://docs.joinmastodon.org/entities/Poll/"""

    id: Id
    expires_at: DateTime | None
    expired: bool
    multiple: bool
    votes_count: int
    voters_count: int | None
    options: list[PollOption]
    emojis: list[Emoji]


class ScheduledStatus(TypedDict):
    """https://docs.joinmastodon.org/entities/ScheduledStatus/"""

    id: Id
    scheduled_at: DateTime
    params: dict[str, Any]
    media_attachments: list[MediaAttachment]


class CustomEmoji(Emoji):
    category: str | None


@endpoint(caller=Caller.ANYONE, returns=list[CustomEmoji])
def custom_emojis(request: ApiRequest) -> Any:
    """Nothing: emoji are those of Unicode here."""
    return []


@endpoint("read:statuses", caller=Caller.ANYONE, returns=Poll)
def poll(request: ApiRequest, poll_id: int) -> Any:
    """Not found: there are no polls here."""
    raise Http404("There are none.")


@endpoint("write:statuses", returns=Poll)
def vote(request: ApiRequest, poll_id: int) -> Any:
    """Not found: there are no polls here."""
    raise Http404("There are none.")


@endpoint("read:statuses", inputs=PageInputs, returns=list[ScheduledStatus])
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


@endpoint("write:statuses", returns=EmptyObject)
def unschedule(request: ApiRequest, scheduled_id: int) -> Any:
    """Not found: posts are not scheduled here."""
    raise Http404("There are none.")
