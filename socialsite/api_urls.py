"""The addresses of the API: ``/api/v1`` and ``/api/v2`` as clients of Mastodon know them.

What each does is in the ``api`` package of its app; the description of all of it is at ``/api/schema/``.
"""

from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView

from accounts.api import apps, route
from feed.api import accounts, statuses, timelines

STATUS = "v1/statuses/<id:status_id>"

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
]
