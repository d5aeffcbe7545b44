"""What somebody wants to hear of."""

from collections.abc import Collection

from notifications.store import choices, threads


def choose(*, reader: int, off: Collection[str], filters: Collection[str]) -> None:
    """``off``: kinds of which they are not told; ``filters``: of whom things are held (``telling``)."""
    choices.put(reader=reader, off=list(off), filters=list(filters))


def follow_thread(*, reader: int, post_id: int) -> None:
    """Hear of all that is said to a post. Whether they may read it, whoever calls has asked."""
    threads.unmute(post=post_id, uid=reader)
    threads.follow(post=post_id, uid=reader)


def unfollow_thread(*, reader: int, post_id: int) -> None:
    threads.unfollow(post=post_id, uid=reader)


def mute_thread(*, reader: int, post_id: int) -> None:
    """Hear nothing more about a post, whoever says it."""
    threads.unfollow(post=post_id, uid=reader)
    threads.mute(post=post_id, uid=reader)


def unmute_thread(*, reader: int, post_id: int) -> None:
    threads.unmute(post=post_id, uid=reader)
