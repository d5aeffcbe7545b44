"""Share and unshare posts."""

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
from feed.selectors.post_view import PostView
from feed.store import home_states, post_counters, shares
from feed.store.post_rows import QUOTED_BY_SHARED
from feed.store.shares import Share

from .publication import plan_delivery, start_delivery


class CannotShare(Refused):
    """The post cannot be shared. The message is shown to the actor."""


def share_post(*, post: PostView, actor: User) -> int:
    """Share a visible post with the actor's followers. Return the id of the new or existing share.

    Raises:
        Http404: the post was deleted after the caller read it.
        CannotShare: the post is neither public nor unlisted.
        RateLimited: the actor has reached the rate limit, which counts posts and shares together.
    """
    if not post.can_share:
        raise CannotShare(_("You can share only public and unlisted posts."))
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
