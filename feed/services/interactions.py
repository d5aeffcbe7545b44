"""Like, share and bookmark posts, and pin posts to the author's profile. ``comments`` likes comments."""

from contextlib import AbstractContextManager, suppress
from dataclasses import replace

from django.http import Http404
from django.utils.translation import gettext as _

from accounts.infra import rate_limits
from accounts.infra.ids import new_id
from accounts.infra.refusals import Refused
from accounts.infra.transactions import transactional
from accounts.models import User
from feed import signals
from feed.models import Post
from feed.selectors.comment_views import CommentView
from feed.selectors.post_view import PostView
from feed.store import bookmarks, home_states, likes, pins, post_counters, posts, shares
from feed.store.post_rows import QUOTED_BY_SHARED
from feed.store.shares import Share

from .publication import plan_delivery, start_delivery


def bookmark_post(*, post: PostView, actor: User) -> PostView:
    """Bookmark a post that is visible to the actor, and return the changed post. Safe to repeat."""
    bookmarks.add_bookmark(id=new_id(), owner=actor.pk, post=post.id)
    return replace(post, is_bookmarked=True)


def remove_bookmark(*, post_id: int, actor: User) -> bool:
    """Remove a bookmark of a post or comment, even if it is no longer visible. Return False if none."""
    return bookmarks.remove_bookmark(owner=actor.pk, post=post_id)


def bookmark_comment(*, comment: CommentView, actor: User) -> bool:
    """Bookmark a comment. Return False if it is already bookmarked."""
    return bookmarks.add_bookmark(id=new_id(), owner=actor.pk, post=comment.id)


