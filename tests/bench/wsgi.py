"""The WSGI application of the stage ``pages``: the site, and views with ready-made responses."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import include, path

from tests.bench.any_commit.timed_wsgi import application

settings.ROOT_URLCONF = __name__

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

__all__ = ["application"]
