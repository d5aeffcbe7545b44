"""Share a post, and take it back."""

from contextlib import suppress

from django.http import Http404
from django.utils.translation import gettext as _

from accounts import limits
from accounts.ids import new_id
from accounts.models import User
from accounts.refusals import Refused
from accounts.transactions import transactional
from feed import selectors, signals
from feed.models import Post
from feed.store import reading, shares, tallies
from feed.store.shares import Share

from .publishing import deliver, plan_delivery


class CannotShare(Refused):
    """Sharing is refused; the message is for the person."""


def share_post(*, post_id: int, actor: User) -> int:
    """Bring somebody's post to one's own followers; returns the share's id, also of one made before.

    Raises Http404 for posts the actor may not read, CannotShare for those that are not for everybody,
    TooMany who posts and shares very much in a short time.
    """
    found = selectors.post(post_id=post_id, viewer=actor.pk)
    if not found.can_share:
        raise CannotShare(_("This post is not for everybody, so it cannot be shared."))
    share = Post(pk=new_id(), author_id=actor.pk, kind="share", share_of=found.id)
    try:
        with limits.counted(
            action="post",
            who=actor.pk,
            is_repeat=lambda: shares.get(author=actor.pk, post=found.id) is not None,
        ) as counted:
            plan_delivery(share)
            made = _share(share)
            counted.stands = made == share.pk
    except LookupError:
        raise Http404("No such post.") from None
    if made == share.pk:
        deliver(share)
        signals.post_published.send_robust(sender=None, post=share.pk, author=actor.pk)
        signals.post_shared.send_robust(sender=None, post=found.id, sharer=actor.pk)
    elif not share.is_pushed:
        reading.forget_merged(author=actor.pk, post=share.pk)
    return made


@transactional(retry_duplicate_keys=True)
def _share(post: Post) -> int:
    there = shares.get(author=post.author_id, post=post.share_of or 0)
    if there is not None:
        return there.id
    tallies.shared(post=post.share_of or 0, by=1)
    shares.insert(share=Share(id=post.pk, author=post.author_id, post=post.share_of or 0))
    post.save(force_insert=True)
    return int(post.pk)


def undo_share(*, post_id: int, actor: User) -> bool:
    """Take one's share of a post back; False if there is none."""
    share = shares.get(author=actor.pk, post=post_id)
    if share is None:
        return False
    delete_share(share)
    reading.forget_merged(author=actor.pk, post=share.id)
    signals.post_deleted.send_robust(sender=None, post=share.id, author=actor.pk)
    signals.post_unshared.send_robust(sender=None, post=share.post, sharer=actor.pk)
    return True


@transactional()
def delete_share(share: Share) -> None:
    if shares.delete(share=share):
        with suppress(LookupError):  # what was shared is gone
            tallies.shared(post=share.post, by=-1)
    Post.objects.filter(pk=share.id).delete()
