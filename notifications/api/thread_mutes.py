"""Mute and unmute the thread of a status."""

from typing import Any

from accounts.infra.api.endpoints import ApiRequest, endpoint
from feed.api.serializers.statuses import Status
from feed.api.status_lookup import find_status, serialize_status
from notifications.services import preferences


@endpoint("write:mutes", returns=Status)
def mute_thread(request: ApiRequest, status_id: int) -> Any:
    """Mute notifications about a post. The id of a comment mutes the comment's post."""
    return _change_mute(request, status_id, preferences.mute_thread)


@endpoint("write:mutes", returns=Status)
def unmute_thread(request: ApiRequest, status_id: int) -> Any:
    """Unmute notifications about a post."""
    return _change_mute(request, status_id, preferences.unmute_thread)


def _change_mute(request: ApiRequest, status_id: int, change: Any) -> Any:
    status = find_status(status_id=status_id, viewer=request.uid)
    change(uid=request.uid, post_id=status.post.id)
    return serialize_status(status=status, viewer=request.uid)
