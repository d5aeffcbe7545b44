"""Who is told of what happens in the feed and among people, and in which words."""

from collections.abc import Collection

from accounts.selectors.follow_graph import has_follow_request
from feed import attributes
from feed.selectors import rows
from feed.selectors.rows import comment_row, other_reviewers, post_row, uids_with_access
from feed.store.post_rows import PostRow
from notifications.store import threads

from .delivery import notify


def notify_about_post(*, post_id: int, mentioned_uids: Collection[int] | None = None) -> None:
    """Those whom it mentions, or of them only these; and who has reviewed the same thing."""
    post = post_row(post_id=post_id)
    if post is None or post.share_of is not None:
        return
    named = rows.mentioned_uids(post=post) if mentioned_uids is None else mentioned_uids
    _tell_readers(post, "mention", named)
    if mentioned_uids is None:
        beside = other_reviewers(post=post)
        _tell_readers(post, "reviewed", [uid for uid in beside if uid not in named])


def notify_about_comment(
    *, comment_id: int, post_id: int, parent_id: int, max_followers: int | None = None
) -> bool:
    """Who is answered, who is mentioned, whose post it is and who follows what is said there: each once, as
    the first of these. With ``most_followers``: of those who follow nobody if they are more; False then."""
    post = post_row(post_id=post_id)
    comment = comment_row(post_id=post_id, comment_id=comment_id)
    if post is None or comment is None:
        return True
    answered = comment_row(post_id=post_id, comment_id=parent_id) if parent_id else None
    named = attributes.mentioned_uids(text=comment.text)
    wanted = {
        "reply": [answered.uid] if answered else [],
        "mention": named,
        "comment": [post.author],
    }
    told = {comment.uid}
    readers = uids_with_access(post=post, uids={uid for uids in wanted.values() for uid in uids})
    for kind, uids in wanted.items():
        recipients = [uid for uid in uids if uid in readers and uid not in told]
        notify(
            kind=kind, actor=comment.uid, recipients=recipients, post=post.id, comment=comment_id
        )
        told.update(uids)
    for uids in threads.follower_chunks(post=post.id):
        if max_followers is not None and len(uids) > max_followers:
            return False
        rest = [uid for uid in uids if uid not in told]
        recipients = list(uids_with_access(post=post, uids=rest)) if rest else []
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
    """Those whom it mentions and did not before, unless they know of it."""
    post = post_row(post_id=post_id) if mentioned_uids else None
    comment = comment_row(post_id=post_id, comment_id=comment_id) if mentioned_uids else None
    if post is None or comment is None:
        return
    know = {post.author}
    if answered := comment_row(post_id=post_id, comment_id=comment.parent_id):
        know.add(answered.uid)
    recipients = list(uids_with_access(post=post, uids=mentioned_uids) - know)
    notify(
        kind="mention",
        actor=comment.uid,
        recipients=recipients,
        post=post_id,
        comment=comment_id,
    )


def notify_about_like(*, post_id: int, liker: int) -> None:
    _tell_author("like", post_id, liker)


def notify_about_share(*, post_id: int, sharer: int) -> None:
    _tell_author("share", post_id, sharer)


def notify_about_comment_like(*, comment_id: int, post_id: int, liker: int) -> None:
    post = post_row(post_id=post_id)
    comment = comment_row(post_id=post_id, comment_id=comment_id)
    if post is None or comment is None:
        return
    # Who said it may not be able to read the post any more.
    recipients = list(uids_with_access(post=post, uids=[comment.uid]))
    notify(kind="like", actor=liker, recipients=recipients, post=post_id, comment=comment_id)


def notify_about_follow(*, follower: int, followee: int) -> None:
    notify(kind="follow", actor=follower, recipients=[followee])


def notify_about_follow_request(*, follower: int, followee: int) -> None:
    # Between the request and this it may have been answered, or taken back.
    if has_follow_request(follower=follower, followee=followee):
        notify(kind="request", actor=follower, recipients=[followee])


def notify_about_accepted_request(*, follower: int, followee: int) -> None:
    notify(kind="accepted", actor=followee, recipients=[follower])


def _tell_author(kind: str, post_id: int, actor: int) -> None:
    post = post_row(post_id=post_id)
    if post is not None:
        notify(kind=kind, actor=actor, recipients=[post.author], post=post_id)


def _tell_readers(post: PostRow, kind: str, uids: Collection[int]) -> None:
    others = [uid for uid in uids if uid != post.author]
    if others:
        recipients = list(uids_with_access(post=post, uids=others))
        notify(kind=kind, actor=post.author, recipients=recipients, post=post.id)
