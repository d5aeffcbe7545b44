"""Comments and likes of the demo: many on a few posts, few on most."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from accounts.infra.ids import first_id_at
from accounts.infra.ids.layout import SEQUENCE_BITS, SEQUENCES

from .languages import load_languages
from .personas import Persona

MAX_LIKES = 80
MAX_COMMENTS = 9
COMMENT_RATE = 0.45
REPLY_RATE = 0.3
"""``COMMENT_RATE``: the fraction of posts with comments. ``REPLY_RATE``: the fraction of comments that
reply to another comment."""


@dataclass(frozen=True, slots=True)
class PlannedComment:
    """A comment. ``parent_index`` is the index of the parent comment, or -1 for comments on the post."""

    id: int
    author: int
    text: str
    parent_index: int


@dataclass(frozen=True, slots=True)
class Discussion:
    """Likes and comments of a post. Users are indexes of personas. The newest liker is last."""

    likers: tuple[int, ...] = ()
    comments: tuple[PlannedComment, ...] = ()


class DiscussionWriter:
    """Plans discussions. Followers of the author like posts, and some of them comment.

    Only followers with the author's language comment.
    """

    def __init__(
        self,
        *,
        personas: Sequence[Persona],
        followers: Mapping[int, Sequence[int]],
        seed: int,
        now: datetime,
        node: int,
    ) -> None:
        self._chance = random.Random(f"{seed}:talk")  # noqa: S311 - not a secret
        self._people, self._followers = personas, followers
        self._now, self._node = now, node
        self._used_ids: set[int] = set()

    def write(self, *, author: int, at: datetime) -> Discussion:
        followers, chance = self._followers.get(author, ()), self._chance
        number = min(len(followers), MAX_LIKES, int(chance.paretovariate(0.9)) - 1)
        likers = tuple(chance.sample(followers, number)) if number else ()
        possible_commenters = [
            follower
            for follower in followers
            if self._people[follower].language == self._people[author].language
        ]
        if not possible_commenters or chance.random() > COMMENT_RATE:
            return Discussion(likers)
        comments: list[PlannedComment] = []
        moment = at
        for _ in range(min(MAX_COMMENTS, int(chance.paretovariate(1.1)))):
            moment += timedelta(minutes=chance.paretovariate(0.7))
            if moment >= self._now:
                break
            comments.append(self._comment(author, possible_commenters, moment, comments))
        return Discussion(likers, tuple(comments))

    def _comment(
        self,
        post_author: int,
        possible_commenters: Sequence[int],
        at: datetime,
        earlier_comments: Sequence[PlannedComment],
    ) -> PlannedComment:
        chance, parent_index = self._chance, -1
        top_level_indexes = [
            index for index, comment in enumerate(earlier_comments) if comment.parent_index < 0
        ]
        if top_level_indexes and chance.random() < REPLY_RATE:
            parent_index = chance.choice(top_level_indexes)
        is_by_post_author = parent_index >= 0 and chance.random() < 0.5
        commenter = post_author if is_by_post_author else chance.choice(possible_commenters)
        text = chance.choice(load_languages()[self._people[commenter].language].replies)
        return PlannedComment(self._id(at), commenter, text, parent_index)

    def _id(self, at: datetime) -> int:
        """Return an unused id. Its sequence number is not 0, because ids of posts have this number."""
        post_id = first_id_at(moment=at) | self._node << SEQUENCE_BITS
        unused_id = next(
            post_id + n for n in range(1, SEQUENCES) if post_id + n not in self._used_ids
        )
        self._used_ids.add(unused_id)
        return unused_id
