"""Live updates of open pages, by a stream or by polling. Pages also work without live updates."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from accounts.infra.cursors import cursor_param, parse_id
from accounts.infra.ids import new_id
from accounts.viewer import viewer_id
from notifications.live.page_events import PageEvents
from notifications.live.stream_requests import EventStreamResponse
from notifications.live.streams import PageStream
from notifications.selectors.read_state import new_posts_badge, unread_badges


@require_GET
@never_cache
def live(request: HttpRequest) -> HttpResponse:
    """Open a stream of events (see ``live.page_events``). Answers 403 to anonymous viewers.

    Only the streams process has this view. Its address may have another port than the site, so the site
    needs permission to read the events.
    """
    viewer = viewer_id(request)
    response = HttpResponse(status=403) if viewer is None else _open_stream(request, viewer)
    response["Access-Control-Allow-Origin"] = settings.SITE_URL
    response["Access-Control-Allow-Credentials"] = "true"
    response["Vary"] = "Origin, Cookie"
    return response


def _open_stream(request: HttpRequest, viewer: int) -> HttpResponse:
    session = request.session
    stream = PageStream(
        viewer=viewer,
        session_key=session.session_key or "",
        session_id=getattr(session, "document_id", None),
    )
    since = parse_id(request.headers.get("Last-Event-ID", "")) or cursor_param(request, "since")
    events = PageEvents(stream=stream, top=cursor_param(request, "top"), since=since)
    return EventStreamResponse(events)


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
