"""Recipients and kinds of notifications for each event in the feed and among users."""

from collections.abc import Collection

from accounts.selectors.follow_graph import has_follow_request
from feed import attributes
from feed.selectors import rows
from feed.selectors.rows import comment_row, other_reviewers, post_row, uids_with_access
from feed.store.post_rows import PostRow
from notifications.store import threads

from .delivery import notify


def notify_about_post(*, post_id: int, mentioned_uids: Collection[int] | None = None) -> None:
    """Notify mentioned users and other reviewers of the same subject.

    With ``mentioned_uids``, notify only these users.
    """
    post = post_row(post_id=post_id)
    if post is None or post.share_of is not None:
        return
    target_uids = rows.mentioned_uids(post=post) if mentioned_uids is None else mentioned_uids
    _notify_with_access(post, "mention", target_uids)
    if mentioned_uids is None:
        reviewer_uids = other_reviewers(post=post)
        _notify_with_access(
            post, "reviewed", [uid for uid in reviewer_uids if uid not in target_uids]
        )


def notify_about_comment(
    *, comment_id: int, post_id: int, parent_id: int, max_followers: int | None = None
) -> bool:
    """Notify the parent's author, mentioned users, the post's author and thread followers.

    Each recipient gets one notification, by the first role that applies. Returns False, without notifying
    the thread followers, if there are more than ``max_followers``.
    """
    post = post_row(post_id=post_id)
    comment = comment_row(post_id=post_id, comment_id=comment_id)
    if post is None or comment is None:
        return True
    parent_comment = comment_row(post_id=post_id, comment_id=parent_id) if parent_id else None
    mentioned_uids = attributes.mentioned_uids(text=comment.text)
    uids_by_kind = {
        "reply": [parent_comment.uid] if parent_comment else [],
        "mention": mentioned_uids,
        "comment": [post.author],
    }
    handled_uids = {comment.uid}
    uids_with_view = uids_with_access(
        post=post, uids={uid for uids in uids_by_kind.values() for uid in uids}
    )
    for kind, uids in uids_by_kind.items():
        recipients = [uid for uid in uids if uid in uids_with_view and uid not in handled_uids]
        notify(
            kind=kind, actor=comment.uid, recipients=recipients, post=post.id, comment=comment_id
        )
        handled_uids.update(uids)
    for uids in threads.follower_chunks(post=post.id):
        if max_followers is not None and len(uids) > max_followers:
            return False
        follower_uids = [uid for uid in uids if uid not in handled_uids]
        recipients = list(uids_with_access(post=post, uids=follower_uids)) if follower_uids else []
        notify(
            kind="thread",
            actor=comment.uid,
            recipients=recipients,
            post=post.id,
            comment=comment_id,
        )
    return True


def notify_newly_mentioned_in_comment(
    *, comment_id: int, post_id: int, mentioned_uids: Collection[int]
) -> None:
    """Notify users whom an edit mentions first, unless the comment already notified them."""
    post = post_row(post_id=post_id) if mentioned_uids else None
    comment = comment_row(post_id=post_id, comment_id=comment_id) if mentioned_uids else None
    if post is None or comment is None:
        return
    notified_uids = {post.author}
    if parent_comment := comment_row(post_id=post_id, comment_id=comment.parent_id):
        notified_uids.add(parent_comment.uid)
    recipients = list(uids_with_access(post=post, uids=mentioned_uids) - notified_uids)
    notify(
        kind="mention",
        actor=comment.uid,
        recipients=recipients,
        post=post_id,
        comment=comment_id,
    )


def notify_about_like(*, post_id: int, liker: int) -> None:
    _notify_author("like", post_id, liker)


def notify_about_share(*, post_id: int, sharer: int) -> None:
    _notify_author("share", post_id, sharer)


def notify_about_comment_like(*, comment_id: int, post_id: int, liker: int) -> None:
    post = post_row(post_id=post_id)
    comment = comment_row(post_id=post_id, comment_id=comment_id)
    if post is None or comment is None:
        return
    # The author of the comment may have lost access to the post.
    recipients = list(uids_with_access(post=post, uids=[comment.uid]))
    notify(kind="like", actor=liker, recipients=recipients, post=post_id, comment=comment_id)


def notify_about_follow(*, follower: int, followee: int) -> None:
    notify(kind="follow", actor=follower, recipients=[followee])


def notify_about_follow_request(*, follower: int, followee: int) -> None:
    # The request may have been answered or withdrawn meanwhile.
    if has_follow_request(follower=follower, followee=followee):
        notify(kind="request", actor=follower, recipients=[followee])


def notify_about_accepted_request(*, follower: int, followee: int) -> None:
    notify(kind="accepted", actor=followee, recipients=[follower])


def _notify_author(kind: str, post_id: int, actor: int) -> None:
    post = post_row(post_id=post_id)
    if post is not None:
        notify(kind=kind, actor=actor, recipients=[post.author], post=post_id)


def _notify_with_access(post: PostRow, kind: str, uids: Collection[int]) -> None:
    other_uids = [uid for uid in uids if uid != post.author]
    if other_uids:
        recipients = list(uids_with_access(post=post, uids=other_uids))
        notify(kind=kind, actor=post.author, recipients=recipients, post=post.id)
