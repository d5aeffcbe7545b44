"""The WSGI application of the stage ``pages``: the site, and views with ready-made responses.

The header ``Server-Timing`` (https://www.w3.org/TR/server-timing/) of each response contains the total
time, the CPU time of the thread and the time of the database commands, in milliseconds, and the number of
commands.
"""

import json
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from threading import local
from time import perf_counter, thread_time
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import include, path
from pymongo import monitoring


class _DatabaseTime(monitoring.CommandListener):
    """Counters of the database commands of this thread, and of the milliseconds it has waited for them."""

    def __init__(self) -> None:
        self.thread = local()

    def started(self, event: monitoring.CommandStartedEvent) -> None: ...

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None:
        self._count(event.duration_micros)

    def failed(self, event: monitoring.CommandFailedEvent) -> None:
        self._count(event.duration_micros)

    def _count(self, microseconds: int) -> None:
        self.thread.ms = self.ms + microseconds / 1000
        self.thread.commands = self.commands + 1

    @property
    def commands(self) -> int:
        number: int = getattr(self.thread, "commands", 0)
        return number

    @property
    def ms(self) -> float:
        milliseconds: float = getattr(self.thread, "ms", 0.0)
        return milliseconds


_database_time = _DatabaseTime()
# Register before the first client is created, because clients ignore later listeners.
monitoring.register(_database_time)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")
_site = get_wsgi_application()
settings.ROOT_URLCONF = __name__

from accounts.selectors import blocklists  # noqa: E402 - needs the site

# A process reloads the blocked networks every few seconds. On a slow machine this would affect each
# measured response.
blocklists.CACHE_SECONDS = float("inf")

from rest_framework.renderers import JSONRenderer  # noqa: E402 - needs the site
from rest_framework.request import Request  # noqa: E402 - needs the site
from rest_framework.response import Response  # noqa: E402
from rest_framework.views import APIView  # noqa: E402

from socialsite.api.plumbing.endpoints import ApiRequest, endpoint, route  # noqa: E402
from socialsite.api.serializers.statuses import Status  # noqa: E402


class ReadyJson(APIView):
    """A view without authentication and queries, to measure the cost of Django REST framework alone."""

    authentication_classes = ()
    permission_classes = ()
    renderer_classes = (JSONRenderer,)  # not the site's, so that the measure stays the same
    throttle_classes = ()

    def get(self, request: Request, name: str) -> Response:
        return Response(_ready_json(name))


@endpoint("read:statuses", returns=list[Status])
def ready_json_for_viewer(request: ApiRequest, name: str) -> Any:
    """An endpoint of the site with a ready-made response: it checks the token and counts the request."""
    return _ready_json(name)


def ready_html(request: HttpRequest, name: str) -> HttpResponse:
    """A view that renders nothing, to measure the cost of Django and the middleware alone."""
    return HttpResponse(_ready_body(name))


def ready_html_for_viewer(request: HttpRequest, name: str) -> HttpResponse:
    """A ready-made page for members: it reads the session and the user."""
    if not request.user.is_authenticated:
        raise Http404("Only for members.")
    return HttpResponse(_ready_body(name))


@cache
def _ready_json(name: str) -> Any:
    return json.loads(_ready_body(name))


@cache
def _ready_body(name: str) -> bytes:
    return Path(os.environ["READY_RESPONSES"], name).read_bytes()


urlpatterns = [
    path("ready/json/<str:name>", ReadyJson.as_view()),
    path("ready/json/viewer/<str:name>", route(get=ready_json_for_viewer)),
    path("ready/html/<str:name>", ready_html),
    path("ready/html/viewer/<str:name>", ready_html_for_viewer),
    path("", include("socialsite.urls")),
]


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    began, cpu_before = perf_counter(), thread_time()
    waited, commands_before = _database_time.ms, _database_time.commands

    def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
        total_ms, database_ms = (perf_counter() - began) * 1000, _database_time.ms - waited
        cpu_ms = (thread_time() - cpu_before) * 1000
        commands = _database_time.commands - commands_before
        timing = f"total;dur={total_ms:.3f}, cpu;dur={cpu_ms:.3f}"
        timing += f', db;dur={database_ms:.3f};desc="{commands}"'
        return start_response(status, [*headers, ("Server-Timing", timing)], *rest)

    response: Iterable[bytes] = _site(environ, start)
    return response
