"""What open pages hear of by themselves: one stream, or a question from time to time. Both need a script;
pages do without."""

from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    JsonResponse,
    StreamingHttpResponse,
)
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts import selectors as people
from accounts.ids import new_id
from accounts.paging import cursor, id_in
from accounts.viewer import viewer_id
from notifications.live.events import Events
from notifications.live.hub import TooManyStreams, hub
from notifications.live.stream import Stream
from notifications.selectors.live import posts_told, unread_told


@require_GET
@never_cache
def live(request: HttpRequest) -> HttpResponseBase:
    """Server-sent events (``live.events``). 403: nobody is logged in; 204, after which browsers do not try
    again: there is no room for another stream."""
    reader = viewer_id(request)
    if reader is None:
        return HttpResponse(status=403)
    stream = Stream(
        reader=reader,
        session=request.session.session_key or "",
        followees=people.followees(uid=reader),
    )
    here = hub()
    try:
        here.open(stream=stream)
    except TooManyStreams:
        return HttpResponse(status=204)
    since = id_in(request.headers.get("Last-Event-ID", "")) or cursor(request, "since")
    events = Events(hub=here, stream=stream, top=cursor(request, "top"), since=since)
    response = StreamingHttpResponse(events, content_type="text/event-stream")
    response["X-Accel-Buffering"] = "no"  # nginx would wait for more
    return response


@require_GET
@never_cache
def poll(request: HttpRequest) -> HttpResponse:
    """The same as JSON: {unread, posts, id}; ``posts`` is null for who did not say their ``top``."""
    reader = viewer_id(request)
    if reader is None:
        return JsonResponse({}, status=403)
    top = cursor(request, "top")
    return JsonResponse(
        {
            "unread": unread_told(reader=reader),
            "posts": None if top is None else posts_told(reader=reader, top=top),
            "id": str(new_id()),
        }
    )
