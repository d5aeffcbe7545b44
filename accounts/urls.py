from django.urls import path, re_path, register_converter

from . import paging, views

register_converter(paging.IdConverter, "id")

urlpatterns = [
    path("people/", views.people, name="people"),
    path("@<str:username>/followers/", views.followers, name="followers"),
    path("@<str:username>/following/", views.following, name="following"),
    path("@<str:username>/follow/", views.follow, name="follow"),
    path("@<str:username>/unfollow/", views.unfollow, name="unfollow"),
    path("settings/profile/", views.edit_profile, name="edit_profile"),
    path("settings/username/", views.rename, name="rename"),
    path("theme/", views.set_theme, name="set_theme"),
    path("avatars/<id:uid>.svg", views.identicon, name="identicon"),
    re_path(
        r"^media/avatars/(?P<name>[0-9]{1,19}-[0-9a-f]{32})\.webp$",
        views.avatar,
        name="avatar",
    ),
]
