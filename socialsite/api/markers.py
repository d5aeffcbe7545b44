"""Read positions on the home timeline and in notifications.

Apps and pages share these positions. A position never moves back.
"""

from datetime import datetime
from typing import Any, NotRequired, TypedDict

from rest_framework import serializers

from feed.timeline.home import advance_home_position, home_position
from notifications.selectors.read_state import notifications_marker
from notifications.services.boxes import mark_seen_up_to

from .plumbing.endpoints import ApiRequest, endpoint
from .plumbing.inputs import IdField, Inputs
from .serializers.values import DateTime, Id, format_datetime

HOME, NOTIFICATIONS = "home", "notifications"


class Marker(TypedDict):
    """https://docs.joinmastodon.org/entities/Marker/"""

    last_read_id: Id
    version: int
    updated_at: DateTime


class Markers(TypedDict):
    home: NotRequired[Marker]
    notifications: NotRequired[Marker]


class MarkersInputs(Inputs):
    timeline = serializers.ListField(
        child=serializers.ChoiceField(choices=[HOME, NOTIFICATIONS]), default=list, max_length=10
    )


class PositionInputs(Inputs):
    last_read_id = IdField()


class SaveMarkersInputs(Inputs):
    home = PositionInputs(required=False)
    notifications = PositionInputs(required=False)


@endpoint("read:statuses", inputs=MarkersInputs, returns=Markers)
def show_markers(request: ApiRequest) -> Any:
    """Return the read positions of the requested timelines."""
    return _read_markers(request.uid, request.inputs["timeline"])


@endpoint("write:statuses", inputs=SaveMarkersInputs, returns=Markers)
def save_markers(request: ApiRequest) -> Any:
    """Save read positions. A position never moves back."""
    positions = {
        name: position["last_read_id"]
        for name, position in request.inputs.items()
        if position["last_read_id"] is not None
    }
    if HOME in positions:
        advance_home_position(viewer=request.uid, position=positions[HOME])
    if NOTIFICATIONS in positions:
        mark_seen_up_to(recipient=request.uid, newest_id=positions[NOTIFICATIONS])
    return _read_markers(request.uid, list(positions))


def _read_markers(viewer: int, names: list[str]) -> Markers:
    markers: Markers = {}
    if HOME in names and (home := home_position(viewer=viewer)) is not None:
        markers["home"] = _marker(home.position, home.version, home.moved_at)
    if NOTIFICATIONS in names and (marker := notifications_marker(viewer=viewer)) is not None:
        markers["notifications"] = _marker(marker.position, marker.version, marker.updated_at)
    return markers


def _marker(position: int, version: int, moment: datetime) -> Marker:
    return {
        "last_read_id": str(position),
        "version": version,
        "updated_at": format_datetime(moment),
    }
