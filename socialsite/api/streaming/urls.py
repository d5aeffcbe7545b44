"""URLs of the streams. Only the streams process serves them."""

from typing import Any

from django.urls import path

from socialsite.api.plumbing.endpoints import route

from . import endpoints

STREAMS = "v1/streaming"


def _stream(view: Any) -> Any:
    return route(base=endpoints.StreamEndpoint, get=view)


urlpatterns = [
    path(STREAMS, _stream(endpoints.socket)),
    path(f"{STREAMS}/health", _stream(endpoints.health)),
    path(f"{STREAMS}/user", _stream(endpoints.user)),
    path(f"{STREAMS}/user/notification", _stream(endpoints.user_notification)),
    path(f"{STREAMS}/public", _stream(endpoints.public)),
    path(f"{STREAMS}/public/local", _stream(endpoints.public_local)),
    path(f"{STREAMS}/public/remote", _stream(endpoints.public_remote)),
    path(f"{STREAMS}/hashtag", _stream(endpoints.hashtag)),
    path(f"{STREAMS}/hashtag/local", _stream(endpoints.hashtag_local)),
    path(f"{STREAMS}/list", _stream(endpoints.user_list)),
    path(f"{STREAMS}/direct", _stream(endpoints.direct)),
    path(f"{STREAMS}/<path:rest>", route(get=endpoints.unknown_stream)),
]
