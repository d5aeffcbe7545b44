"""Keep a post or comment to read it again, and pin one's own to the top of one's profile."""

from django.http import Http404
from django.utils.translation import gettext as _

from accounts.infra.ids import new_id
from accounts.infra.refusals import Refused
from accounts.models import User
from feed.models import Post
from feed.selectors.comments import visible_comment
from feed.selectors.lists import visible_post
from feed.store import bookmarks, pins, posts


class CannotPin(Refused):
    """Pinning is refused; the message is for the person."""


def bookmark_post(*, post_id: int, actor: User) -> bool:
    """Keep a post; False if it is kept. Raises Http404 for posts the actor may not read."""
    post = visible_post(post_id=post_id, viewer=actor.pk)
    return bookmarks.add_bookmark(id=new_id(), owner=actor.pk, post=post.id)


def unbookmark_post(*, post_id: int, actor: User) -> bool:
    """Keep it no longer, also where one may not read it any more; False if it was not kept."""
    return bookmarks.remove_bookmark(owner=actor.pk, post=post_id)


def bookmark_comment(*, post_id: int, comment_id: int, actor: User) -> bool:
    """As ``bookmark_post``, of a comment."""
    post = visible_post(post_id=post_id, viewer=actor.pk)
    comment = visible_comment(post=post, comment_id=comment_id, viewer=actor.pk)
    return bookmarks.add_bookmark(id=new_id(), owner=actor.pk, post=comment.id)


def unbookmark_comment(*, comment_id: int, actor: User) -> bool:
    """As ``unbookmark_post``."""
    return bookmarks.remove_bookmark(owner=actor.pk, post=comment_id)


def pin_post(*, post_id: int, actor: User) -> None:
    """Show one's own post at the top of one's profile. Raises Http404 unless it is, CannotPin for direct
    posts and where there are as many as fit."""
    post = visible_post(post_id=post_id, viewer=actor.pk)
    if not post.is_own:
        raise Http404("No such post.")
    if post.visibility == Post.Visibility.DIRECT:
        raise CannotPin(_("A post to single people cannot be pinned."))
    if not (
        pins.add_pin(author=actor.pk, post=post.id) or _add_in_place_of_gone(actor.pk, post.id)
    ):
        raise CannotPin(
            _("At most %(number)d posts can be pinned. Unpin another first.")
            % {"number": pins.MAX_PINS}
        )


def unpin_post(*, post_id: int, actor: User) -> None:
    pins.remove_pin(author=actor.pk, post=post_id)


def _add_in_place_of_gone(author: int, post: int) -> bool:
    """Posts that were deleted in the moment in which they were pinned are seen nowhere, to be unpinned."""
    pinned = pins.pinned_ids(author=author)
    there = posts.by_ids(ids=pinned)
    for gone in [one for one in pinned if one not in there]:
        pins.remove_pin(author=author, post=gone)
    return pins.add_pin(author=author, post=post)
