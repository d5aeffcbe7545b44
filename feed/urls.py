from django.urls import path

from .views import atom, comments, marks, posts, search, tags, timelines

COMMENT = "posts/<id:post_id>/comments/<id:comment_id>"

urlpatterns = [
    path("", timelines.home, name="home"),
    path("unread/", timelines.unread, name="unread"),
    path("quiet/", timelines.quiet, name="quiet"),
    path("read/", timelines.mark_read, name="mark_read"),
    path("public/", timelines.public, name="public"),
    path("search/", search.search, name="search"),
    path("beside/", search.beside, name="beside"),
    path("tags/", tags.tags, name="tags"),
    path("tags/<str:tag>/", timelines.tag, name="tag"),
    path("tags/<str:tag>/follow/", tags.follow_tag, name="follow_tag"),
    path("tags/<str:tag>/unfollow/", tags.unfollow_tag, name="unfollow_tag"),
    path("tags/<str:tag>/feed/", atom.tag_feed, name="tag_feed"),
    path("posts/", posts.publish, name="publish"),
    path("posts/<id:post_id>/edit/", posts.edit_post, name="edit_post"),
    path("posts/<id:post_id>/share/", marks.share, name="share"),
    path("posts/<id:post_id>/unshare/", marks.undo_share, name="undo_share"),
    path("posts/<id:post_id>/like/", marks.like, name="like"),
    path("posts/<id:post_id>/unlike/", marks.unlike, name="unlike"),
    path("posts/<id:post_id>/delete/", posts.delete_post, name="delete_post"),
    path("posts/<id:post_id>/comments/", comments.add, name="add_comment"),
    path(f"{COMMENT}/", comments.open_comment, name="open_comment"),
    path(f"{COMMENT}/edit/", comments.edit, name="edit_comment"),
    path(f"{COMMENT}/delete/", comments.delete, name="delete_comment"),
    path(f"{COMMENT}/like/", comments.like, name="like_comment"),
    path(f"{COMMENT}/unlike/", comments.unlike, name="unlike_comment"),
    path("@<str:username>/", timelines.profile, name="profile"),
    path("@<str:username>/feed/", atom.profile_feed, name="profile_feed"),
    path("@<str:username>/<id:post_id>/", posts.post, name="post"),
    path("@<str:username>/<id:post_id>/likes/", marks.likers, name="likers"),
    path("@<str:username>/<id:post_id>/comments/<id:comment_id>/", comments.thread, name="thread"),
]
