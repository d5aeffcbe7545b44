"""What people can do with posts. Each function is one write and one announcement after it."""

import logging

from django.conf import settings
from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import selectors as people
from accounts.ids import first_id_at, new_id
from accounts.models import User
from accounts.transactions import transactional

from . import mentions, selectors, signals, strategies, tasks
from .models import Post
from .store import deliveries, likes, reading, shares
from .store.shares import Share

logger = logging.getLogger(__name__)


class CannotPublish(ValueError):
    """Publishing is refused; the message is for the person."""


class CannotShare(ValueError):
    """Sharing is refused; the message is for the person."""


def publish_post(*, author: int, text: str, visibility: str = Post.Visibility.PUBLIC) -> int:
    """Publish a text and bring it to the author's audience; returns the post's id.

    The author sees it at once. Small audiences are delivered before this returns, larger ones by
    workers. Should the process die anywhere after the insert, the sweeper finishes the delivery.
    A direct post goes to those it mentions; raises CannotPublish if it mentions nobody.
    """
    recipients = _recipients(text, author) if visibility == Post.Visibility.DIRECT else []
    post = Post(
        pk=new_id(), author_id=author, text=text, visibility=visibility, recipients=recipients
    )
    _plan_delivery(post)
    post.save(force_insert=True)
    _deliver(post)
    signals.post_published.send_robust(sender=None, post=post.pk, author=author)
    return int(post.pk)


def edit_post(*, post_id: int, actor: User, text: str) -> None:
    """Change the text of one's own post; every reader sees it at the next look.

    Who may read it stays as it was, except that a direct post also goes to those it mentions now.
    Raises Http404 unless it is the actor's own post, CannotPublish as ``publish_post``.
    """
    post = _changed(post_id, actor, text)
    if post is None:
        return
    if post.visibility == Post.Visibility.DIRECT and post.delivery_state == Post.Delivery.PENDING:
        _deliver(post)
    signals.post_edited.send_robust(sender=None, post=post_id, author=actor.pk)


@transactional()
def _changed(post_id: int, actor: User, text: str) -> Post | None:
    """The post as it is now; None if it has this text already."""
    post = _own_post(post_id, actor)
    if post.share_of is not None:
        raise Http404("A share has no text.")
    if text == post.text:
        return None
    post.text, post.edited_at = text, timezone.now()
    changed = ["text", "edited_at"]
    if post.visibility == Post.Visibility.DIRECT:
        added = [uid for uid in _recipients(text, actor.pk) if uid not in post.recipients]
        if added:
            # Under way again, in the same write: should this process die, the sweeper brings it.
            post.recipients = [*post.recipients, *added]
            post.delivery_people = len(post.recipients)
            post.delivery_state, post.delivery_attempts = Post.Delivery.PENDING, 0
            post.delivery_error = ""
            post.delivery_at = post.edited_at
            changed += [
                "recipients",
                "delivery_people",
                "delivery_state",
                "delivery_attempts",
                "delivery_error",
                "delivery_at",
            ]
    post.save(update_fields=changed)
    return post


def share_post(*, post_id: int, actor: User) -> int:
    """Bring somebody's post to one's own followers; returns the share's id, also of one made before.

    Raises Http404 for posts the actor may not read, CannotShare for those that are not for everybody.
    """
    found = selectors.post(post_id=post_id, viewer=actor.pk)
    if not found.can_share:
        raise CannotShare(_("This post is not for everybody, so it cannot be shared."))
    share = Post(pk=new_id(), author_id=actor.pk, share_of=found.id)
    _plan_delivery(share)
    made = _share(share)
    if made == share.pk:
        _deliver(share)
        signals.post_published.send_robust(sender=None, post=share.pk, author=actor.pk)
    elif not share.is_pushed:
        reading.forget_merged(author=actor.pk, post=share.pk)
    return made


@transactional(retry_duplicate_keys=True)
def _share(post: Post) -> int:
    there = shares.get(author=post.author_id, post=post.share_of or 0)
    if there is not None:
        return there.id
    shares.insert(share=Share(id=post.pk, author=post.author_id, post=post.share_of or 0))
    post.save(force_insert=True)
    return int(post.pk)


