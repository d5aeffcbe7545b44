"""Publish, edit, delete and like comments.

Callers pass a ``PostView`` and a ``CommentView`` of the actor. Both exist only for visible content, so
they prove that the actor may read the post and the comment.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.infra import rate_limits
from accounts.infra.ids import new_id
from accounts.infra.transactions import transactional
from accounts.models import User
from feed import attributes, signals
from feed.models import Post
from feed.selectors.comment_views import CommentView
from feed.selectors.post_view import PostView
from feed.store import comments, conversations, likes, pending_cleanups, post_counters
from feed.store.comment_rows import NewComment

from .comment_audience import CannotComment, comment_audience, new_recipients
from .interactions import like_rate_limit
from .publication import KeyedInsert, OnInsert, claim_key
from .spam_checks import check_comment_for_spam


def add_comment(
    *,
    post: PostView,
    actor: User,
    text: str,
    parent: CommentView | None = None,
    content_warning: str = "",
    visibility: str | None = None,
    idempotency_key: str = "",
    on_insert: OnInsert | None = None,
) -> int:
    """Comment on a post and return the comment's id.

    Args:
        parent: the comment to reply to, None to comment on the post itself.
        visibility: as in ``comment_audience``.
        idempotency_key, on_insert: as in ``publish_post``.

    Raises:
        Http404: the post was deleted after the caller read it.
        CannotComment: the reply policy excludes the actor, or as in ``comment_audience``.
        RateLimited: the actor has reached the rate limit.
    """
    refuse_unless_allowed(post=post)
    audience = comment_audience(
        post=post, actor=actor, text=text, visibility=visibility, parent=parent
    )
    is_author_limited = actor.is_limited and not audience.visibility
    comment = NewComment(
        post=post.id,
        uid=actor.pk,
        text=text,
        content_warning=content_warning,
        visibility=Post.Visibility.FOLLOWERS.value if is_author_limited else audience.visibility,
        recipients=audience.recipients,
        is_author_limited=is_author_limited,
    )
    if parent is not None:
        comment = replace(
            comment,
            thread_id=parent.thread_id or parent.id,
            parent_id=parent.id,
            reply_to_uid=parent.author.uid if parent.author and parent.thread_id else 0,
        )
    try:
        insert = KeyedInsert(actor.pk, idempotency_key, new_id())
        with rate_limits.limited_action(
            action="comment", subject=actor.pk, is_repeat=insert.is_repeat
        ) as counted:
            inserted = _insert_comment(
                comment, insert, on_insert, is_first=parent is None and post.row.comments == 0
            )
            counted.is_done = inserted.is_new
    except LookupError:
        raise Http404("No such post.") from None
    if inserted.is_new:
        signals.comment_published.send_robust(
            sender=None,
            comment=inserted.id,
            post=post.id,
            author=actor.pk,
            parent=comment.parent_id,
            post_author=post.author.uid,
            parent_author=parent.author.uid if parent and parent.author else 0,
            text=text,
            is_direct=post.visibility == Post.Visibility.DIRECT,
            visibility=audience.visibility,
            recipients=list(comment.recipients),
        )
        check_comment_for_spam(
            comment=inserted.id,
            post=post,
            parent_id=comment.parent_id,
            author=actor.pk,
            text=text,
        )
    return inserted.id


def refuse_unless_allowed(*, post: PostView) -> None:
    """Raise CannotComment if the reply policy of the post excludes the viewer."""
    if not post.can_comment:
        raise CannotComment(
            _("You cannot comment on this post, because the author has limited who can comment.")
        )


def _insert_comment(
    comment: NewComment, insert: KeyedInsert, on_insert: OnInsert | None, *, is_first: bool
) -> KeyedInsert:
    if is_first:
        try:
            return _insert_first_comment(comment, insert, on_insert)
        except comments.NotFirstComment:
            pass  # another user published the first comment after the caller read the post
    return _insert_next_comment(comment, insert, on_insert)


@transactional()
def _insert_first_comment(
    comment: NewComment, insert: KeyedInsert, on_insert: OnInsert | None
) -> KeyedInsert:
    return _claim_and_insert(comment, insert, on_insert, comments.add_first_comment)


@transactional(retry_duplicate_keys=True)
def _insert_next_comment(
    comment: NewComment, insert: KeyedInsert, on_insert: OnInsert | None
) -> KeyedInsert:
    return _claim_and_insert(comment, insert, on_insert, comments.add_comment)


def _claim_and_insert(
    comment: NewComment,
    insert: KeyedInsert,
    on_insert: OnInsert | None,
    add_comment: Callable[..., None],
) -> KeyedInsert:
    inserted = claim_key(
        insert=insert, exists=lambda comment_id: _comment_exists(comment.post, comment_id)
    )
    if inserted.is_new:
        if on_insert is not None:
            on_insert()
        participants = post_counters.add_comment(comment_id=inserted.id, comment=comment)
        add_comment(id=inserted.id, comment=comment)
        conversations.add_message(post=comment.post, owners=participants, id=inserted.id)
    return inserted


def edit_comment(
    *,
    post: PostView,
    comment: CommentView,
    actor: User,
    text: str,
    content_warning: str | None = None,
) -> None:
    """Change the actor's own comment. ``None`` leaves the content warning unchanged.

    An edit cannot change the visibility. Users whom the new text mentions can read a limited comment, too.
    Raises Http404 if another user wrote the comment, and CannotComment like ``new_recipients``.
    """
    if not comment.is_own:
        raise Http404("No such comment.")
    added = new_recipients(comment=comment, text=text)
    warning = comment.content_warning if content_warning is None else content_warning
    if _edit(post.id, comment.id, actor.pk, text, warning, added):
        before = attributes.mentioned_uids(text=comment.text)
        now = attributes.mentioned_uids(text=text)
        signals.comment_edited.send_robust(
            sender=None,
            comment=comment.id,
            post=post.id,
            author=actor.pk,
            mentioned=[uid for uid in now if uid not in before],
        )
        check_comment_for_spam(
            comment=comment.id,
            post=post,
            parent_id=comment.parent_id,
            author=actor.pk,
            text=text,
            previous_text=comment.text,
        )


@transactional()
def _edit(
    post: int, id: int, uid: int, text: str, warning: str, new_recipients: Sequence[int]
) -> bool:
    is_changed = comments.edit_comment(
        post=post,
        id=id,
        uid=uid,
        text=text,
        content_warning=warning,
        new_recipients=new_recipients,
        edited_at=timezone.now(),
    )
    if is_changed:
        post_counters.edit_comment(post=post, comment_id=id, text=text, content_warning=warning)
    return is_changed


def delete_comment(*, post: PostView, comment: CommentView, actor: User) -> None:
    """Delete a comment as its author, as the author of the post or as a moderator.

    If the comment has replies, an empty placeholder remains above the replies. Raises Http404 if the actor
    may not delete the comment.
    """
    if not (comment.can_delete or actor.has_perm("feed.delete_post")):
        raise Http404("No such comment.")
    pending_cleanups.add_cleanup(id=comment.id, post=post.id, noted_at=timezone.now())
    delete_comment_unchecked(
        post=post.id, id=comment.id, author=comment.author.uid if comment.author else 0
    )


def delete_comment_unchecked(*, post: int, id: int, author: int) -> None:
    """Delete a comment without checking permissions. A placeholder remains above its replies.

    Callers first add the comment to ``store.pending_cleanups``. If the process dies, the sweeper then
    finishes the cleanup.
    """
    try:
        is_deleted = _delete(post, id)
    except LookupError:
        return  # the post is deleted, and ``tasks.clean_up_post`` deletes all its comments
    if is_deleted:
        signals.comment_deleted.send_robust(sender=None, comment=id, post=post, author=author)


@transactional()
def _delete(post: int, id: int) -> bool:
    is_limited = comments.delete_comment(post=post, id=id)
    if is_limited is None:
        return False
    participants = post_counters.remove_comment(post=post, comment_id=id, is_limited=is_limited)
    conversations.update_newest(post=post, owners=participants)
    return True


def like_comment(*, post: PostView, comment: CommentView, actor: User) -> bool:
    """Like a comment. Return whether the number of likes changed.

    Raises the same exceptions as ``like_post``.
    """
    try:
        with like_rate_limit(comment.id, actor.pk) as counted:
            is_new = counted.is_done = _add_like(post.id, comment.id, actor)
    except LookupError:
        raise Http404("No such comment.") from None
    if is_new:
        signals.comment_liked.send_robust(
            sender=None, comment=comment.id, post=post.id, liker=actor.pk
        )
    return is_new and not actor.is_limited


def _add_like(post: int, id: int, actor: User) -> bool:
    try:
        _like(post, id, actor.pk, is_counted=not actor.is_limited)
    except likes.AlreadyAdded:
        return False
    return True


@transactional(retry_duplicate_keys=True)
def _like(post: int, id: int, uid: int, *, is_counted: bool) -> None:
    likes.add_like(post=id, uid=uid, is_counted=is_counted)
    comments.change_like_count(post=post, id=id, change=int(is_counted))


def unlike_comment(*, post_id: int, comment_id: int, actor: User) -> bool:
    """Remove the actor's like, even if the comment is no longer visible. Return whether it was counted."""
    try:
        return remove_like_from_comment(post=post_id, id=comment_id, uid=actor.pk)
    except LookupError:
        return False  # the comment is deleted, and a cleanup task deletes all its likes


def remove_like_from_comment(*, post: int, id: int, uid: int) -> bool:
    """Remove a user's like. Return whether it was counted. Raises LookupError if the comment is missing."""
    was_counted = _unlike(post, id, uid)
    if was_counted is not None:
        signals.comment_unliked.send_robust(sender=None, comment=id, post=post, liker=uid)
    return bool(was_counted)


@transactional()
def _unlike(post: int, id: int, uid: int) -> bool | None:
    was_counted = likes.remove_like(post=id, uid=uid)
    if was_counted:
        comments.change_like_count(post=post, id=id, change=-1)
    return was_counted


def _comment_exists(post: int, id: int) -> bool:
    comment = comments.get_comment(post=post, id=id)
    return comment is not None and not comment.is_deleted
