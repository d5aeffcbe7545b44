from django.urls import path

from .views import live

urlpatterns = [
    path("notifications/live/", live.live, name="live"),
    path("notifications/poll/", live.poll, name="poll"),
]
