"""Addresses of the API: notifications, one by one and in groups, markers, streams and devices."""

from typing import Any

from django.urls import path

from accounts.api import route

from . import (
    groups,
    markers,
    notifications,
    policy,
    requests,
    subscription,
    threads,
)
from .streaming import endpoints as streaming

GROUPS = "v2/notifications"
STATUS = "v1/statuses/<id:status_id>"
STREAMS = "v1/streaming"
TOLD = "v1/notifications"


def _stream(answer: Any) -> Any:
    return route(base=streaming.StreamEndpoint, get=answer)


urlpatterns = [
    path(f"{STATUS}/mute", route(post=threads.mute)),
    path(f"{STATUS}/unmute", route(post=threads.unmute)),
    path("v1/markers", route(get=markers.show, post=markers.save)),
    path(TOLD, route(get=notifications.listed)),
    path(f"{TOLD}/dismiss", route(post=notifications.dismiss_given)),
    path(f"{TOLD}/clear", route(post=notifications.clear)),
    path(f"{TOLD}/unread_count", route(get=notifications.unread_count)),
    path(f"{TOLD}/policy", route(get=policy.show_v1, put=policy.change_v1, patch=policy.change_v1)),
    path(f"{TOLD}/requests", route(get=requests.listed)),
    path(f"{TOLD}/requests/accept", route(post=requests.accept_many)),
    path(f"{TOLD}/requests/dismiss", route(post=requests.dismiss_many)),
    path(f"{TOLD}/requests/merged", route(get=requests.merged)),
    path(f"{TOLD}/requests/<id:uid>", route(get=requests.show)),
    path(f"{TOLD}/requests/<id:uid>/accept", route(post=requests.accept)),
    path(f"{TOLD}/requests/<id:uid>/dismiss", route(post=requests.dismiss)),
    path(f"{TOLD}/<id:notification_id>", route(get=notifications.show)),
    path(f"{TOLD}/<id:notification_id>/dismiss", route(post=notifications.dismiss)),
    path(GROUPS, route(get=groups.listed)),
    path(f"{GROUPS}/unread_count", route(get=groups.unread_count)),
    path(f"{GROUPS}/policy", route(get=policy.show, patch=policy.change, put=policy.change)),
    path(f"{GROUPS}/<str:key>", route(get=groups.show)),
    path(f"{GROUPS}/<str:key>/dismiss", route(post=groups.dismiss)),
    path(f"{GROUPS}/<str:key>/accounts", route(get=groups.people)),
    path(
        "v1/push/subscription",
        route(
            get=subscription.show,
            post=subscription.create,
            put=subscription.change,
            delete=subscription.delete,
        ),
    ),
    path(f"{STREAMS}/health", _stream(streaming.health)),
    path(f"{STREAMS}/user", _stream(streaming.user)),
    path(f"{STREAMS}/user/notification", _stream(streaming.user_notification)),
    path(f"{STREAMS}/public", _stream(streaming.public)),
    path(f"{STREAMS}/public/local", _stream(streaming.public_local)),
    path(f"{STREAMS}/public/remote", _stream(streaming.public_remote)),
    path(f"{STREAMS}/hashtag", _stream(streaming.hashtag)),
    path(f"{STREAMS}/hashtag/local", _stream(streaming.hashtag_local)),
    path(f"{STREAMS}/list", _stream(streaming.people_list)),
    path(f"{STREAMS}/direct", _stream(streaming.direct)),
    path(STREAMS, route(get=streaming.nothing)),
    path(f"{STREAMS}/<path:rest>", route(get=streaming.unknown)),
]
