"""Bookmark posts and comments, and pin posts to the top of the author's own profile."""

from dataclasses import replace

from django.http import Http404
from django.utils.translation import gettext as _

from accounts.infra.ids import new_id
from accounts.infra.refusals import Refused
from accounts.models import User
from feed.models import Post
from feed.selectors.comment_views import CommentView
from feed.selectors.post_view import PostView
from feed.store import bookmarks, pins, posts


class CannotPin(Refused):
    """The post cannot be pinned. The message is shown to the author."""


def bookmark_post(*, post: PostView, actor: User) -> PostView:
    """Bookmark a post that is visible to the actor, and return the changed post. Safe to repeat."""
    bookmarks.add_bookmark(id=new_id(), owner=actor.pk, post=post.id)
    return replace(post, is_bookmarked=True)


def unbookmark_post(*, post_id: int, actor: User) -> bool:
    """Remove a bookmark, even if the post is no longer visible. Return False if there is no bookmark."""
    return bookmarks.remove_bookmark(owner=actor.pk, post=post_id)


def bookmark_comment(*, comment: CommentView, actor: User) -> bool:
    """Bookmark a comment. Return False if it is already bookmarked."""
    return bookmarks.add_bookmark(id=new_id(), owner=actor.pk, post=comment.id)


def unbookmark_comment(*, comment_id: int, actor: User) -> bool:
    """Remove a bookmark from a comment, like ``unbookmark_post``."""
    return bookmarks.remove_bookmark(owner=actor.pk, post=comment_id)


def pin_post(*, post: PostView, actor: User) -> PostView:
    """Pin the actor's own post to the top of the profile, and return the changed post.

    Raises Http404 if another user wrote the post, and CannotPin if the post is direct or the actor has
    ``MAX_PINS`` pins.
    """
    if not post.is_own:
        raise Http404("No such post.")
    if post.visibility == Post.Visibility.DIRECT:
        raise CannotPin(_("You cannot pin direct posts."))
    if not (
        pins.add_pin(author=actor.pk, post=post.id) or _replace_deleted_pins(actor.pk, post.id)
    ):
        raise CannotPin(
            _("You can pin up to %(number)d posts. Unpin a post first.") % {"number": pins.MAX_PINS}
        )
    return replace(post, is_pinned=True)


def unpin_post(*, post_id: int, actor: User) -> None:
    pins.remove_pin(author=actor.pk, post=post_id)


def _replace_deleted_pins(author: int, post: int) -> bool:
    """Remove pins of deleted posts, then pin a post. Return False if there are still too many pins.

    If a post is deleted while its author pins it, the pin remains. The author cannot see such a pin, but
    it counts toward the limit.
    """
    pinned_ids = pins.pinned_ids(author=author)
    existing_posts = posts.by_ids(ids=pinned_ids)
    for post_id in pinned_ids:
        if post_id not in existing_posts:
            pins.remove_pin(author=author, post=post_id)
    return pins.add_pin(author=author, post=post)
