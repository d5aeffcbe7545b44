"""Like a post, and take it back. Likes of comments: ``comments``."""

from contextlib import AbstractContextManager

from django.http import Http404

from accounts import limits
from accounts.models import User
from accounts.transactions import transactional
from feed import selectors, signals
from feed.store import likes, tallies


def like_post(*, post_id: int, actor: User) -> bool:
    """Like a post; False if the actor does already. Raises Http404 for posts the actor may not read,
    TooMany who likes very many things in an hour."""
    post = selectors.post(post_id=post_id, viewer=actor.pk).id
    try:
        with liking(post, actor.pk) as counted:
            is_new = counted.stands = _like(post, actor.pk)
    except LookupError:
        raise Http404("No such post.") from None
    if is_new:
        signals.post_liked.send_robust(sender=None, post=post, liker=actor.pk)
    return is_new


def liking(what: int, uid: int) -> AbstractContextManager[limits.Counted]:
    """A post or a comment is liked inside, which is counted once for each."""
    return limits.counted(
        action="like",
        who=uid,
        is_repeat=lambda: bool(likes.liked_among(posts=[what], uid=uid)),
    )


@transactional(retry_duplicate_keys=True)
def _like(post: int, uid: int) -> bool:
    if not likes.add(post=post, uid=uid):
        return False
    tallies.liked(post=post, uid=uid)
    return True


def unlike_post(*, post_id: int, actor: User) -> bool:
    """Take one's like back, also where one may not read the post any more; False if there is none."""
    try:
        return take_like_off_post(post=post_id, uid=actor.pk)
    except LookupError:
        return False  # the post is gone, and its likes are about to be


def take_like_off_post(*, post: int, uid: int) -> bool:
    """False if there is none. Raises LookupError if there is no such post."""
    is_taken = _unlike(post, uid)
    if is_taken:
        signals.post_unliked.send_robust(sender=None, post=post, liker=uid)
    return is_taken


@transactional()
def _unlike(post: int, uid: int) -> bool:
    if not likes.remove(post=post, uid=uid):
        return False
    tallies.unliked(post=post, uid=uid)
    return True
