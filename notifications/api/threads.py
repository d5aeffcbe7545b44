"""Conversations of which one does not want to hear."""

from typing import Any

from accounts.api import ApiRequest, endpoint
from feed.api.entities import Status
from feed.api.found import find, status_json
from notifications import services


@endpoint("write:mutes", returns=Status)
def mute(request: ApiRequest, status_id: int) -> Any:
    """Hear nothing more of what is said to a post; of a comment, to its post."""
    return _changed(request, status_id, services.mute_thread)


@endpoint("write:mutes", returns=Status)
def unmute(request: ApiRequest, status_id: int) -> Any:
    """Hear again of what is said to a post."""
    return _changed(request, status_id, services.unmute_thread)


def _changed(request: ApiRequest, status_id: int, change: Any) -> Any:
    found = find(status_id=status_id, viewer=request.uid)
    change(reader=request.uid, post_id=found.post.id)
    return status_json(found=found, viewer=request.uid)
