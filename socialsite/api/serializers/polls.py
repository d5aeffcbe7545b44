"""Polls: https://docs.joinmastodon.org/entities/Poll/. The id of a poll is the id of its post."""

from typing import NotRequired, TypedDict

from feed.selectors.post_view import PostView

from .accounts import Emoji
from .values import DateTime, Id, format_datetime


class PollOption(TypedDict):
    title: str
    votes_count: int | None


class Poll(TypedDict):
    """``voted`` and ``own_votes`` are only for users. Authors count as users who have voted."""

    id: Id
    expires_at: DateTime | None
    expired: bool
    multiple: bool
    votes_count: int
    voters_count: int | None
    voted: NotRequired[bool]
    own_votes: NotRequired[list[int]]
    options: list[PollOption]
    emojis: list[Emoji]


def serialize_poll(*, post: PostView) -> Poll:
    """Serialize the poll of a post. Raises LookupError if the post has none."""
    poll = post.poll
    if poll is None:
        raise LookupError("The post has no poll.")
    serialized_poll: Poll = {
        "id": str(post.id),
        "expires_at": format_datetime(poll.ends_at),
        "expired": poll.is_over,
        "multiple": poll.is_multiple,
        "votes_count": poll.votes,
        "voters_count": poll.voters,
        "options": [{"title": choice.text, "votes_count": choice.votes} for choice in poll.choices],
        "emojis": [],
    }
    if poll.has_viewer:
        serialized_poll["voted"] = poll.is_own or bool(poll.own_choices)
        serialized_poll["own_votes"] = list(poll.own_choices)
    return serialized_poll
