"""The URLs of the streams process (``socialsite.asgi``): its streams, and those to which it links."""

from django.urls import include, path

from notifications.views.live import live
from socialsite import urls
from socialsite.urls import handler400, handler404, handler429, handler500

__all__ = ["handler400", "handler404", "handler429", "handler500", "urlpatterns"]

urlpatterns = [
    path("api/", include("socialsite.api.streaming.urls")),
    path("notifications/live/", live, name="live_stream"),
    *urls.urlpatterns,
]
