"""The addresses of streams. All of them are for people, with a token; there are no WebSockets."""

from typing import Annotated, Any

from django.http import Http404, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.negotiation import DefaultContentNegotiation

from accounts.api import ApiRequest, Inputs, StringField, Who, endpoint
from accounts.api.authentication import StreamAuthentication
from accounts.api.endpoints import Endpoint
from accounts.api.openapi import Told
from accounts.ids import MAX_ID, new_id
from accounts.oauth.scopes import includes
from feed.text.hashtags import tag_key
from notifications.live.app_stream import AppStream
from notifications.live.hub import TooManyStreams, hub

from .channels import Channel, Hashtag, Home, PeopleList, Public
from .events import Events

STREAM = "text/event-stream"
STATUSES, NOTIFICATIONS = "read:statuses", "read:notifications"
COME_AGAIN_SECONDS = 60
ServerSentEvents = Annotated[str, Told(description="Server-sent events, until somebody ends it")]


class _Whatever(DefaultContentNegotiation):
    """Who asks for events gets what goes wrong as JSON all the same."""

    def select_renderer(
        self, request: Any, renderers: Any, format_suffix: str | None = None
    ) -> tuple[Any, str]:
        return renderers[0], renderers[0].media_type


class StreamEndpoint(Endpoint):
    authentication_classes = [StreamAuthentication]
    content_negotiation_class = _Whatever


class Stream(Inputs):
    """Where headers cannot be sent the token comes in the address."""

    access_token = serializers.CharField(required=False, allow_blank=True, max_length=200)


class PublicStream(Stream):
    only_media = serializers.BooleanField(required=False, default=False)


class TagStream(Stream):
    tag = StringField(max_length=200)


class ListStream(Stream):
    list = serializers.RegexField(r"^[0-9]{1,19}\Z")


@endpoint(who=Who.ANYBODY, returns=str, sends="text/plain", tag="streaming")
def health(request: ApiRequest) -> Any:
    """Whether streams can be opened: OK."""
    return HttpResponse("OK", content_type="text/plain")


@endpoint(who=Who.ANYBODY, returns=str, tag="streaming")
def nothing(request: ApiRequest) -> Any:
    """Streams are at this host, each at its own address: 404."""
    raise Http404("No such stream.")


@endpoint(who=Who.ANYBODY, returns=str, tag="streaming")
def unknown(request: ApiRequest, rest: str) -> Any:
    """There are no other streams: 404."""
    raise Http404("No such stream.")


@endpoint(STATUSES, takes=Stream, returns=ServerSentEvents, sends=STREAM, tag="streaming")
def user(request: ApiRequest) -> Any:
    """What comes at home and, if the token may read them, notifications."""
    token: Any = request.auth
    may_be_told = includes(given=token.scope.split(), wanted=NOTIFICATIONS)
    return _opened(request, Home(viewer=request.uid), "user", with_notifications=may_be_told)


@endpoint(NOTIFICATIONS, takes=Stream, returns=ServerSentEvents, sends=STREAM, tag="streaming")
def user_notification(request: ApiRequest) -> Any:
    """Notifications."""
    channel = Channel(viewer=request.uid)
    return _opened(request, channel, "user:notification", with_notifications=True)


@endpoint(STATUSES, takes=PublicStream, returns=ServerSentEvents, sends=STREAM, tag="streaming")
def public(request: ApiRequest) -> Any:
    """What everybody posts for everybody."""
    return _public(request, "public")


@endpoint(STATUSES, takes=PublicStream, returns=ServerSentEvents, sends=STREAM, tag="streaming")
def public_local(request: ApiRequest) -> Any:
    """The same: there is no other site."""
    return _public(request, "public:local")


@endpoint(STATUSES, takes=PublicStream, returns=ServerSentEvents, sends=STREAM, tag="streaming")
def public_remote(request: ApiRequest) -> Any:
    """Nothing: there is no other site."""
    return _opened(request, Channel(viewer=request.uid), "public:remote")


@endpoint(STATUSES, takes=TagStream, returns=ServerSentEvents, sends=STREAM, tag="streaming")
def hashtag(request: ApiRequest) -> Any:
    """What everybody posts for everybody with a hashtag."""
    return _hashtag(request, "hashtag")


@endpoint(STATUSES, takes=TagStream, returns=ServerSentEvents, sends=STREAM, tag="streaming")
def hashtag_local(request: ApiRequest) -> Any:
    """The same: there is no other site."""
    return _hashtag(request, "hashtag:local")


@endpoint(STATUSES, takes=ListStream, returns=ServerSentEvents, sends=STREAM, tag="streaming")
def people_list(request: ApiRequest) -> Any:
    """What the people on one of one's lists post."""
    list_id = min(int(request.given["list"]), MAX_ID)
    channel = PeopleList(viewer=request.uid, list_id=list_id)
    return _opened(request, channel, f"list {list_id}")


@endpoint(STATUSES, takes=Stream, returns=ServerSentEvents, sends=STREAM, tag="streaming")
def direct(request: ApiRequest) -> Any:
    """Nothing: there are no conversations here; who is mentioned is notified."""
    return _opened(request, Channel(viewer=request.uid), "direct")


def _public(request: ApiRequest, name: str) -> HttpResponseBase:
    only_media = request.given["only_media"]
    channel = Public(viewer=request.uid, only_media=only_media)
    return _opened(request, channel, f"{name} {only_media}")


def _hashtag(request: ApiRequest, name: str) -> HttpResponseBase:
    tag = tag_key(request.given["tag"].removeprefix("#"))
    return _opened(request, Hashtag(viewer=request.uid, tag=tag), f"{name} {tag}")


def _opened(
    request: ApiRequest, channel: Channel, name: str, *, with_notifications: bool = False
) -> HttpResponseBase:
    token: Any = request.auth
    stream = AppStream(reader=request.uid, token=token.pk, channel=name, wants=channel.wants)
    here = hub()
    # What it has not heard it asks for: all since this moment.
    events = Events(
        hub=here,
        stream=stream,
        channel=channel,
        since=new_id(),
        with_notifications=with_notifications,
    )
    try:
        here.open(stream=stream)
    except TooManyStreams:
        full = {"error": _("There are too many streams at the moment.")}
        wait = {"Retry-After": str(COME_AGAIN_SECONDS)}
        return JsonResponse(full, status=503, headers=wait)
    response = StreamingHttpResponse(events, content_type=STREAM)
    response["X-Accel-Buffering"] = "no"  # nginx would wait for more
    return response
