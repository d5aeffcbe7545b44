from django.urls import path, re_path

from .views import comments, filters, marks, people_lists, pictures, posts, timelines

COMMENT = "posts/<id:post_id>/comments/<id:comment_id>"

urlpatterns = [
    path("", timelines.home, name="home"),
    path("unread/", timelines.unread, name="unread"),
    path("quiet/", timelines.quiet, name="quiet"),
    path("read/", timelines.mark_read, name="mark_read"),
    path("public/", timelines.public, name="public"),
    path("bookmarks/", marks.bookmarks, name="bookmarks"),
    path("settings/filters/", filters.filters, name="filters"),
    path("settings/filters/kinds/", filters.choose_kinds, name="choose_kinds"),
    path("settings/filters/<id:filter_id>/remove/", filters.remove_filter, name="remove_filter"),
    path("lists/", people_lists.lists, name="lists"),
    path("lists/<id:list_id>/", people_lists.one_list, name="list"),
    path("lists/<id:list_id>/edit/", people_lists.edit_list, name="edit_list"),
    path("lists/<id:list_id>/delete/", people_lists.delete_list, name="delete_list"),
    path(
        "lists/<id:list_id>/remove/<id:uid>/",
        people_lists.remove_from_list,
        name="remove_from_list",
    ),
    path("posts/", posts.publish, name="publish"),
    re_path(
        r"^media/pictures/(?P<name>[0-9a-f]{32})-(?P<size>small|large)\.webp$",
        pictures.picture,
        name="picture",
    ),
    path("posts/<id:post_id>/edit/", posts.edit_post, name="edit_post"),
    path("posts/<id:post_id>/share/", marks.share, name="share"),
    path("posts/<id:post_id>/unshare/", marks.undo_share, name="undo_share"),
    path("posts/<id:post_id>/like/", marks.like, name="like"),
    path("posts/<id:post_id>/unlike/", marks.unlike, name="unlike"),
    path("posts/<id:post_id>/bookmark/", marks.bookmark, name="bookmark"),
    path("posts/<id:post_id>/unbookmark/", marks.unbookmark, name="unbookmark"),
    path("posts/<id:post_id>/pin/", marks.pin, name="pin"),
    path("posts/<id:post_id>/unpin/", marks.unpin, name="unpin"),
    path("posts/<id:post_id>/delete/", posts.delete_post, name="delete_post"),
    path("posts/<id:post_id>/comments/", comments.add, name="add_comment"),
    path(f"{COMMENT}/", comments.open_comment, name="open_comment"),
    path(f"{COMMENT}/edit/", comments.edit, name="edit_comment"),
    path(f"{COMMENT}/delete/", comments.delete, name="delete_comment"),
    path(f"{COMMENT}/like/", comments.like, name="like_comment"),
    path(f"{COMMENT}/unlike/", comments.unlike, name="unlike_comment"),
    path("@<str:username>/lists/", people_lists.choose_lists, name="choose_lists"),
    path("@<str:username>/", timelines.profile, name="profile"),
    path("@<str:username>/<id:post_id>/", posts.post, name="post"),
    path("@<str:username>/<id:post_id>/likes/", marks.likers, name="likers"),
    path("@<str:username>/<id:post_id>/history/", posts.history, name="history"),
    path("@<str:username>/<id:post_id>/comments/<id:comment_id>/", comments.thread, name="thread"),
]
