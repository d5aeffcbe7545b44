"""The addresses of streams. All of them are for people, with a token; there are no WebSockets."""

from typing import Annotated, Any

from django.http import Http404, HttpResponse, HttpResponseBase, JsonResponse, StreamingHttpResponse
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.negotiation import DefaultContentNegotiation

from accounts.api.authentication import StreamAuthentication
from accounts.infra.api.endpoints import ApiRequest, Caller, Endpoint, endpoint
from accounts.infra.api.inputs import Inputs, StringField
from accounts.infra.api.openapi import SchemaHints
from accounts.infra.api.scopes import has_scope
from accounts.infra.ids import MAX_ID, new_id
from feed.text.hashtags import tag_key
from notifications.live.app_stream import AppStream
from notifications.live.hub import TooManyStreams, get_hub

from .app_events import AppEvents
from .channels import EmptyChannel, HashtagChannel, HomeChannel, ListChannel, PublicChannel

EVENT_STREAM = "text/event-stream"
READ_STATUSES, READ_NOTIFICATIONS = "read:statuses", "read:notifications"
RETRY_AFTER_SECONDS = 60
ServerSentEvents = Annotated[
    str, SchemaHints(description="Server-sent events, until somebody ends it")
]


class _Whatever(DefaultContentNegotiation):
    """Who asks for events gets what goes wrong as JSON all the same."""

    def select_renderer(
        self, request: Any, renderers: Any, format_suffix: str | None = None
    ) -> tuple[Any, str]:
        return renderers[0], renderers[0].media_type


class StreamEndpoint(Endpoint):
    authentication_classes = [StreamAuthentication]
    content_negotiation_class = _Whatever


class StreamInputs(Inputs):
    """Where headers cannot be sent the token comes in the address."""

    access_token = serializers.CharField(required=False, allow_blank=True, max_length=200)


class PublicStreamInputs(StreamInputs):
    only_media = serializers.BooleanField(required=False, default=False)


class HashtagStreamInputs(StreamInputs):
    tag = StringField(max_length=200)


class ListStreamInputs(StreamInputs):
    list = serializers.RegexField(r"^[0-9]{1,19}\Z")


@endpoint(caller=Caller.ANYONE, returns=str, content_type="text/plain", tag="streaming")
def health(request: ApiRequest) -> Any:
    """Whether streams can be opened: OK."""
    return HttpResponse("OK", content_type="text/plain")


@endpoint(caller=Caller.ANYONE, returns=str, tag="streaming")
def missing_stream_name(request: ApiRequest) -> Any:
    """Streams are at this host, each at its own address: 404."""
    raise Http404("No such stream.")


@endpoint(caller=Caller.ANYONE, returns=str, tag="streaming")
def unknown_stream(request: ApiRequest, rest: str) -> Any:
    """There are no other streams: 404."""
    raise Http404("No such stream.")


@endpoint(
    READ_STATUSES,
    inputs=StreamInputs,
    returns=ServerSentEvents,
    content_type=EVENT_STREAM,
    tag="streaming",
)
def user(request: ApiRequest) -> Any:
    """What comes at home and, if the token may read them, notifications."""
    token: Any = request.auth
    may_be_told = has_scope(granted=token.scope.split(), required=READ_NOTIFICATIONS)
    return _opened(request, HomeChannel(viewer=request.uid), "user", with_notifications=may_be_told)


@endpoint(
    READ_NOTIFICATIONS,
    inputs=StreamInputs,
    returns=ServerSentEvents,
    content_type=EVENT_STREAM,
    tag="streaming",
)
def user_notification(request: ApiRequest) -> Any:
    """Notifications."""
    channel = EmptyChannel(viewer=request.uid)
    return _opened(request, channel, "user:notification", with_notifications=True)


@endpoint(
    READ_STATUSES,
    inputs=PublicStreamInputs,
    returns=ServerSentEvents,
    content_type=EVENT_STREAM,
    tag="streaming",
)
def public(request: ApiRequest) -> Any:
    """What everybody posts for everybody."""
    return _public(request, "public")


@endpoint(
    READ_STATUSES,
    inputs=PublicStreamInputs,
    returns=ServerSentEvents,
    content_type=EVENT_STREAM,
    tag="streaming",
)
def public_local(request: ApiRequest) -> Any:
    """The same: there is no other site."""
    return _public(request, "public:local")


@endpoint(
    READ_STATUSES,
    inputs=PublicStreamInputs,
    returns=ServerSentEvents,
    content_type=EVENT_STREAM,
    tag="streaming",
)
def public_remote(request: ApiRequest) -> Any:
    """Nothing: there is no other site."""
    return _opened(request, EmptyChannel(viewer=request.uid), "public:remote")


@endpoint(
    READ_STATUSES,
    inputs=HashtagStreamInputs,
    returns=ServerSentEvents,
    content_type=EVENT_STREAM,
    tag="streaming",
)
def hashtag(request: ApiRequest) -> Any:
    """What everybody posts for everybody with a hashtag."""
    return _hashtag(request, "hashtag")


@endpoint(
    READ_STATUSES,
    inputs=HashtagStreamInputs,
    returns=ServerSentEvents,
    content_type=EVENT_STREAM,
    tag="streaming",
)
def hashtag_local(request: ApiRequest) -> Any:
    """The same: there is no other site."""
    return _hashtag(request, "hashtag:local")


@endpoint(
    READ_STATUSES,
    inputs=ListStreamInputs,
    returns=ServerSentEvents,
    content_type=EVENT_STREAM,
    tag="streaming",
)
def user_list(request: ApiRequest) -> Any:
    """What the people on one of one's lists post."""
    list_id = min(int(request.inputs["list"]), MAX_ID)
    channel = ListChannel(viewer=request.uid, list_id=list_id)
    return _opened(request, channel, f"list {list_id}")


@endpoint(
    READ_STATUSES,
    inputs=StreamInputs,
    returns=ServerSentEvents,
    content_type=EVENT_STREAM,
    tag="streaming",
)
def direct(request: ApiRequest) -> Any:
    """Nothing: there are no conversations here; who is mentioned is notified."""
    return _opened(request, EmptyChannel(viewer=request.uid), "direct")


def _public(request: ApiRequest, name: str) -> HttpResponseBase:
    only_media = request.inputs["only_media"]
    channel = PublicChannel(viewer=request.uid, only_media=only_media)
    return _opened(request, channel, f"{name} {only_media}")


def _hashtag(request: ApiRequest, name: str) -> HttpResponseBase:
    tag = tag_key(request.inputs["tag"].removeprefix("#"))
    return _opened(request, HashtagChannel(viewer=request.uid, tag=tag), f"{name} {tag}")


def _opened(
    request: ApiRequest, channel: EmptyChannel, name: str, *, with_notifications: bool = False
) -> HttpResponseBase:
    token: Any = request.auth
    stream = AppStream(viewer=request.uid, token=token.pk, channel=name, wants=channel.accepts)
    here = get_hub()
    # What it has not heard it asks for: all since this moment.
    events = AppEvents(
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
        wait = {"Retry-After": str(RETRY_AFTER_SECONDS)}
        return JsonResponse(full, status=503, headers=wait)
    response = StreamingHttpResponse(events, content_type=EVENT_STREAM)
    response["X-Accel-Buffering"] = "no"  # nginx would wait for more
    return response
