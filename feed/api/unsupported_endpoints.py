"""Endpoints for Mastodon features that this site lacks. They return empty lists or 404 errors."""

from typing import Any, TypedDict

from django.http import Http404

from accounts.infra.api.endpoints import ApiRequest, Caller, endpoint
from accounts.infra.api.inputs import PageInputs
from feed.api.serializers.media import MediaAttachment
from feed.api.serializers.values import EmptyObject

from .serializers.accounts import Emoji
from .serializers.values import DateTime, Id


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
    """Return an empty list, because this site has no custom emoji."""
    return []


@endpoint("read:statuses", inputs=PageInputs, returns=list[ScheduledStatus])
def scheduled_statuses(request: ApiRequest) -> Any:
    """Return an empty list, because posts cannot be scheduled."""
    return []


@endpoint("read:statuses", returns=ScheduledStatus)
def scheduled_status(request: ApiRequest, scheduled_id: int) -> Any:
    """Return 404, because posts cannot be scheduled."""
    raise Http404("Not supported.")


@endpoint("write:statuses", returns=ScheduledStatus)
def reschedule(request: ApiRequest, scheduled_id: int) -> Any:
    """Return 404, because posts cannot be scheduled."""
    raise Http404("Not supported.")


@endpoint("write:statuses", returns=EmptyObject)
def unschedule(request: ApiRequest, scheduled_id: int) -> Any:
    """Return 404, because posts cannot be scheduled."""
    raise Http404("Not supported.")
