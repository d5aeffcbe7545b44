"""The WSGI application of the stage ``api``: the site, and a view with ready-made responses.

The header ``Server-Timing`` (https://www.w3.org/TR/server-timing/) of each response contains the total time
and the time of the database commands, in milliseconds.
"""

import json
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from threading import local
from time import perf_counter
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import include, path
from pymongo import monitoring


class _DatabaseTime(monitoring.CommandListener):
    """A counter of the milliseconds that this thread has waited for the database."""

    def __init__(self) -> None:
        self.thread = local()

    def started(self, event: monitoring.CommandStartedEvent) -> None: ...

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None:
        self.thread.ms = self.ms + event.duration_micros / 1000

    def failed(self, event: monitoring.CommandFailedEvent) -> None:
        self.thread.ms = self.ms + event.duration_micros / 1000

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

from rest_framework.request import Request  # noqa: E402 - needs the site
from rest_framework.response import Response  # noqa: E402
from rest_framework.views import APIView  # noqa: E402


class PreparedResponseView(APIView):
    """A view without authentication and queries, to measure the cost of Django REST framework alone."""

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()

    def get(self, request: Request, posts: int) -> Response:
        return Response(_prepared_posts(posts))


@cache
def _prepared_posts(posts: int) -> Any:
    return json.loads(Path(os.environ["READY_RESPONSES"], f"{posts}.json").read_text())


urlpatterns = [
    path("ready/<int:posts>", PreparedResponseView.as_view()),
    path("", include("socialsite.urls")),
]


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    began, waited = perf_counter(), _database_time.ms

    def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
        total_ms, database_ms = (perf_counter() - began) * 1000, _database_time.ms - waited
        timing = f"total;dur={total_ms:.3f}, db;dur={database_ms:.3f}"
        return start_response(status, [*headers, ("Server-Timing", timing)], *rest)

    response: Iterable[bytes] = _site(environ, start)
    return response
