"""What gunicorn serves for the stage ``api``: the site, and beside it an answer that is ready-made.

Each answer says in ``Server-Timing`` (https://www.w3.org/TR/server-timing/) how many milliseconds it took
and how many of them it waited for the database.
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


class _Waited(monitoring.CommandListener):
    """Milliseconds that this thread has waited for its commands."""

    def __init__(self) -> None:
        self.here = local()

    def started(self, event: monitoring.CommandStartedEvent) -> None: ...

    def succeeded(self, event: monitoring.CommandSucceededEvent) -> None:
        self.here.ms = self.ms + event.duration_micros / 1000

    def failed(self, event: monitoring.CommandFailedEvent) -> None:
        self.here.ms = self.ms + event.duration_micros / 1000

    @property
    def ms(self) -> float:
        waited: float = getattr(self.here, "ms", 0.0)
        return waited


_waited = _Waited()
monitoring.register(_waited)  # before there is a client

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "socialsite.settings")
_site = get_wsgi_application()
settings.ROOT_URLCONF = __name__

from accounts.selectors import blocklists  # noqa: E402 - needs the site

# A process reads the blocked networks again every few seconds. On a slow machine this would be part of
# each measured response.
blocklists.CACHE_SECONDS = float("inf")

from rest_framework.request import Request  # noqa: E402 - needs the site
from rest_framework.response import Response  # noqa: E402
from rest_framework.views import APIView  # noqa: E402


class PreparedResponseView(APIView):
    """The least that Django REST framework can do: nobody is asked for, nothing is looked up."""

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()

    def get(self, request: Request, posts: int) -> Response:
        return Response(_ready(posts))


@cache
def _ready(posts: int) -> Any:
    return json.loads(Path(os.environ["READY_ANSWERS"], f"{posts}.json").read_text())


urlpatterns = [
    path("ready/<int:posts>", PreparedResponseView.as_view()),
    path("", include("socialsite.urls")),
]


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    began, waited = perf_counter(), _waited.ms

    def start(status: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
        total, of_database = (perf_counter() - began) * 1000, _waited.ms - waited
        result = f"total;dur={total:.3f}, db;dur={of_database:.3f}"
        return start_response(status, [*headers, ("Server-Timing", result)], *rest)

    answer: Iterable[bytes] = _site(environ, start)
    return answer
