"""What people can do: publish, edit and delete ``posts`` with their ``pictures``, share (``shares``) and
like (``likes``) them, talk about them (``comments``), keep them (``keeping``), follow ``tags``, choose what
to read (``filters``, ``people_lists``), and say how far they have read (``positions``).

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
from .doings import take_back_comment, take_back_follow, tell_of_comment, tell_of_follow
from .erasing import erase_person
from .filters import (
    CannotFilter,
    add_filter,
    change_filter,
    choose_kinds,
    make_filter,
    remove_filter,
)
from .hiding import (
    VISIBLE,
    delete_hidden_comment,
    hide_comment,
    set_hidden,
    set_sensitive,
    show_comment,
)
from .keeping import (
    CannotPin,
    bookmark_comment,
    bookmark_post,
    pin_post,
    unbookmark_comment,
    unbookmark_post,
    unpin_post,
)
from .likes import like_post, unlike_post
from .people_lists import (
    CannotList,
    add_to_list,
    choose_lists,
    create_list,
    delete_list,
    remove_from_list,
    rename_list,
)
from .pictures import (
    CannotAttach,
    describe_picture,
    discard_picture,
    keep_picture,
    keep_pictures,
    read_upload,
    read_uploads,
)
from .positions import remember_position
from .posts import (
    CannotPublish,
    delete_post,
    delete_removed_post,
    edit_post,
    hidden_at_first,
    mentioned_without_access,
    publish_post,
)
from .publishing import bring_in
from .shares import CannotShare, share_post, undo_share
from .suspecting import forget_sayings
from .tags import MOST_FOLLOWED, CannotFollowTag, count_tags, follow_tag, unfollow_tag
from .views import count_views

__all__ = [
    "MOST_FOLLOWED",
    "VISIBLE",
    "CannotAttach",
    "CannotComment",
    "CannotFilter",
    "CannotFollowTag",
    "CannotList",
    "CannotPin",
    "CannotPublish",
    "CannotShare",
    "add_filter",
    "add_to_list",
    "bookmark_comment",
    "bookmark_post",
    "bring_in",
    "change_filter",
    "choose_kinds",
    "choose_lists",
    "comment_on_post",
    "count_tags",
    "count_views",
    "create_list",
    "delete_comment",
    "delete_hidden_comment",
    "delete_list",
    "delete_post",
    "delete_removed_post",
    "describe_picture",
    "discard_picture",
    "edit_comment",
    "edit_post",
    "erase_person",
    "follow_tag",
    "forget_sayings",
    "hidden_at_first",
    "hide_comment",
    "keep_picture",
    "keep_pictures",
    "like_comment",
    "like_post",
    "make_filter",
    "mentioned_without_access",
    "pin_post",
    "publish_post",
    "read_upload",
    "read_uploads",
    "remember_position",
    "remove_filter",
    "remove_from_list",
    "rename_list",
    "set_hidden",
    "set_sensitive",
    "share_post",
    "show_comment",
    "take_back_comment",
    "take_back_follow",
    "tell_of_comment",
    "tell_of_follow",
    "unbookmark_comment",
    "unbookmark_post",
    "undo_share",
    "unfollow_tag",
    "unlike_comment",
    "unlike_post",
    "unpin_post",
]
