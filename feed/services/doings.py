"""What people's doings tell their followers, where the site brings such kinds home (``FEED_KINDS``)."""

from django.conf import settings

from accounts.ids import new_id
from feed import signals
from feed.activities import Details, activity
from feed.models import Post
from feed.store import entities, posts, reading

from .publishing import bring_out


def tell_of_follow(*, follower: int, followee: int) -> None:
    """Once a day at most for the same two."""
    _tell(author=follower, kind="follow", details={"followee": followee}, what=followee)


def tell_of_comment(*, author: int, post: int, comment: int) -> None:
    """Of a post that everybody may read."""
    if not _is_told("comment"):
        return
    row = posts.by_ids(ids=[post]).get(post)
    if row is not None and row.visibility in (Post.Visibility.PUBLIC, Post.Visibility.UNLISTED):
        _tell(author=author, kind="comment", details={"comment": comment}, what=comment, of=post)


def take_back(*, author: int, kind: str, value: int) -> None:
    """It is not so any more: nobody reads of it from now on."""
    if not _is_told(kind):
        return
    for post_id in entities.ids_of(author=author, kind=kind, value=value):
        Post.objects.filter(pk=post_id).delete()
        reading.forget_merged(author=author, post=post_id)
        signals.post_deleted.send_robust(sender=None, post=post_id, author=author)


def _tell(*, author: int, kind: str, details: Details, what: int, of: int | None = None) -> None:
    if not _is_told(kind):
        return
    post = Post(
        pk=new_id(),
        author_id=author,
        kind=kind,
        details=details,
        entities=activity(kind).entities(details),
        share_of=of,
    )
    bring_out(post=post, key=f"{kind}:{what}")


def _is_told(kind: str) -> bool:
    return kind in settings.FEED_KINDS
