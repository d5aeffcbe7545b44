"""Conversations of which one does not want to hear."""

from typing import Any

from accounts.infra.api.endpoints import ApiRequest, endpoint
from feed.api.serializers.statuses import Status
from feed.api.status_lookup import find_status, serialize_status
from notifications.services import choosing


@endpoint("write:mutes", returns=Status)
def mute_thread(request: ApiRequest, status_id: int) -> Any:
    """Hear nothing more of what is said to a post; of a comment, to its post."""
    return _changed(request, status_id, choosing.mute_thread)


@endpoint("write:mutes", returns=Status)
def unmute_thread(request: ApiRequest, status_id: int) -> Any:
    """Hear again of what is said to a post."""
    return _changed(request, status_id, choosing.unmute_thread)


def _changed(request: ApiRequest, status_id: int, change: Any) -> Any:
    found = find_status(status_id=status_id, viewer=request.uid)
    change(reader=request.uid, post_id=found.post.id)
    return serialize_status(found=found, viewer=request.uid)
