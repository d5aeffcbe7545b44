"""Which conversations the viewer does not want to hear of; others keep that (``signals``)."""

from typing import Any

from feed import signals


def muted_post_ids(*, viewer: int | None) -> set[int]:
    """The ids of their posts: one command."""
    if viewer is None:
        return set()
    answers: Any = signals.muted_conversations_asked.send(sender=None, reader=viewer)
    return {post for _receiver, posts in answers for post in posts}
