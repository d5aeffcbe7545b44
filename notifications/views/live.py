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

from accounts.infra.ids import new_id
from accounts.infra.paging import cursor_param, parse_id
from accounts.selectors.follow_graph import followee_ids
from accounts.viewer import viewer_id
from notifications.live.hub import TooManyStreams, get_hub
from notifications.live.page_events import PageEvents
from notifications.live.page_stream import PageStream
from notifications.selectors.read_state import new_posts_badge, unread_badge


@require_GET
@never_cache
def live(request: HttpRequest) -> HttpResponseBase:
    """Server-sent events (``live.events``). 403: nobody is logged in; 204, after which browsers do not try
    again: there is no room for another stream."""
    reader = viewer_id(request)
    if reader is None:
        return HttpResponse(status=403)
    stream = PageStream(
        viewer=reader,
        session_key=request.session.session_key or "",
        followed_uids=followee_ids(uid=reader),
    )
    here = get_hub()
    try:
        here.open(stream=stream)
    except TooManyStreams:
        return HttpResponse(status=204)
    since = parse_id(request.headers.get("Last-Event-ID", "")) or cursor_param(request, "since")
    events = PageEvents(hub=here, stream=stream, top=cursor_param(request, "top"), since=since)
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
    top = cursor_param(request, "top")
    return JsonResponse(
        {
            "unread": unread_badge(viewer=reader),
            "posts": None if top is None else new_posts_badge(viewer=reader, above=top),
            "id": str(new_id()),
        }
    )
