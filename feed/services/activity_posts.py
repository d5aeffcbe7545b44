"""What people's doings tell their followers, where the site brings such kinds home (``FEED_KINDS``)."""

from django.conf import settings

from accounts.infra.ids import new_id
from feed import signals
from feed.activities import Details
from feed.models import Post
from feed.store import attributes, posts, reading

from .publication import insert_and_deliver


def publish_follow_activity(*, follower: int, followee: int) -> None:
    """Once a day at most for the same two."""
    details = {"followee": followee}
    _tell(author=follower, kind="follow", details=details, what=_edge(follower, followee))


def withdraw_follow_activity(*, follower: int, followee: int) -> None:
    _take_back(kind="follow", what=_edge(follower, followee))


def publish_comment_activity(*, author: int, post: int, comment: int) -> None:
    """Of a post that everybody may read."""
    if not _is_told("comment"):
        return
    row = posts.by_ids(ids=[post]).get(post)
    if row is not None and row.visibility in (Post.Visibility.PUBLIC, Post.Visibility.UNLISTED):
        _tell(author=author, kind="comment", details={"comment": comment}, what=comment, of=post)


def withdraw_comment_activity(*, comment_id: int) -> None:
    _take_back(kind="comment", what=comment_id)


def _edge(follower: int, followee: int) -> str:
    # Both, or who unfollows somebody famous would look through all who follow them.
    return f"{follower}:{followee}"


def _take_back(*, kind: str, what: int | str) -> None:
    """It is not so any more: nobody reads of it from now on."""
    if not _is_told(kind):
        return
    for post_id, author in attributes.activities_about(kind=kind, value=what):
        Post.objects.filter(pk=post_id).delete()
        reading.remove_merged_post(author=author, post=post_id)
        signals.post_deleted.send_robust(sender=None, post=post_id, author=author)


def _tell(
    *, author: int, kind: str, details: Details, what: int | str, of: int | None = None
) -> None:
    if not _is_told(kind):
        return
    post = Post(
        pk=new_id(),
        author_id=author,
        kind=kind,
        details=details,
        entities=[{"kind": kind, "value": what}],
        share_of=of,
    )
    insert_and_deliver(post=post, idempotency_key=f"{kind}:{what}")


def _is_told(kind: str) -> bool:
    return kind in settings.FEED_KINDS
