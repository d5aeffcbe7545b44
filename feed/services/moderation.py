"""Hide posts and comments, and show them again exactly as they were: what moderators do.

A post stays where it is and is only not readable (``selectors.visible``), so it vanishes from every list at
once and returns to all of them. Whether somebody may do this is asked above.
"""

from accounts.infra.transactions import transactional
from feed import picture_files, signals
from feed.models import Post
from feed.store import attributes, hidden_comments, post_counters

from .tags import update_tag_usage

VISIBLE = ""


def set_post_hidden(*, post_id: int, state: str) -> str | None:
    """Hide a post (``Post.Hidden``) or, with ``VISIBLE``, show it; returns what it was before, None if
    there is no such post.

    One that was held and is shown for the first time is published by that. If this process dies halfway,
    doing it again finishes it.
    """
    changed = _set_hidden(post_id, state)
    if changed is None:
        return None
    post, before = changed
    names = [one["name"] for one in post.media]
    if state == Post.Hidden.REMOVED:
        picture_files.hide_pictures(names=names)
    else:
        picture_files.restore_pictures(names=names)
    if before == state:
        return before
    if VISIBLE in (before, state):
        counted = [] if state else post.entities
        other = post.entities if state else []
        update_tag_usage(
            post_id=post.pk,
            post=post,
            old_attributes=other,
            new_attributes=counted,
            used_at=post.created_at,
        )
    if not state and before == Post.Hidden.HELD:
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
    return post, before


def set_post_sensitive(*, post_id: int, is_sensitive: bool) -> bool:
    """Whether the post shows a warning first, also without one of its author's; False if it did before,
    or there is no such post."""
    changed = Post.objects.filter(pk=post_id, is_sensitive=not is_sensitive)
    return bool(changed.update(is_sensitive=is_sensitive))


def hide_comment(*, post_id: int, comment_id: int) -> bool:
    """False if it is hidden already, deleted, or was never there."""
    try:
        is_hidden = _hide_comment(post_id, comment_id)
    except LookupError:
        return False  # the post is gone
    if is_hidden:
        _set_told(comment_id, Post.Hidden.REMOVED)
    return is_hidden


@transactional()
def _hide_comment(post: int, id: int) -> bool:
    if not hidden_comments.hide_comment(post=post, id=id):
        return False
    post_counters.remove_comment(post=post, comment_id=id)
    return True


def restore_comment(*, post_id: int, comment_id: int) -> bool:
    """False if it is not hidden."""
    try:
        is_shown = _show_comment(post_id, comment_id)
    except LookupError:
        return False
    if is_shown:
        _set_told(comment_id, VISIBLE)
    return is_shown


@transactional()
def _show_comment(post: int, id: int) -> bool:
    if not hidden_comments.show_comment(post=post, id=id):
        return False
    post_counters.restore_comment(post=post)
    return True


def delete_hidden_comment(*, post_id: int, comment_id: int) -> None:
    """Forget what a hidden comment said, for good."""
    if hidden_comments.delete_hidden_comment(post=post_id, id=comment_id):
        signals.comment_deleted.send_robust(sender=None, comment=comment_id, post=post_id, author=0)


def _set_told(comment: int, hidden: str) -> None:
    """What tells followers of a comment goes and comes with it."""
    for post, _author in attributes.activities_about(kind="comment", value=comment):
        set_post_hidden(post_id=post, state=hidden)
