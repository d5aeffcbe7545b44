"""What people can do: publish, edit and delete ``posts``, share (``shares``) and like (``likes``) them,
talk about them (``comments``), follow ``tags``, and say how far they have read (``positions``).

Each function is one write and one announcement after it, and may be done twice.
"""

from .comments import (
    CannotComment,
    comment_on_post,
    delete_comment,
    edit_comment,
    like_comment,
    unlike_comment,
)
from .likes import like_post, unlike_post
from .positions import remember_position
from .posts import CannotPublish, delete_post, edit_post, publish_post
from .shares import CannotShare, share_post, undo_share
from .tags import MOST_FOLLOWED, CannotFollowTag, count_tags, follow_tag, unfollow_tag

__all__ = [
    "MOST_FOLLOWED",
    "CannotComment",
    "CannotFollowTag",
    "CannotPublish",
    "CannotShare",
    "comment_on_post",
    "count_tags",
    "delete_comment",
    "delete_post",
    "edit_comment",
    "edit_post",
    "follow_tag",
    "like_comment",
    "like_post",
    "publish_post",
    "remember_position",
    "share_post",
    "undo_share",
    "unfollow_tag",
    "unlike_comment",
    "unlike_post",
]
