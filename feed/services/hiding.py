"""Hide posts and comments, and show them again exactly as they were: what moderators do.

A post stays where it is and is only not readable (``selectors.visible``), so it vanishes from every list at
once and returns to all of them. Whether somebody may do this is asked above.
"""

from accounts.transactions import transactional
from feed import pictures, signals
from feed.models import Post
from feed.store import entities, hiding, tallies

from .tags import count_tags

VISIBLE = ""


def set_hidden(*, post_id: int, hidden: str) -> str | None:
    """Hide a post (``Post.Hidden``) or, with ``VISIBLE``, show it; returns what it was before, None if
    there is no such post.

    One that was held and is shown for the first time is published by that. If this process dies halfway,
    doing it again finishes it.
    """
    changed = _set_hidden(post_id, hidden)
    if changed is None:
        return None
    post, before = changed
    names = [one["name"] for one in post.media]
    if hidden == Post.Hidden.REMOVED:
        pictures.withhold(names=names)
    else:
        pictures.give_back(names=names)
    if before == hidden:
        return before
    if VISIBLE in (before, hidden):
        counted = [] if hidden else post.entities
        other = post.entities if hidden else []
        count_tags(post_id=post.pk, post=post, before=other, after=counted, at=post.created_at)
    if not hidden and before == Post.Hidden.HELD:
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


def set_sensitive(*, post_id: int, is_sensitive: bool) -> bool:
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
    if not hiding.hide(post=post, id=id):
        return False
    tallies.unanswered(post=post, id=id)
    return True


def show_comment(*, post_id: int, comment_id: int) -> bool:
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
    if not hiding.show(post=post, id=id):
        return False
    tallies.answered_again(post=post)
    return True


def delete_hidden_comment(*, post_id: int, comment_id: int) -> None:
    """Forget what a hidden comment said, for good."""
    if hiding.forget(post=post_id, id=comment_id):
        signals.comment_deleted.send_robust(sender=None, comment=comment_id, post=post_id, author=0)


def _set_told(comment: int, hidden: str) -> None:
    """What tells followers of a comment goes and comes with it."""
    for post, _author in entities.telling_of(kind="comment", value=comment):
        set_hidden(post_id=post, hidden=hidden)
