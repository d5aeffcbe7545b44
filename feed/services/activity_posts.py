"""Publish activities: posts that tell an author's followers about a follow or comment of the author.

Kinds that are not in ``settings.FEED_HOME_KINDS`` are not published.
"""

from accounts.infra.ids import new_id
from feed import signals
from feed.activities import Details, activity_kind, home_kinds
from feed.models import Post
from feed.store import attributes, home_states, posts

from .publication import insert_and_deliver


def publish_follow_activity(*, follower: int, followee: int) -> None:
    """Publish an activity about a follow, at most once a day for the same pair of users."""
    details = {"followee": followee}
    _publish_activity(
        author=follower, kind="follow", details=details, value=_edge(follower, followee)
    )


def withdraw_follow_activity(*, follower: int, followee: int) -> None:
    _withdraw_activity(kind="follow", value=_edge(follower, followee))


def publish_comment_activity(*, author: int, post: int, comment: int) -> None:
    """Publish an activity about a comment, if the commented post is public or unlisted."""
    if not _is_published_kind("comment"):
        return
    row = posts.by_ids(ids=[post]).get(post)
    if row is not None and row.visibility in (Post.Visibility.PUBLIC, Post.Visibility.UNLISTED):
        _publish_activity(
            author=author, kind="comment", details={"comment": comment}, value=comment, of=post
        )


def withdraw_comment_activity(*, comment_id: int) -> None:
    _withdraw_activity(kind="comment", value=comment_id)


def _edge(follower: int, followee: int) -> str:
    # The indexed value contains both uids. With only the followee's uid, an unfollow would have to scan
    # the activities about all followers of a popular user.
    return f"{follower}:{followee}"


def _withdraw_activity(*, kind: str, value: int | str) -> None:
    """Delete the activities about a follow or comment that was undone."""
    if not _is_published_kind(kind):
        return
    for post_id, author in attributes.activities_about(kind=kind, value=value):
        Post.objects.filter(pk=post_id).delete()
        home_states.remove_merged_post(author=author, post=post_id)
        signals.post_deleted.send_robust(sender=None, post=post_id, author=author)


def _publish_activity(
    *, author: int, kind: str, details: Details, value: int | str, of: int | None = None
) -> None:
    if not _is_published_kind(kind):
        return
    post = Post(
        pk=new_id(),
        author_id=author,
        kind=kind,
        details=details,
        attributes=[{"kind": kind, "value": value}],
        share_of=of,
    )
    insert_and_deliver(post=post, idempotency_key=f"{kind}:{value}")


def _is_published_kind(kind: str) -> bool:
    return activity_kind(kind) in home_kinds()
