"""Mute and unmute the thread of a status."""

from dataclasses import replace
from typing import Any

from notifications.services.preferences import mute_thread as mute
from notifications.store.threads import unmute_thread as unmute

from .plumbing.endpoints import ApiRequest, endpoint
from .serializers.statuses import Status
from .status_lookup import FoundStatus, find_status, serialize_status


@endpoint("write:mutes", returns=Status)
def mute_thread(request: ApiRequest, status_id: int) -> Any:
    """Mute notifications about a post. The id of a comment mutes the comment's post."""
    status = find_status(status_id=status_id, viewer=request.uid)
    mute(uid=request.uid, post_id=status.post.id)
    return _serialize(status, request.uid, is_muted=True)


@endpoint("write:mutes", returns=Status)
def unmute_thread(request: ApiRequest, status_id: int) -> Any:
    """Unmute notifications about a post."""
    status = find_status(status_id=status_id, viewer=request.uid)
    unmute(uid=request.uid, post=status.post.id)
    return _serialize(status, request.uid, is_muted=False)


def _serialize(status: FoundStatus, viewer: int, *, is_muted: bool) -> Status:
    changed_status = replace(status, post=replace(status.post, is_muted=is_muted))
    return serialize_status(status=changed_status, viewer=viewer)
