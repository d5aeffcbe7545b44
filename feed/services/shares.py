"""Share a post, and take it back."""

from contextlib import suppress

from django.http import Http404
from django.utils.translation import gettext as _

from accounts.infra import rate_limits
from accounts.infra.ids import new_id
from accounts.infra.refusals import Refused
from accounts.infra.transactions import transactional
from accounts.models import User
from feed import signals
from feed.models import Post
from feed.selectors.lists import visible_post
from feed.store import post_counters, reading, shares
from feed.store.shares import Share

from .publication import plan_delivery, start_delivery


class CannotShare(Refused):
    """Sharing is refused; the message is for the person."""


def share_post(*, post_id: int, actor: User) -> int:
    """Bring somebody's post to one's own followers; returns the share's id, also of one made before.

    Raises Http404 for posts the actor may not read, CannotShare for those that are not for everybody,
    TooMany who posts and shares very much in a short time.
    """
    found = visible_post(post_id=post_id, viewer=actor.pk)
    if not found.can_share:
        raise CannotShare(_("This post is not for everybody, so it cannot be shared."))
    share = Post(pk=new_id(), author_id=actor.pk, kind="share", share_of=found.id)
    try:
        with rate_limits.limited_action(
            action="post",
            subject=actor.pk,
            is_repeat=lambda: shares.get_share(author=actor.pk, post=found.id) is not None,
        ) as counted:
            plan_delivery(share)
            made = _share(share)
            counted.is_done = made == share.pk
    except LookupError:
        raise Http404("No such post.") from None
    if made == share.pk:
        start_delivery(share)
        signals.post_published.send_robust(sender=None, post=share.pk, author=actor.pk)
        signals.post_shared.send_robust(sender=None, post=found.id, sharer=actor.pk)
    elif not share.is_pushed:
        reading.remove_merged_post(author=actor.pk, post=share.pk)
    return made


@transactional(retry_duplicate_keys=True)
def _share(post: Post) -> int:
    there = shares.get_share(author=post.author_id, post=post.share_of or 0)
    if there is not None:
        return there.id
    post_counters.change_share_count(post=post.share_of or 0, change=1)
    shares.insert_share(share=Share(id=post.pk, author=post.author_id, post=post.share_of or 0))
    post.save(force_insert=True)
    return int(post.pk)


def unshare_post(*, post_id: int, actor: User) -> bool:
    """Take one's share of a post back; False if there is none."""
    share = shares.get_share(author=actor.pk, post=post_id)
    if share is None:
        return False
    delete_share_unchecked(share)
    reading.remove_merged_post(author=actor.pk, post=share.id)
    signals.post_deleted.send_robust(sender=None, post=share.id, author=actor.pk)
    signals.post_unshared.send_robust(sender=None, post=share.post, sharer=actor.pk)
    return True


@transactional()
def delete_share_unchecked(share: Share) -> None:
    if shares.delete_share(share=share):
        with suppress(LookupError):  # what was shared is gone
            post_counters.change_share_count(post=share.post, change=-1)
    Post.objects.filter(pk=share.id).delete()