def pin_post(*, post: PostView, actor: User) -> PostView:
    """Pin the actor's own post to the top of the profile, and return the changed post.

    Raises Http404 if another user wrote the post, and Refused if the post is direct or the actor has
    ``MAX_PINS`` pins.
    """
    if not post.is_own:
        raise Http404("No such post.")
    if post.visibility == Post.Visibility.DIRECT:
        raise Refused(_("You cannot pin direct posts."))
    if not (
        pins.add_pin(author=actor.pk, post=post.id) or _replace_deleted_pins(actor.pk, post.id)
    ):
        raise Refused(
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


def like_post(*, post: PostView, actor: User) -> PostView:
    """Like a post that is visible to the actor, and return the liked post. Safe to repeat.

    Raises Http404 if the post was deleted after the caller read it, and RateLimited above the rate limit.
    """
    try:
        with like_rate_limit(post.id, actor.pk) as counted:
            is_new = counted.is_done = _add_like(post, actor)
    except LookupError:
        raise Http404("No such post.") from None
    if is_new:
        signals.post_liked.send_robust(
            sender=None, post=post.id, liker=actor.pk, post_author=post.author.uid
        )
    return post.with_like(is_liked=True, change=int(is_new and not actor.is_limited))


def like_rate_limit(target_id: int, uid: int) -> AbstractContextManager[rate_limits.CountedAction]:
    """Return a context manager that counts a like against the rate limit.

    A repeated like of the same post or comment is not counted.
    """
    return rate_limits.limited_action(
        action="like",
        subject=uid,
        is_repeat=lambda: bool(likes.liked_ids(posts=[target_id], uid=uid)),
    )


def _add_like(post: PostView, actor: User) -> bool:
    try:
        if post.row.likes == 0 and not actor.is_limited:
            _add_first_like(post.id, actor.pk)
            return True
    except likes.NotFirstLike:
        pass  # another user was faster, or all earlier likes were removed
    try:
        _add_next_like(post.id, actor.pk, is_counted=not actor.is_limited)
    except likes.AlreadyAdded:
        return False
    return True


@transactional()
def _add_first_like(post: int, uid: int) -> None:
    likes.add_first_like(post=post, uid=uid)
    post_counters.add_like(post=post, uid=uid)


@transactional(retry_duplicate_keys=True)
def _add_next_like(post: int, uid: int, *, is_counted: bool) -> None:
    likes.add_like(post=post, uid=uid, is_counted=is_counted)
    post_counters.add_like(post=post, uid=uid, is_counted=is_counted)


def unlike_post(*, post_id: int, actor: User) -> bool:
    """Remove the actor's like, even if the post is no longer visible. Return whether it was counted."""
    try:
        return remove_like_from_post(post_id=post_id, uid=actor.pk)
    except LookupError:
        return False  # the post is deleted, and ``tasks.clean_up_post`` deletes all its likes


def remove_like_from_post(*, post_id: int, uid: int) -> bool:
    """Remove a user's like. Return whether it was counted. Raises LookupError if the post is missing."""
    was_counted = _unlike(post_id, uid)
    if was_counted is not None:
        signals.post_unliked.send_robust(sender=None, post=post_id, liker=uid)
    return bool(was_counted)


@transactional()
def _unlike(post: int, uid: int) -> bool | None:
    was_counted = likes.remove_like(post=post, uid=uid)
    if was_counted:
        post_counters.remove_like(post=post, uid=uid)
    return was_counted


def share_post(*, post: PostView, actor: User) -> int:
    """Share a visible post with the actor's followers. Return the id of the new or existing share.

    Raises:
        Http404: the post was deleted after the caller read it.
        Refused: the post is neither public nor unlisted.
        RateLimited: the actor has reached the rate limit, which counts posts and shares together.
    """
    if not post.can_share:
        raise Refused(_("You can share only public and unlisted posts."))
    # Lists then read both posts with one command (``store.posts.related_posts_of``).
    details = {QUOTED_BY_SHARED: post.quote.post_id} if post.quote else {}
    share = Post(pk=new_id(), author_id=actor.pk, kind="share", share_of=post.id, details=details)
    try:
        with rate_limits.limited_action(
            action="post",
            subject=actor.pk,
            is_repeat=lambda: shares.get_share(author=actor.pk, post=post.id) is not None,
        ) as counted:
            plan_delivery(share)
            share_id = _insert_share(share, is_private=actor.is_private or actor.is_limited)
            counted.is_done = share_id == share.pk
    except LookupError:
        raise Http404("No such post.") from None
    if share_id == share.pk:
        start_delivery(share)
        signals.post_published.send_robust(sender=None, post=share.pk, author=actor.pk)
        signals.post_shared.send_robust(
            sender=None, post=post.id, sharer=actor.pk, post_author=post.author.uid
        )
    elif not share.is_pushed:
        home_states.remove_merged_post(author=actor.pk, post=share.pk)
    return share_id


@transactional(retry_duplicate_keys=True)
def _insert_share(post: Post, *, is_private: bool) -> int:
    shared_id = post.share_of or 0
    existing_share = shares.get_share(author=post.author_id, post=shared_id)
    if existing_share is not None:
        return existing_share.id
    post_counters.change_share_count(post=shared_id, change=0 if is_private else 1)
    share = Share(id=post.pk, author=post.author_id, post=shared_id, is_private=is_private)
    shares.insert_share(share=share)
    post.save(force_insert=True)
    return int(post.pk)


def unshare_post(*, post_id: int, actor: User) -> bool:
    """Remove the actor's share of a post. Return False if there is no share."""
    share = shares.get_share(author=actor.pk, post=post_id)
    if share is None:
        return False
    delete_share_unchecked(share)
    home_states.remove_merged_post(author=actor.pk, post=share.id)
    signals.post_deleted.send_robust(sender=None, post=share.id, author=actor.pk)
    signals.post_unshared.send_robust(sender=None, post=share.post, sharer=actor.pk)
    return True


@transactional()
def delete_share_unchecked(share: Share) -> None:
    deleted = shares.delete_share(id=share.id, author=share.author, post=share.post)
    if deleted is not None and not deleted.is_private:
        with suppress(LookupError):  # the shared post is deleted, so there is no counter
            post_counters.change_share_count(post=share.post, change=-1)
    Post.objects.filter(pk=share.id).delete()
