"""The addresses of the API: ``/api/v1`` and ``/api/v2`` as clients of Mastodon know them.

What each does is in the ``api`` package of its app; the description of all of it is at ``/api/schema/``.
"""

from typing import Any

from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView

from accounts.api import apps, route
from feed.api import (
    accounts,
    around,
    filters,
    filters_v1,
    lists,
    marks,
    media,
    nothing,
    only_here,
    statuses,
    tags,
    timelines,
)
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
LIST = "v1/lists/<id:list_id>"
FILTER = "v2/filters/<id:filter_id>"
CONVERSATION = "v1/conversations/<id:conversation_id>"
ONLY_HERE = "v1/socialsite"
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
    path("v1/bookmarks", route(get=timelines.bookmarks)),
    path("v1/conversations", route(get=nothing.conversations)),
    path("v1/conversations/", route(get=nothing.conversations_below)),
    path(CONVERSATION, route(delete=nothing.delete_conversation)),
    path(f"{CONVERSATION}/read", route(post=nothing.read_conversation)),
    path("v1/custom_emojis", route(get=nothing.custom_emojis)),
    path("v1/favourites", route(get=timelines.favourites)),
    path("v1/featured_tags", route(get=tags.featured, post=tags.feature)),
    path("v1/featured_tags/suggestions", route(get=tags.featured_suggestions)),
    path("v1/featured_tags/<id:featured_id>", route(delete=tags.unfeature)),
    path("v1/filters", route(get=filters_v1.several, post=filters_v1.create)),
    path(
        "v1/filters/<id:phrase_id>",
        route(get=filters_v1.show, put=filters_v1.change, delete=filters_v1.delete),
    ),
    path("v2/filters", route(get=filters.several, post=filters.create)),
    path(FILTER, route(get=filters.show, put=filters.change, delete=filters.delete)),
    path(f"{FILTER}/keywords", route(get=filters.keywords, post=filters.add_keyword)),
    path(f"{FILTER}/statuses", route(get=filters.statuses, post=filters.add_status)),
    path(
        "v2/filters/keywords/<id:keyword_id>",
        route(get=filters.show_keyword, put=filters.change_keyword, delete=filters.delete_keyword),
    ),
    path(
        "v2/filters/statuses/<id:filter_status_id>",
        route(get=filters.show_status, delete=filters.delete_status),
    ),
    path("v1/followed_tags", route(get=tags.followed)),
    path("v1/lists", route(get=lists.several, post=lists.create)),
    path(LIST, route(get=lists.show, put=lists.rename, delete=lists.delete)),
    path(
        f"{LIST}/accounts",
        route(get=lists.accounts, post=lists.add_accounts, delete=lists.remove_accounts),
    ),
    path("v1/media", route(post=media.upload)),
    path("v2/media", route(post=media.upload_v2)),
    path(
        "v1/media/<id:media_id>",
        route(get=media.show, put=media.describe, delete=media.discard),
    ),
    path("v1/polls/<id:poll_id>", route(get=nothing.poll)),
    path("v1/polls/<id:poll_id>/votes", route(post=nothing.vote)),
    path("v1/scheduled_statuses", route(get=nothing.scheduled_statuses)),
    path(
        "v1/scheduled_statuses/<id:scheduled_id>",
        route(get=nothing.scheduled_status, put=nothing.reschedule, delete=nothing.unschedule),
    ),
    path(f"{ONLY_HERE}/statuses/<id:status_id>/delivery", route(get=only_here.delivery)),
    path(f"{ONLY_HERE}/timelines/home", route(get=only_here.home)),
    path(f"{ONLY_HERE}/timelines/quiet", route(get=only_here.quiet)),
    path(f"{ONLY_HERE}/timelines/unread", route(get=only_here.unread)),
    path("v1/statuses", route(get=statuses.several, post=statuses.publish)),
    path(STATUS, route(get=statuses.show, put=statuses.edit, delete=statuses.delete)),
    path(f"{STATUS}/bookmark", route(post=marks.bookmark)),
    path(f"{STATUS}/card", route(get=around.card)),
    path(f"{STATUS}/context", route(get=around.context)),
    path(f"{STATUS}/favourite", route(post=marks.favourite)),
    path(f"{STATUS}/favourited_by", route(get=around.favourited_by)),
    path(f"{STATUS}/history", route(get=around.history)),
    path(f"{STATUS}/pin", route(post=marks.pin)),
    path(f"{STATUS}/quotes", route(get=around.quotes)),
    path(f"{STATUS}/reblog", route(post=marks.reblog)),
    path(f"{STATUS}/reblogged_by", route(get=around.reblogged_by)),
    path(f"{STATUS}/source", route(get=around.source)),
    path(f"{STATUS}/translate", route(post=around.translate)),
    path(f"{STATUS}/unbookmark", route(post=marks.unbookmark)),
    path(f"{STATUS}/unfavourite", route(post=marks.unfavourite)),
    path(f"{STATUS}/unpin", route(post=marks.unpin)),
    path(f"{STATUS}/unreblog", route(post=marks.unreblog)),
    path("v1/tags/<str:tag>", route(get=tags.show)),
    path("v1/tags/<str:tag>/follow", route(post=tags.follow)),
    path("v1/tags/<str:tag>/unfollow", route(post=tags.unfollow)),
    path("v1/timelines/home", route(get=timelines.home)),
    path("v1/timelines/link", route(get=timelines.link)),
    path("v1/timelines/list/<id:list_id>", route(get=timelines.people_list)),
    path("v1/timelines/public", route(get=timelines.public)),
    path("v1/timelines/tag/<str:tag>", route(get=timelines.tag)),
    path("v1/trends", route(get=tags.trending_v1)),
    path("v1/trends/links", route(get=tags.trending_links)),
    path("v1/trends/statuses", route(get=tags.trending_statuses)),
    path("v1/trends/tags", route(get=tags.trending)),
    path(f"{STATUS}/mute", route(post=threads.mute)),
    path(f"{STATUS}/unmute", route(post=threads.unmute)),
    path("v1/markers", route(get=markers.show, post=markers.save)),
    path(TOLD, route(get=notifications.listed)),
    path(f"{TOLD}/dismiss", route(post=notifications.dismiss_given)),
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
    path(f"{GROUPS}/policy", route(get=policy.show, patch=policy.change)),
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
