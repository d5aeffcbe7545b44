"""Live updates of open pages, by a stream or by polling. Pages also work without live updates."""

from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    StreamingHttpResponse,
)
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.infra.cursors import cursor_param, parse_id
from accounts.infra.ids import new_id
from accounts.selectors.follow_graph import followee_ids
from accounts.viewer import viewer_id
from notifications.live.hub import TooManyStreams, get_hub
from notifications.live.page_events import PageEvents
from notifications.live.page_stream import PageStream
from notifications.selectors.read_state import new_posts_badge, unread_badges


@require_GET
@never_cache
def live(request: HttpRequest) -> HttpResponseBase:
    """Stream server-sent events (see ``live.page_events``).

    Answers 403 to anonymous viewers. Answers 204 if there are too many streams, because browsers do not
    reconnect after a 204.
    """
    viewer = viewer_id(request)
    if viewer is None:
        return HttpResponse(status=403)
    stream = PageStream(
        viewer=viewer,
        session_key=request.session.session_key or "",
        followed_uids=followee_ids(uid=viewer),
    )
    hub = get_hub()
    try:
        hub.open(stream=stream)
    except TooManyStreams:
        return HttpResponse(status=204)
    since = parse_id(request.headers.get("Last-Event-ID", "")) or cursor_param(request, "since")
    events = PageEvents(hub=hub, stream=stream, top=cursor_param(request, "top"), since=since)
    response = StreamingHttpResponse(events, content_type="text/event-stream")
    response["X-Accel-Buffering"] = "no"  # otherwise nginx buffers the stream
    return response


@require_GET
@never_cache
def poll(request: HttpRequest) -> HttpResponse:
    """Return the data of the stream as JSON: {unread, messages, posts, id}.

    ``posts`` is null if the query has no ``top``, the id of the newest entry on the page.
    """
    viewer = viewer_id(request)
    if viewer is None:
        return JsonResponse({}, status=403)
    top = cursor_param(request, "top")
    unread, messages = unread_badges(viewer=viewer)
    return JsonResponse(
        {
            "unread": unread,
            "messages": messages,
            "posts": None if top is None else new_posts_badge(viewer=viewer, above=top),
            "id": str(new_id()),
        }
    )
