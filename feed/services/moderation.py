"""Hide and restore posts and comments for moderators.

A hidden post stays in the store, but ``selectors.visibility`` treats the post as not visible. Therefore
hiding removes the post from all lists at once, and restoring shows the post in all lists again. Callers
check permissions.
"""

from accounts.infra.transactions import transactional
from feed import picture_files, signals
from feed.link_cards.cards import sync_picture
from feed.models import Post
from feed.store import attributes, conversations, hidden_comments, pending_cleanups, post_counters

from .quotes import recount_quote
from .tags import update_tag_usage

VISIBLE = ""


def set_post_hidden(*, post_id: int, state: str, undone_state: str = VISIBLE) -> str | None:
    """Set ``Post.hidden`` and return the previous state, or None if the post is missing.

    If the post was pending review and ``state`` is ``VISIBLE``, ``post_published`` is sent. A second call
    with the same state repeats everything that follows the first write, in case a process died before the
    end. Receivers of the signals are safe to repeat.

    Args:
        undone_state: the state that this call undoes. If the post is already visible, an interrupted call
            undid this state.
    """
    changed = _set_hidden(post_id, state)
    if changed is None:
        return None
    post, before = changed
    if state == Post.Hidden.REMOVED:
        picture_files.hide_pictures(media=post.media)
    else:
        picture_files.restore_pictures(media=post.media)
    sync_picture(card=post.link_card or {})
    old_state = undone_state if before == state else before
    if old_state != state and VISIBLE in (old_state, state):
        counted = [] if state else post.attributes
        other = post.attributes if state else []
        update_tag_usage(
            post_id=post.pk,
            post=post,
            old_attributes=other,
            new_attributes=counted,
            used_at=post.created_at,
        )
    if state:
        signals.post_hidden.send_robust(sender=None, post=post.pk)
    elif old_state == Post.Hidden.PENDING:
        signals.post_published.send_robust(sender=None, post=post.pk, author=post.author_id)
    return before


@transactional()
def _set_hidden(post_id: int, hidden: str) -> tuple[Post, str] | None:
    post = Post.objects.filter(pk=post_id).first()
    if post is None:
        return None
    before, post.hidden = post.hidden, hidden
    if before != hidden:
        post.save(update_fields=["hidden"])
        recount_quote(post=post, was_hidden=before or VISIBLE)
    return post, before


def set_post_sensitive(*, post_id: int, is_sensitive: bool) -> bool:
    """Mark a post as sensitive, or remove the mark. Pages hide sensitive posts behind a warning.

    Return False if nothing changed or the post is missing.
    """
    changed = Post.objects.filter(pk=post_id, is_sensitive=not is_sensitive)
    return bool(changed.update(is_sensitive=is_sensitive))


def hide_comment(*, post_id: int, comment_id: int) -> bool:
    """Hide a comment. Return False if the comment is already hidden, deleted or missing.

    Safe to repeat after an interruption, like ``restore_comment``.
    """
    try:
        is_hidden = _hide_comment(post_id, comment_id)
    except LookupError:
        return False  # the post is deleted
    if is_hidden or hidden_comments.hidden_content(post=post_id, id=comment_id) is not None:
        _set_activities_hidden(comment_id, Post.Hidden.REMOVED)
        signals.comment_hidden.send_robust(sender=None, comment=comment_id, post=post_id)
    return is_hidden


@transactional()
def _hide_comment(post: int, id: int) -> bool:
    is_limited = hidden_comments.hide_comment(post=post, id=id)
    if is_limited is None:
        return False
    participants = post_counters.remove_comment(post=post, comment_id=id, is_limited=is_limited)
    conversations.update_newest(post=post, owners=participants)
    return True


def restore_comment(*, post_id: int, comment_id: int) -> bool:
    """Restore a hidden comment. Return False if the comment is not hidden."""
    content = hidden_comments.hidden_content(post=post_id, id=comment_id)
    if content is not None:  # the status of the author may have changed meanwhile
        pending_cleanups.add_change(uid=content["uid"])
    try:
        is_restored = _restore_comment(post_id, comment_id)
    except LookupError:
        return False
    _set_activities_hidden(comment_id, VISIBLE)
    return is_restored


@transactional()
def _restore_comment(post: int, id: int) -> bool:
    is_limited = hidden_comments.show_comment(post=post, id=id)
    if is_limited is None:
        return False
    participants = post_counters.restore_comment(post=post, is_limited=is_limited)
    conversations.update_newest(post=post, owners=participants)
    return True


def delete_hidden_comment(*, post_id: int, comment_id: int) -> None:
    """Delete a hidden comment permanently."""
    if hidden_comments.delete_hidden_comment(post=post_id, id=comment_id):
        signals.comment_deleted.send_robust(sender=None, comment=comment_id, post=post_id, author=0)


def _set_activities_hidden(comment: int, hidden: str) -> None:
    """Set ``Post.hidden`` of the activities that show a comment to its author's followers."""
    for post, _author in attributes.activities_about(kind="comment", value=comment):
        set_post_hidden(post_id=post, state=hidden, undone_state=Post.Hidden.REMOVED)
