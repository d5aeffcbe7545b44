"""The addresses of the API: ``/api/v1`` and ``/api/v2`` as clients of Mastodon know them.

What each does is in the ``api`` package of its app; the description of all of it is at ``/api/schema/``.
"""

from typing import Any

from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView

from accounts.api import apps, route
from feed.api import accounts, statuses, timelines
from notifications.api import (
    groups,
    markers,
    notifications,
    policy,
    requests,
    subscription,
    threads,
)
from notifications.api.streaming import endpoints as streaming

STATUS = "v1/statuses/<id:status_id>"
TOLD = "v1/notifications"
GROUPS = "v2/notifications"
STREAMS = "v1/streaming"


def _stream(answer: Any) -> Any:
    return route(base=streaming.StreamEndpoint, get=answer)


urlpatterns = [
    path("schema/", SpectacularAPIView.as_view(), name="api_schema"),
    path("docs/", SpectacularSwaggerView.as_view(url_name="api_schema"), name="api_docs"),
    path("v1/apps", route(post=apps.register), name="api_apps"),
    path("v1/apps/verify_credentials", route(get=apps.verify)),
    path("v1/accounts/verify_credentials", route(get=accounts.verify_credentials)),
    path("v1/accounts/<id:uid>", route(get=accounts.show)),
    path("v1/statuses", route(post=statuses.publish)),
    path(STATUS, route(get=statuses.show, put=statuses.edit, delete=statuses.delete)),
    path(f"{STATUS}/favourite", route(post=statuses.favourite)),
    path(f"{STATUS}/unfavourite", route(post=statuses.unfavourite)),
    path(f"{STATUS}/reblog", route(post=statuses.reblog)),
    path(f"{STATUS}/unreblog", route(post=statuses.unreblog)),
    path("v1/timelines/home", route(get=timelines.home)),
    path("v1/timelines/public", route(get=timelines.public)),
    path("v1/timelines/tag/<str:tag>", route(get=timelines.tag)),
    path("v1/timelines/list/<id:list_id>", route(get=timelines.people_list)),
    path(f"{STATUS}/mute", route(post=threads.mute)),
    path(f"{STATUS}/unmute", route(post=threads.unmute)),
    path("v1/markers", route(get=markers.show, post=markers.save)),
    path(TOLD, route(get=notifications.listed)),
    path(f"{TOLD}/clear", route(post=notifications.clear)),
    path(f"{TOLD}/unread_count", route(get=notifications.unread_count)),
    path(f"{TOLD}/policy", route(get=policy.show_v1, put=policy.change_v1)),
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
    path(f"{STREAMS}/public/local", _stream(streaming.public)),
    path(f"{STREAMS}/public/remote", _stream(streaming.public_remote)),
    path(f"{STREAMS}/hashtag", _stream(streaming.hashtag)),
    path(f"{STREAMS}/hashtag/local", _stream(streaming.hashtag)),
    path(f"{STREAMS}/list", _stream(streaming.people_list)),
    path(f"{STREAMS}/direct", _stream(streaming.direct)),
]
