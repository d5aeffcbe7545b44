"""Endpoints of the streams. They require a user token.

A WebSocket uses the same endpoints: one when it opens, and one for each subscription (``sockets``).
"""

import json
from collections.abc import Callable
from typing import Annotated, Any

from django.http import Http404, HttpResponse
from django.utils.translation import gettext as _
from rest_framework import serializers

from accounts.infra.ids import MAX_ID, new_id
from feed.text.hashtags import normalize_tag
from notifications.live.stream_requests import EventStreamResponse
from notifications.live.streams import AppStream
from socialsite.api.plumbing.authentication import StreamAuthentication
from socialsite.api.plumbing.endpoints import ApiRequest, Caller, Endpoint, Handler, endpoint
from socialsite.api.plumbing.inputs import Inputs, StringField
from socialsite.api.plumbing.scopes import has_scope

from .app_events import AppEvents
from .channels import (
    DirectChannel,
    EmptyChannel,
    HashtagChannel,
    HomeChannel,
    ListChannel,
    PublicChannel,
)

SOCKET_STATUS = 426
EVENT_STREAM = "text/event-stream"
READ_STATUSES, READ_NOTIFICATIONS = "read:statuses", "read:notifications"
ServerSentEvents = Annotated[
    str, "description", "Server-sent events, until either side closes the connection"
]


class StreamEndpoint(Endpoint):
    authentication_classes = [StreamAuthentication]


class StreamInputs(Inputs):
    """Clients that cannot send headers pass the token as a parameter."""

    access_token = serializers.CharField(required=False, allow_blank=True, max_length=200)


class PublicStreamInputs(StreamInputs):
    only_media = serializers.BooleanField(required=False, default=False)


class HashtagStreamInputs(StreamInputs):
    tag = StringField(max_length=200)


class ListStreamInputs(StreamInputs):
    list = serializers.RegexField(r"^[0-9]{1,19}\Z")


def _stream_endpoint(
    *scopes: str, inputs: type[Inputs] = StreamInputs
) -> Callable[[Handler], Handler]:
    return endpoint(
        *scopes, inputs=inputs, returns=ServerSentEvents, content_type=EVENT_STREAM, tag="streaming"
    )


@endpoint(caller=Caller.ANYONE, returns=str, content_type="text/plain", tag="streaming")
def health(request: ApiRequest) -> Any:
    """Return OK if streams can be opened."""
    return HttpResponse("OK", content_type="text/plain")


@_stream_endpoint()
def socket(request: ApiRequest) -> Any:
    """Open a WebSocket, which has no events of its own. Other requests get 426."""
    name = f"socket {new_id()}"
    response = _open_stream(request, EmptyChannel(viewer=request.uid), name)
    response.status_code = SOCKET_STATUS
    response.content = json.dumps(
        {"error": _("Connect with a WebSocket, or open a stream by name")}
    )
    response["Content-Type"] = "application/json"
    return response


@endpoint(caller=Caller.ANYONE, returns=str, tag="streaming")
def unknown_stream(request: ApiRequest, rest: str) -> Any:
    """Answer 404 for an unknown stream."""
    raise Http404("No such stream.")


@_stream_endpoint(READ_STATUSES)
def user(request: ApiRequest) -> Any:
    """Stream the home timeline and, if the token may read them, notifications."""
    has_notifications = has_scope(granted=request.token.scope.split(), required=READ_NOTIFICATIONS)
    return _open_stream(
        request, HomeChannel(viewer=request.uid), "user", with_notifications=has_notifications
    )


@_stream_endpoint(READ_NOTIFICATIONS)
def user_notification(request: ApiRequest) -> Any:
    """Stream notifications."""
    channel = EmptyChannel(viewer=request.uid)
    return _open_stream(request, channel, "user:notification", with_notifications=True)


def _public_endpoint(name: str, description: str) -> Handler:
    def stream_public(request: ApiRequest) -> Any:
        only_media = request.inputs["only_media"]
        channel = PublicChannel(viewer=request.uid, only_media=only_media)
        return _open_stream(request, channel, f"{name} {only_media}")

    stream_public.__doc__ = description
    return _stream_endpoint(READ_STATUSES, inputs=PublicStreamInputs)(stream_public)


public = _public_endpoint("public", "Stream public posts.")
public_local = _public_endpoint(
    "public:local", "Stream public posts. All posts are from this site."
)


@_stream_endpoint(READ_STATUSES, inputs=PublicStreamInputs)
def public_remote(request: ApiRequest) -> Any:
    """Open a stream without posts, because the site exchanges no posts with other sites."""
    return _open_stream(request, EmptyChannel(viewer=request.uid), "public:remote")


def _hashtag_endpoint(name: str, description: str) -> Handler:
    def stream_hashtag(request: ApiRequest) -> Any:
        tag = normalize_tag(request.inputs["tag"])
        channel = HashtagChannel(viewer=request.uid, tag=tag)
        return _open_stream(request, channel, f"{name} {tag}")

    stream_hashtag.__doc__ = description
    return _stream_endpoint(READ_STATUSES, inputs=HashtagStreamInputs)(stream_hashtag)


hashtag = _hashtag_endpoint("hashtag", "Stream public posts with a hashtag.")
hashtag_local = _hashtag_endpoint(
    "hashtag:local", "Stream public posts with a hashtag. All posts are from this site."
)


@_stream_endpoint(READ_STATUSES, inputs=ListStreamInputs)
def user_list(request: ApiRequest) -> Any:
    """Stream the posts of the users on a list."""
    list_id = min(int(request.inputs["list"]), MAX_ID)
    channel = ListChannel(viewer=request.uid, list_id=list_id)
    return _open_stream(request, channel, f"list {list_id}")


@_stream_endpoint(READ_STATUSES)
def direct(request: ApiRequest) -> Any:
    """Stream the caller's conversations with new messages."""
    return _open_stream(request, DirectChannel(viewer=request.uid), "direct")


def _open_stream(
    request: ApiRequest,
    channel: EmptyChannel,
    name: str,
    *,
    with_notifications: bool = False,
) -> HttpResponse:
    stream = AppStream(
        viewer=request.uid,
        token=request.token.pk,
        channel=name,
        wants=channel.accepts,
        depends_on_follows=channel.depends_on_follows,
    )
    # The stream opens later and then sends the posts after ``since``, so that no post is missed in between.
    events = AppEvents(
        stream=stream, channel=channel, since=new_id(), with_notifications=with_notifications
    )
    return EventStreamResponse(events)