def undo_share(*, post_id: int, actor: User) -> bool:
    """Take one's share of a post back; False if there is none."""
    share = shares.get(author=actor.pk, post=post_id)
    if share is None:
        return False
    _delete_share(share)
    reading.forget_merged(author=actor.pk, post=share.id)
    signals.post_deleted.send_robust(sender=None, post=share.id, author=actor.pk)
    return True


@transactional()
def _delete_share(share: Share) -> None:
    shares.delete(share=share)
    Post.objects.filter(pk=share.id).delete()


def delete_post(*, post_id: int, actor: User) -> None:
    """Delete one's own post, or as a moderator anybody's; timelines leave it out at the next read.

    Raises Http404 when there is no such post, and also when the actor may not delete it.
    """
    post = Post.objects.filter(pk=post_id).first()
    if post is None or not (post.author_id == actor.pk or actor.has_perm("feed.delete_post")):
        raise Http404("No such post.")
    if post.share_of is not None:
        _delete_share(Share(id=post.pk, author=post.author_id, post=post.share_of))
    else:
        post.delete()
    if not post.is_pushed:
        reading.forget_merged(author=post.author_id, post=post_id)
    signals.post_deleted.send_robust(sender=None, post=post_id, author=post.author_id)


def like_post(*, post_id: int, actor: User) -> bool:
    """Like a post; False if the actor does already. Raises Http404 for posts the actor may not read."""
    post = selectors.post(post_id=post_id, viewer=actor.pk).id
    try:
        is_new = _like(post, actor.pk)
    except LookupError:
        raise Http404("No such post.") from None
    if is_new:
        signals.post_liked.send_robust(sender=None, post=post, liker=actor.pk)
    return is_new


@transactional(retry_duplicate_keys=True)
def _like(post: int, uid: int) -> bool:
    return likes.add(post=post, uid=uid)


def unlike_post(*, post_id: int, actor: User) -> bool:
    """Take one's like back, also where one may not read the post any more; False if there is none."""
    try:
        is_taken = _unlike(post_id, actor.pk)
    except LookupError:
        return False  # the post is gone, and its likes are about to be
    if is_taken:
        signals.post_unliked.send_robust(sender=None, post=post_id, liker=actor.pk)
    return is_taken


@transactional()
def _unlike(post: int, uid: int) -> bool:
    return likes.remove(post=post, uid=uid)


def remember_position(*, reader: int, position: int) -> None:
    """The reader has seen the home timeline up to this entry, on whatever device; never goes back."""
    # Not beyond what there can be, or nothing would ever be new again.
    newest = first_id_at(moment=timezone.now())
    reading.advance(reader=reader, position=min(position, newest))


def _own_post(post_id: int, actor: User) -> Post:
    post = Post.objects.filter(pk=post_id, author_id=actor.pk).first()
    if post is None:
        raise Http404("No such post.")
    return post


def _recipients(text: str, author: int) -> list[int]:
    names = mentions.names_in(text=text)
    known = mentions.uids_of(names=names)
    for name in names:
        if name not in known:
            raise CannotPublish(_("There is nobody called @%(name)s here.") % {"name": name})
    recipients = [uid for uid in known.values() if uid != author]
    if not recipients:
        raise CannotPublish(_("Mention somebody, like @name: only those you mention will read it."))
    return recipients


def _plan_delivery(post: Post) -> None:
    """Note in the post, before it is inserted, to whom it goes and how.

    Pushed or merged at read is decided here, once for each post, so that an author who crosses the
    limit later changes nothing for what is out already.
    """
    if post.visibility == Post.Visibility.DIRECT:
        post.delivery_people = len(post.recipients)
        return
    audience = people.audience_size(uid=post.author_id)
    post.delivery_people = audience.people
    if audience.people > settings.FEED_PUSH_LIMIT:
        reading.note_merged(author=post.author_id, post=post.pk)
        post.is_pushed, post.delivery_state = False, Post.Delivery.DONE
    elif not audience.is_within(people=settings.FEED_INLINE_AUDIENCE):
        post.delivery_parts = deliveries.parts(end=audience.end)


def _deliver(post: Post) -> None:
    try:
        if not post.is_pushed:
            return
        if post.delivery_parts:
            strategies.deliver(activity=post.pk, readers=[post.author_id])
            tasks.enqueue_delivery(post_id=post.pk)
        else:
            tasks.deliver_post(post_id=post.pk)
    except Exception:
        # The post is out. To answer with an error would make its author publish it again.
        logger.exception("The delivery of post %s waits for the sweeper", post.pk)
