"""Where one has stopped reading: the home timeline, and one's notifications. Neither ever goes back, and
both are those of the site's pages."""

from datetime import datetime
from typing import Any, NotRequired, TypedDict

from rest_framework import serializers

from accounts.api import ApiRequest, IdField, Inputs, endpoint
from feed import selectors as feed
from feed import services as feed_services
from feed.api.entities import at
from feed.api.entities.values import Id, Moment
from notifications import selectors, services

HOME, NOTIFICATIONS = "home", "notifications"


class Marker(TypedDict):
    """https://docs.joinmastodon.org/entities/Marker/"""

    last_read_id: Id
    version: int
    updated_at: Moment


class Markers(TypedDict):
    home: NotRequired[Marker]
    notifications: NotRequired[Marker]


class Wanted(Inputs):
    timeline = serializers.ListField(
        child=serializers.ChoiceField(choices=[HOME, NOTIFICATIONS]), default=list, max_length=10
    )


class Position(Inputs):
    last_read_id = IdField()


class Positions(Inputs):
    home = Position(required=False)
    notifications = Position(required=False)


@endpoint("read:statuses", takes=Wanted, returns=Markers)
def show(request: ApiRequest) -> Any:
    """Those of these timelines that one has read."""
    return _markers(request.uid, request.given["timeline"])


@endpoint("write:statuses", takes=Positions, returns=Markers)
def save(request: ApiRequest) -> Any:
    """One has read so far. What is behind stays so: a position never goes back."""
    positions = {
        name: position["last_read_id"]
        for name, position in request.given.items()
        if position["last_read_id"] is not None
    }
    if HOME in positions:
        feed_services.remember_position(reader=request.uid, position=positions[HOME])
    if NOTIFICATIONS in positions:
        services.mark_seen_up_to(reader=request.uid, newest=positions[NOTIFICATIONS])
    return _markers(request.uid, list(positions))


def _markers(reader: int, names: list[str]) -> Markers:
    made: Markers = {}
    if HOME in names and (home := feed.home_position(reader=reader)) is not None:
        made["home"] = _marker(home.position, home.version, home.at)
    if NOTIFICATIONS in names and (told := selectors.marker(reader=reader)) is not None:
        made["notifications"] = _marker(told.position, told.version, told.at)
    return made


def _marker(position: int, version: int, moment: datetime) -> Marker:
    return {"last_read_id": str(position), "version": version, "updated_at": at(moment)}
