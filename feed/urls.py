from django.urls import path

from . import views

urlpatterns = [
    path("", views.home, name="home"),
    path("public/", views.public, name="public"),
    path("posts/", views.publish, name="publish"),
    path("posts/<id:post_id>/delete/", views.delete_post, name="delete_post"),
    path("@<str:username>/", views.profile, name="profile"),
    path("@<str:username>/<id:post_id>/", views.post, name="post"),
]
