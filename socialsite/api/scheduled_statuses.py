"""Scheduled posts as the scheduled statuses of Mastodon. Drafts without a due time are only on pages."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, TypedDict

from feed.post_content import PostContent
from feed.selectors.drafts import DraftView, draft_view, own_scheduled_post, scheduled_posts
from feed.services import drafts

from .plumbing.endpoints import ApiRequest, Page, endpoint
from .plumbing.inputs import Inputs, PageInputs
from .polls import ScheduledPoll, serialize_scheduled_poll
from .serializers.media import MediaAttachment, serialize_media
from .serializers.statuses import API_QUOTE_POLICIES, API_VISIBILITIES
from .serializers.values import DateTime, EmptyObject, Id, format_datetime
from .status_inputs import ScheduledAtField
from .status_lookup import find_status, refuse_unexpected_readers


class ScheduledParams(TypedDict):
    """The inputs of the status. ``application_id`` is 0 if the post was scheduled on a page."""

    text: str
    poll: ScheduledPoll | None
    media_ids: list[Id] | None
    sensitive: bool
    spoiler_text: str | None
    visibility: str
    in_reply_to_id: Id | None
    language: str | None
    quoted_status_id: Id | None
    quote_approval_policy: str
    application_id: int
    scheduled_at: DateTime | None
    idempotency: str | None
    with_rate_limit: bool


class ScheduledStatus(TypedDict):
    """https://docs.joinmastodon.org/entities/ScheduledStatus/"""

    id: Id
    scheduled_at: DateTime
    params: ScheduledParams
    media_attachments: list[MediaAttachment]


def serialize_scheduled(view: DraftView) -> ScheduledStatus:
    """Serialize a scheduled post. Raises LookupError for a draft without a due time."""
    draft, content = view.draft, view.draft.content
    if draft.due_at is None:
        raise LookupError("The draft has no due time.")
    return {
        "id": str(draft.id),
        "scheduled_at": format_datetime(draft.due_at),
        "params": {
            "text": content.text,
            "poll": serialize_scheduled_poll(content.details) if content.kind == "poll" else None,
            "media_ids": [str(picture_id) for picture_id in content.picture_ids] or None,
            "sensitive": bool(content.content_warning),
            "spoiler_text": content.content_warning or None,
            "visibility": API_VISIBILITIES[content.audience.visibility],
            "in_reply_to_id": str(draft.reply_to_id) if draft.reply_to_id else None,
            "language": content.language or None,
            "quoted_status_id": str(content.quoted_id) if content.quoted_id else None,
            "quote_approval_policy": API_QUOTE_POLICIES[content.audience.quote_policy],
            "application_id": draft.application,
            "scheduled_at": None,
            "idempotency": None,
            "with_rate_limit": False,
        },
        "media_attachments": [serialize_media(picture) for picture in view.pictures],
    }


def schedule_status(
    *, request: ApiRequest, content: PostContent, idempotency_key: str
) -> ScheduledStatus:
    """Schedule the status in the inputs of ``POST statuses``, whose content is ``content``.

    Raises Http404 if the status has ``in_reply_to_id`` and the caller cannot read that post or comment.
    """
    inputs = request.inputs
    reply_to_id, keeps_audience = 0, False
    if inputs["in_reply_to_id"] is not None:
        target = find_status(status_id=inputs["in_reply_to_id"], viewer=request.uid)
        refuse_unexpected_readers(target=target, request=request)
        reply_to_id, keeps_audience = target.id, not inputs["visibility"]
        if keeps_audience:
            inherited = (target.comment and target.comment.visibility) or target.post.visibility
            content = replace(content, audience=replace(content.audience, visibility=inherited))
    draft_id = drafts.save_draft(
        author=request.uid,
        content=content,
        reply_to_id=reply_to_id,
        keeps_audience=keeps_audience,
        due_at=inputs["scheduled_at"],
        idempotency_key=idempotency_key,
        application=request.token.application_id,
    )
    draft = own_scheduled_post(owner=request.uid, draft_id=draft_id)
    return serialize_scheduled(draft_view(draft=draft))


@endpoint("read:statuses", inputs=PageInputs, returns=list[ScheduledStatus])
def index(request: ApiRequest) -> Any:
    """Return the caller's scheduled posts, the newest first."""
    page = scheduled_posts(owner=request.uid, bounds=request.page_bounds)
    return Page.around(page, [serialize_scheduled(view) for view in page.items])


@endpoint("read:statuses", returns=ScheduledStatus)
def show(request: ApiRequest, scheduled_id: int) -> Any:
    """Return a scheduled post of the caller."""
    draft = own_scheduled_post(owner=request.uid, draft_id=scheduled_id)
    return serialize_scheduled(draft_view(draft=draft))


class RescheduleInputs(Inputs):
    scheduled_at = ScheduledAtField()


@endpoint("write:statuses", inputs=RescheduleInputs, returns=ScheduledStatus)
def update(request: ApiRequest, scheduled_id: int) -> Any:
    """Change when a scheduled post is published. Without ``scheduled_at``, nothing changes."""
    draft = own_scheduled_post(owner=request.uid, draft_id=scheduled_id)
    due_at: datetime | None = request.inputs["scheduled_at"]
    if due_at is not None:
        draft = drafts.change_draft(draft=draft, due_at=due_at.astimezone(UTC))
    return serialize_scheduled(draft_view(draft=draft))


@endpoint("write:statuses", returns=EmptyObject)
def delete(request: ApiRequest, scheduled_id: int) -> None:
    """Delete a scheduled post of the caller. It will not be published."""
    drafts.delete_draft(draft=own_scheduled_post(owner=request.uid, draft_id=scheduled_id))
