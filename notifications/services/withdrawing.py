"""What is not so any more is not told any more, and does not count as unread."""

from feed import selectors as feed
from notifications.store import boxes, endpoints, history, threads
from notifications.store.items import key_of


def post_deleted(*, post_id: int) -> None:
    boxes.withdraw_post(post=post_id)
    history.withdraw_post(post=post_id)
    threads.delete_all_of(post=post_id)


def comment_deleted(*, comment_id: int, post_id: int) -> None:
    boxes.withdraw_post(post=post_id, comment=comment_id)
    history.withdraw_post(post=post_id, comment=comment_id)


def post_unliked(*, post_id: int, liker: int) -> None:
    _withdraw_from_author("like", post_id, liker)


def post_unshared(*, post_id: int, sharer: int) -> None:
    _withdraw_from_author("share", post_id, sharer)


def comment_unliked(*, comment_id: int, post_id: int, liker: int) -> None:
    comment = feed.comment_facts(post_id=post_id, comment_id=comment_id)
    if comment is not None:
        key = key_of(kind="like", actor=liker, post=post_id, comment=comment_id)
        boxes.withdraw(reader=comment.uid, key=key)


def person_erased(*, uid: int) -> None:
    """Nothing of them is left: neither what they were told nor what others were told of them."""
    for store in (boxes, history, threads):
        store.erase_person(uid=uid)
    endpoints.delete_all_of(owner=uid)


def unfollowed(*, follower: int, followee: int) -> None:
    boxes.withdraw(reader=followee, key=key_of(kind="follow", actor=follower))
    boxes.withdraw(reader=follower, key=key_of(kind="accepted", actor=followee))


def follow_request_ended(*, follower: int, followee: int) -> None:
    boxes.withdraw(reader=followee, key=key_of(kind="request", actor=follower))


def blocked(*, owner: int, other: int) -> None:
    """Neither hears of the other any more, nor sees what was told before."""
    for reader, actor in ((owner, other), (other, owner)):
        boxes.withdraw_person(reader=reader, actor=actor)
        history.withdraw_person(reader=reader, actor=actor)


def muted(*, owner: int, other: int) -> None:
    """What was told before is not shown while the mute lasts, so it must not count as unread."""
    boxes.mark_person_read(reader=owner, actor=other)


def _withdraw_from_author(kind: str, post_id: int, actor: int) -> None:
    post = feed.post_facts(post_id=post_id)
    if post is not None:
        boxes.withdraw(reader=post.author, key=key_of(kind=kind, actor=actor, post=post_id))
