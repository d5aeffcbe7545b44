"""Who is told of what happens in the feed and among people, and in which words."""

from collections.abc import Collection

from accounts import selectors as people
from feed import attributes
from feed import selectors as feed
from feed.selectors import PostRow
from notifications.store import threads

from .telling import tell


def post_published(*, post_id: int, mentioned: Collection[int] | None = None) -> None:
    """Those whom it mentions, or of them only these; and who has reviewed the same thing."""
    post = feed.post_facts(post_id=post_id)
    if post is None or post.share_of is not None:
        return
    named = feed.mentioned_in(post=post) if mentioned is None else mentioned
    _tell_readers(post, "mention", named)
    if mentioned is None:
        beside = feed.reviewers_beside(post=post)
        _tell_readers(post, "reviewed", [uid for uid in beside if uid not in named])


def comment_published(
    *, comment_id: int, post_id: int, parent: int, most_followers: int | None = None
) -> bool:
    """Who is answered, who is mentioned, whose post it is and who follows what is said there: each once, as
    the first of these. With ``most_followers``: of those who follow nobody if they are more; False then."""
    post = feed.post_facts(post_id=post_id)
    comment = feed.comment_facts(post_id=post_id, comment_id=comment_id)
    if post is None or comment is None:
        return True
    answered = feed.comment_facts(post_id=post_id, comment_id=parent) if parent else None
    named = attributes.uids_mentioned_in(text=comment.text)
    wanted = {
        "reply": [answered.uid] if answered else [],
        "mention": named,
        "comment": [post.author],
    }
    told = {comment.uid}
    readers = feed.readers_among(post=post, uids={uid for uids in wanted.values() for uid in uids})
    for kind, uids in wanted.items():
        recipients = [uid for uid in uids if uid in readers and uid not in told]
        tell(kind=kind, actor=comment.uid, recipients=recipients, post=post.id, comment=comment_id)
        told.update(uids)
    for uids in threads.followers(post=post.id):
        if most_followers is not None and len(uids) > most_followers:
            return False
        rest = [uid for uid in uids if uid not in told]
        recipients = list(feed.readers_among(post=post, uids=rest)) if rest else []
        tell(
            kind="thread",
            actor=comment.uid,
            recipients=recipients,
            post=post.id,
            comment=comment_id,
        )
    return True


def comment_edited(*, comment_id: int, post_id: int, mentioned: Collection[int]) -> None:
    """Those whom it mentions and did not before, unless they know of it."""
    post = feed.post_facts(post_id=post_id) if mentioned else None
    comment = feed.comment_facts(post_id=post_id, comment_id=comment_id) if mentioned else None
    if post is None or comment is None:
        return
    know = {post.author}
    if answered := feed.comment_facts(post_id=post_id, comment_id=comment.parent):
        know.add(answered.uid)
    recipients = list(feed.readers_among(post=post, uids=mentioned) - know)
    tell(
        kind="mention",
        actor=comment.uid,
        recipients=recipients,
        post=post_id,
        comment=comment_id,
    )


def post_liked(*, post_id: int, liker: int) -> None:
    _tell_author("like", post_id, liker)


def post_shared(*, post_id: int, sharer: int) -> None:
    _tell_author("share", post_id, sharer)


def comment_liked(*, comment_id: int, post_id: int, liker: int) -> None:
    post = feed.post_facts(post_id=post_id)
    comment = feed.comment_facts(post_id=post_id, comment_id=comment_id)
    if post is None or comment is None:
        return
    # Who said it may not be able to read the post any more.
    recipients = list(feed.readers_among(post=post, uids=[comment.uid]))
    tell(kind="like", actor=liker, recipients=recipients, post=post_id, comment=comment_id)


def followed(*, follower: int, followee: int) -> None:
    tell(kind="follow", actor=follower, recipients=[followee])


def follow_requested(*, follower: int, followee: int) -> None:
    # Between the request and this it may have been answered, or taken back.
    if people.has_asked(follower=follower, followee=followee):
        tell(kind="request", actor=follower, recipients=[followee])


def follow_request_accepted(*, follower: int, followee: int) -> None:
    tell(kind="accepted", actor=followee, recipients=[follower])


def _tell_author(kind: str, post_id: int, actor: int) -> None:
    post = feed.post_facts(post_id=post_id)
    if post is not None:
        tell(kind=kind, actor=actor, recipients=[post.author], post=post_id)


def _tell_readers(post: PostRow, kind: str, uids: Collection[int]) -> None:
    others = [uid for uid in uids if uid != post.author]
    if others:
        recipients = list(feed.readers_among(post=post, uids=others))
        tell(kind=kind, actor=post.author, recipients=recipients, post=post.id)
