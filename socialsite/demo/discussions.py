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
"""The share of posts with comments, and the share of comments that answer another comment."""


@dataclass(frozen=True, slots=True)
class PlannedComment:
    """A comment. ``parent_index`` is the index of the comment that it answers, -1 for the post."""

    id: int
    author: int
    text: str
    parent_index: int


@dataclass(frozen=True, slots=True)
class Discussion:
    """Likes and comments of a post. Users are positions in the list of personas, the newest liker last."""

    likers: tuple[int, ...] = ()
    comments: tuple[PlannedComment, ...] = ()


class DiscussionWriter:
    """Plan discussions. Only followers like posts, and only those who share the language comment."""

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
        self._taken: set[int] = set()

    def write(self, *, author: int, at: datetime) -> Discussion:
        followers, chance = self._followers.get(author, ()), self._chance
        number = min(len(followers), MAX_LIKES, int(chance.paretovariate(0.9)) - 1)
        likers = tuple(chance.sample(followers, number)) if number else ()
        near = [
            follower
            for follower in followers
            if self._people[follower].language == self._people[author].language
        ]
        if not near or chance.random() > COMMENT_RATE:
            return Discussion(likers)
        comments: list[PlannedComment] = []
        moment = at
        for _ in range(min(MAX_COMMENTS, int(chance.paretovariate(1.1)))):
            moment += timedelta(minutes=chance.paretovariate(0.7))
            if moment >= self._now:
                break
            comments.append(self._comment(author, near, moment, comments))
        return Discussion(likers, tuple(comments))

    def _comment(
        self, author: int, near: Sequence[int], at: datetime, before: Sequence[PlannedComment]
    ) -> PlannedComment:
        chance, answers = self._chance, -1
        first = [place for place, comment in enumerate(before) if comment.parent_index < 0]
        if first and chance.random() < REPLY_RATE:
            answers = chance.choice(first)
        is_author = answers >= 0 and chance.random() < 0.5
        who = author if is_author else chance.choice(near)
        text = chance.choice(load_languages()[self._people[who].language].replies)
        return PlannedComment(self._id(at), who, text, answers)

    def _id(self, at: datetime) -> int:
        """Ids of posts have the sequence number 0."""
        first = first_id_at(moment=at) | self._node << SEQUENCE_BITS
        sequence = next(first + n for n in range(1, SEQUENCES) if first + n not in self._taken)
        self._taken.add(sequence)
        return sequence
