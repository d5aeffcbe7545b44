from django.urls import path

from . import post_views, views

urlpatterns = [
    path("", views.home, name="home"),
    path("unread/", views.unread, name="unread"),
    path("quiet/", views.quiet, name="quiet"),
    path("read/", views.mark_read, name="mark_read"),
    path("public/", views.public, name="public"),
    path("posts/", post_views.publish, name="publish"),
    path("posts/<id:post_id>/edit/", post_views.edit_post, name="edit_post"),
    path("posts/<id:post_id>/share/", post_views.share, name="share"),
    path("posts/<id:post_id>/unshare/", post_views.undo_share, name="undo_share"),
    path("posts/<id:post_id>/like/", post_views.like, name="like"),
    path("posts/<id:post_id>/unlike/", post_views.unlike, name="unlike"),
    path("posts/<id:post_id>/delete/", post_views.delete_post, name="delete_post"),
    path("@<str:username>/", views.profile, name="profile"),
    path("@<str:username>/<id:post_id>/", post_views.post, name="post"),
    path("@<str:username>/<id:post_id>/likes/", post_views.likers, name="likers"),
]
