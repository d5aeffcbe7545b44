"""Comments and likes of the demo: many on a few posts, few on most."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from accounts.infra.ids import first_id_at
from accounts.infra.ids.layout import SEQUENCE_BITS, SEQUENCES
from feed.attributes import usernames_in

from .languages import Entry, ScriptLine, load_languages
from .personas import FIXED_PERSONAS, Persona
from .post_texts import Draft

MAX_LIKES = 80
COMMENT_RATE = 0.25
"""The fraction of posts with comments, of the posts that come without comments."""

MAX_GENERAL_COMMENTS = 2


@dataclass(frozen=True, slots=True)
class PlannedComment:
    """A comment. ``parent_index`` is the index of the parent comment, or -1 for comments on the post.

    If there are ``recipients``, only they and the author can read the comment.
    """

    id: int
    author: int
    text: str
    parent_index: int
    recipients: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Discussion:
    """Likes and comments of a post. Users are indexes of personas. The newest liker is last."""

    likers: tuple[int, ...] = ()
    comments: tuple[PlannedComment, ...] = ()


class DiscussionWriter:
    """Plans discussions. Followers of the author like posts, and some of them comment.

    Only users with the author's language comment.
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
        self._by_language: dict[str, list[int]] = {}
        for index, persona in enumerate(personas):
            if index >= len(FIXED_PERSONAS):
                self._by_language.setdefault(persona.language, []).append(index)

    def write(self, *, author: int, at: datetime, draft: Draft) -> Discussion:
        followers, chance = self._followers.get(author, ()), self._chance
        number = min(len(followers), MAX_LIKES, int(chance.paretovariate(0.9)) - 1)
        likers = tuple(chance.sample(followers, number)) if number else ()
        script = draft.script
        if not script and draft.topic and chance.random() < COMMENT_RATE:
            script = self._general_comments(author, draft)
        if not script:
            return Discussion(likers)
        speakers = self._speakers(author, script)
        likers += tuple({uid for uid in speakers.values() if uid != author} - set(likers))
        return Discussion(likers, self._comments(script, speakers, at))

    def _general_comments(self, author: int, draft: Draft) -> tuple[ScriptLine, ...]:
        """Return comments that fit any picture, or any post about the topic."""
        chance, language = self._chance, load_languages()[self._people[author].language]
        replies: list[Entry] = language.picture_replies
        if not draft.scenes:
            replies = language.topics[draft.topic].entries.get("reply", language.replies)
        chosen = chance.sample(replies, min(len(replies), chance.randint(1, MAX_GENERAL_COMMENTS)))
        script: list[ScriptLine] = []
        for letter, entry in zip("BC", chosen, strict=False):
            script += [ScriptLine(letter, entry.text, is_reply=False), *entry.script]
        return tuple(script)

    def _speakers(self, author: int, script: Sequence[ScriptLine]) -> dict[str, int]:
        """Return the user for each speaker of the script: fixed users by name, others by chance."""
        indexes = {persona.username: index for index, persona in enumerate(FIXED_PERSONAS)}
        names = dict.fromkeys(line.speaker for line in script)
        speakers = {name: indexes[name] for name in names if name in indexes}
        speakers["A"] = author
        language = self._people[author].language
        strangers = self._by_language.get(language) or range(len(self._people))
        followers = [
            follower
            for follower in self._followers.get(author, ())
            if self._people[follower].language == language
        ]
        self._chance.shuffle(followers)
        candidates = followers + self._chance.sample(strangers, min(len(strangers), 20))
        for name in names:
            if name not in speakers:
                speakers[name] = next(
                    (uid for uid in candidates if uid not in speakers.values()), candidates[0]
                )
        return speakers

    def _comments(
        self, script: Sequence[ScriptLine], speakers: Mapping[str, int], at: datetime
    ) -> tuple[PlannedComment, ...]:
        comments: list[PlannedComment] = []
        parent_index = -1
        for line, moment in zip(script, self._moments(at, len(script)), strict=True):
            if not line.is_reply:
                parent_index = len(comments)
            comments.append(
                PlannedComment(
                    self._id(moment),
                    speakers[line.speaker],
                    line.text,
                    parent_index if line.is_reply else -1,
                    _recipients(line),
                )
            )
        return tuple(comments)

    def _moments(self, at: datetime, count: int) -> list[datetime]:
        """Return ascending times after a post. If the time until now is short, the times are closer."""
        minutes = [min(self._chance.paretovariate(0.7), 600.0) for _ in range(count)]
        available = (self._now - at).total_seconds() / 60 * 0.9
        scale = min(1.0, available / sum(minutes))
        return [at + timedelta(minutes=scale * sum(minutes[: n + 1])) for n in range(count)]

    def _id(self, at: datetime) -> int:
        """Return an unused id. Its sequence number is not 0, because ids of posts have this number."""
        post_id = first_id_at(moment=at) | self._node << SEQUENCE_BITS
        unused_id = next(
            post_id + n for n in range(1, SEQUENCES) if post_id + n not in self._used_ids
        )
        self._used_ids.add(unused_id)
        return unused_id


def _recipients(line: ScriptLine) -> tuple[int, ...]:
    """Return the users with log-ins whom a private comment mentions."""
    names = usernames_in(text=line.text) if line.is_private else []
    return tuple(n for n, persona in enumerate(FIXED_PERSONAS) if persona.username in names)
