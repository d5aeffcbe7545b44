"""Like and unlike posts. Likes of comments are in ``comments``."""

from contextlib import AbstractContextManager

from django.http import Http404

from accounts.infra import rate_limits
from accounts.infra.transactions import transactional
from accounts.models import User
from feed import signals
from feed.selectors.post_view import PostView
from feed.store import likes, post_counters


def like_post(*, post: PostView, actor: User) -> PostView:
    """Like a post that is visible to the actor, and return the liked post. Safe to repeat.

    Raises Http404 if the post was deleted after the caller read it, and RateLimited above the rate limit.
    """
    try:
        with like_rate_limit(post.id, actor.pk) as counted:
            is_new = counted.is_done = _add_like(post, actor.pk)
    except LookupError:
        raise Http404("No such post.") from None
    if is_new:
        signals.post_liked.send_robust(
            sender=None, post=post.id, liker=actor.pk, post_author=post.author.uid
        )
    return post.with_like(is_liked=True, change=int(is_new))


def like_rate_limit(target_id: int, uid: int) -> AbstractContextManager[rate_limits.CountedAction]:
    """Return a context manager that counts a like against the rate limit.

    A repeated like of the same post or comment is not counted.
    """
    return rate_limits.limited_action(
        action="like",
        subject=uid,
        is_repeat=lambda: bool(likes.liked_ids(posts=[target_id], uid=uid)),
    )


def _add_like(post: PostView, uid: int) -> bool:
    try:
        if post.row.likes == 0:
            _add_first_like(post.id, uid)
            return True
    except likes.NotFirstLike:
        pass  # another user was faster, or all earlier likes were removed
    try:
        _add_next_like(post.id, uid)
    except likes.AlreadyLiked:
        return False
    return True


@transactional()
def _add_first_like(post: int, uid: int) -> None:
    likes.add_first_like(post=post, uid=uid)
    post_counters.add_like(post=post, uid=uid)


@transactional(retry_duplicate_keys=True)
def _add_next_like(post: int, uid: int) -> None:
    likes.add_like(post=post, uid=uid)
    post_counters.add_like(post=post, uid=uid)


def unlike_post(*, post_id: int, actor: User) -> bool:
    """Remove the actor's like, even if the post is no longer visible. Return False if there is none."""
    try:
        return remove_like_from_post(post_id=post_id, uid=actor.pk)
    except LookupError:
        return False  # the post is deleted, and ``tasks.clean_up_post`` deletes all its likes


def remove_like_from_post(*, post_id: int, uid: int) -> bool:
    """Remove a user's like. Return False if there is none. Raises LookupError if the post is missing."""
    is_removed = _unlike(post_id, uid)
    if is_removed:
        signals.post_unliked.send_robust(sender=None, post=post_id, liker=uid)
    return is_removed


@transactional()
def _unlike(post: int, uid: int) -> bool:
    if not likes.remove_like(post=post, uid=uid):
        return False
    post_counters.remove_like(post=post, uid=uid)
    return True
