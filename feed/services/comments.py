"""Say something to a post or to what others said, change it, take it back; and like what others said."""

from dataclasses import replace

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts import limits
from accounts.ids import new_id
from accounts.models import User
from accounts.refusals import Refused
from accounts.transactions import transactional
from feed import attributes, selectors, signals
from feed.selectors import CommentView
from feed.store import comments, forgetting, likes, tallies
from feed.store.comments import NewComment

from .likes import liking
from .once import Once, once
from .suspecting import suspect_comment


class CannotComment(Refused):
    """Commenting is refused; the message is for the person."""


def comment_on_post(*, post_id: int, actor: User, text: str, parent: int = 0, key: str = "") -> int:
    """Say something to a post, or with ``parent`` to a comment on it; returns the comment's id.

    ``key``: as for ``publish_post``. Raises Http404 for what the actor may not read and what is deleted,
    CannotComment where the author has chosen who may, TooMany who says very much in a short time.
    """
    post = selectors.post(post_id=post_id, viewer=actor.pk)
    if not post.may_answer:
        raise CannotComment(_("The author has chosen who may comment on this post."))
    comment = NewComment(post=post.id, uid=actor.pk, text=text)
    if parent:
        answered = selectors.comment(post=post, comment_id=parent, viewer=actor.pk)
        to = answered.by.uid if answered.by and answered.thread else 0
        comment = replace(comment, thread=answered.thread or answered.id, parent=parent, to=to)
    try:
        wanted = Once(actor.pk, key, new_id())
        with limits.counted(action="comment", who=actor.pk, is_repeat=wanted.is_known) as counted:
            made = _add(comment, wanted)
            counted.stands = made.is_new
    except LookupError:
        raise Http404("No such post.") from None
    if made.is_new:
        signals.comment_published.send_robust(
            sender=None, comment=made.id, post=post.id, author=actor.pk, parent=parent
        )
        suspect_comment(comment=made.id, post=post.id, author=actor.pk, text=text)
    return made.id


@transactional(retry_duplicate_keys=True)
def _add(comment: NewComment, wanted: Once) -> Once:
    made = once(wanted=wanted, is_there=lambda made: _is_there(comment.post, made))
    if made.is_new:
        tallies.answered(id=made.id, comment=comment)
        comments.add(id=made.id, comment=comment)
    return made


def edit_comment(*, post_id: int, comment_id: int, actor: User, text: str) -> None:
    """Change one's own comment. Raises Http404 unless it is, and is still there."""
    found = _comment(post_id, comment_id, actor)
    if not found.is_own:
        raise Http404("No such comment.")
    if _edit(post_id, comment_id, actor.pk, text):
        before = attributes.uids_mentioned_in(text=found.text)
        now = attributes.uids_mentioned_in(text=text)
        signals.comment_edited.send_robust(
            sender=None,
            comment=comment_id,
            post=post_id,
            author=actor.pk,
            mentioned=[uid for uid in now if uid not in before],
        )
        suspect_comment(
            comment=comment_id, post=post_id, author=actor.pk, text=text, before=found.text
        )


@transactional()
def _edit(post: int, id: int, uid: int, text: str) -> bool:
    if not comments.change(post=post, id=id, uid=uid, text=text, at=timezone.now()):
        return False
    tallies.reworded(post=post, id=id, text=text)
    return True


def delete_comment(*, post_id: int, comment_id: int, actor: User) -> None:
    """Delete one's own comment, or as the author of the post or a moderator anybody's.

    What was answered keeps its place, empty. Raises Http404 when there is no such comment, and also when
    the actor may not delete it.
    """
    found = _comment(post_id, comment_id, actor)
    if not (found.may_delete or actor.has_perm("feed.delete_post")):
        raise Http404("No such comment.")
    forgetting.note(id=comment_id, post=post_id, at=timezone.now())
    take_away_comment(post=post_id, id=comment_id, author=found.by.uid if found.by else 0)


def take_away_comment(*, post: int, id: int, author: int) -> None:
    """Whoever wants it gone; its place stays. To be noted before (``store.forgetting``)."""
    try:
        is_deleted = _delete(post, id)
    except LookupError:
        return  # the post is gone, and its comments are about to be
    if is_deleted:
        signals.comment_deleted.send_robust(sender=None, comment=id, post=post, author=author)


@transactional()
def _delete(post: int, id: int) -> bool:
    if comments.erase(post=post, id=id) is None:
        return False
    tallies.unanswered(post=post, id=id)
    return True


def like_comment(*, post_id: int, comment_id: int, actor: User) -> bool:
    """Like a comment; False if the actor does already. Raises as ``like_post``."""
    _comment(post_id, comment_id, actor)
    try:
        with liking(comment_id, actor.pk) as counted:
            is_new = counted.stands = _like(post_id, comment_id, actor.pk)
    except LookupError:
        raise Http404("No such comment.") from None
    if is_new:
        signals.comment_liked.send_robust(
            sender=None, comment=comment_id, post=post_id, liker=actor.pk
        )
    return is_new


@transactional(retry_duplicate_keys=True)
def _like(post: int, id: int, uid: int) -> bool:
    if not likes.add(post=id, uid=uid):
        return False
    comments.count_likes(post=post, id=id, by=1)
    return True


def unlike_comment(*, post_id: int, comment_id: int, actor: User) -> bool:
    """Take one's like back, also where one may not read the comment any more; False if there is none."""
    try:
        return take_like_off_comment(post=post_id, id=comment_id, uid=actor.pk)
    except LookupError:
        return False  # the comment is gone, and its likes are about to be


def take_like_off_comment(*, post: int, id: int, uid: int) -> bool:
    """False if there is none. Raises LookupError if there is no such comment."""
    is_taken = _unlike(post, id, uid)
    if is_taken:
        signals.comment_unliked.send_robust(sender=None, comment=id, post=post, liker=uid)
    return is_taken


@transactional()
def _unlike(post: int, id: int, uid: int) -> bool:
    if not likes.remove(post=id, uid=uid):
        return False
    comments.count_likes(post=post, id=id, by=-1)
    return True


def _is_there(post: int, id: int) -> bool:
    found = comments.get(post=post, id=id)
    return found is not None and not found.is_gone


def _comment(post_id: int, comment_id: int, actor: User) -> CommentView:
    post = selectors.post(post_id=post_id, viewer=actor.pk)
    return selectors.comment(post=post, comment_id=comment_id, viewer=actor.pk)
