"""Posts of a plan: drafts with times, pictures, shares, comments and likes."""

import random
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta

from accounts.infra.ids import first_id_at
from accounts.infra.ids.layout import NODES, SEQUENCE_BITS, SEQUENCES
from feed.activities import Details
from feed.attributes import usernames_in

from .languages import Entry, ScriptLine, load_languages
from .motifs import SCENES
from .personas import ALICE, FIXED_PERSONAS, Persona
from .post_texts import Draft

SHARE_RATE = 0.05
SHAREABLE_POSTS = 300
"""Users share only one of this many newest posts."""

MAX_VOTERS = 150
MAX_EDIT_DELAY = timedelta(minutes=20)
MAX_LIKES = 80
COMMENT_RATE = 0.25
"""The fraction of posts with comments, of the posts that come without comments."""

MAX_GENERAL_COMMENTS = 2


@dataclass(frozen=True, slots=True)
class DemoSpec:
    """The size and seed of a demo.

    Post ids derive from ``now`` and ``node``. The first attempt chooses both values. Later attempts reuse
    the values, so that all attempts create the same posts. ``has_clips``: whether there are posts with a
    video or an audio file.
    """

    users: int
    follows: int
    posts: int
    seed: int
    now: datetime
    node: int
    has_clips: bool = False


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
        spec: DemoSpec,
    ) -> None:
        self._chance = random.Random(f"{spec.seed}:talk")  # noqa: S311 - not a secret
        self._people, self._followers, self._spec = personas, followers, spec
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
        available = (self._spec.now - at).total_seconds() / 60 * 0.9
        scale = min(1.0, available / sum(minutes))
        return [at + timedelta(minutes=scale * sum(minutes[: n + 1])) for n in range(count)]

    def _id(self, at: datetime) -> int:
        """Return an unused id. Its sequence number is not 0, because ids of posts have this number."""
        post_id = planned_id(at=at, node=self._spec.node)
        unused_id = next(
            post_id + n for n in range(1, SEQUENCES) if post_id + n not in self._used_ids
        )
        self._used_ids.add(unused_id)
        return unused_id


def _recipients(line: ScriptLine) -> tuple[int, ...]:
    """Return the users with log-ins whom a private comment mentions."""
    names = usernames_in(text=line.text) if line.is_private else []
    return tuple(n for n, persona in enumerate(FIXED_PERSONAS) if persona.username in names)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedPost(Draft):
    """A post from a draft, or a share of the post ``share_of``. A post may quote the post ``quote_of``.

    ``share_count`` and ``quote_count`` are the numbers of shares and quotes of this post. ``voters`` are
    the users who voted in a poll, by choice.
    """

    id: int
    author: int
    published_at: datetime
    discussion: Discussion = field(default_factory=Discussion)
    motifs: tuple[str, ...] = ()
    edited_at: datetime | None = None
    share_of: int | None = None
    share_count: int = 0
    quote_of: int | None = None
    quote_count: int = 0
    voters: tuple[tuple[int, ...], ...] = ()


class PostPlanner:
    """Turns drafts into planned posts, oldest first."""

    def __init__(
        self,
        *,
        personas: Sequence[Persona],
        followers: Mapping[int, Sequence[int]],
        followed: Mapping[int, Sequence[int]],
        spec: DemoSpec,
    ) -> None:
        self._followers, self._followed, self._spec = followers, followed, spec
        self._discussions = DiscussionWriter(personas=personas, followers=followers, spec=spec)
        self._chance = random.Random(f"{spec.seed}:posts")  # noqa: S311 - not a secret
        self._vote_chance = random.Random(f"{spec.seed}:votes")  # noqa: S311 - not a secret
        self._share_chance = random.Random(f"{spec.seed}:shares")  # noqa: S311 - not a secret
        self._posts: list[PlannedPost] = []
        self._shareable: deque[PlannedPost] = deque(maxlen=SHAREABLE_POSTS)
        self._shares: set[tuple[int, int]] = set()
        self._motif_numbers: dict[str, list[int]] = {}

    def add(self, *, author: int, at: datetime, draft: Draft) -> None:
        edited_at = None
        if draft.text_before_edit:
            longest = min(MAX_EDIT_DELAY, self._spec.now - at)
            moment = at + longest * self._chance.uniform(0.1, 0.6)
            edited_at = moment.replace(
                microsecond=moment.microsecond // 1000 * 1000
            )  # as in MongoDB
        voters = tuple[tuple[int, ...], ...]()
        if draft.kind == "poll":
            details, voters = self._poll(author, at, draft)
            draft = replace(draft, details=details)
        post = PlannedPost(
            **{part.name: getattr(draft, part.name) for part in fields(draft)},
            id=planned_id(at=at, node=self._spec.node),
            author=author,
            published_at=at,
            discussion=self._discussions.write(author=author, at=at, draft=draft),
            voters=voters,
            motifs=self._motifs(draft.scenes),
            edited_at=edited_at,
            quote_of=self._shareable[-1].id if draft.is_quote else None,
        )
        self._posts.append(post)
        self._shareable.append(post)

    def _poll(
        self, author: int, at: datetime, draft: Draft
    ) -> tuple[Details, tuple[tuple[int, ...], ...]]:
        """Return the details of a poll, and its voters by choice. alice does not vote."""
        chance, choices = self._vote_chance, draft.details["choices"]
        candidates = [uid for uid in self._followers.get(author, ()) if uid not in (author, ALICE)]
        chance.shuffle(candidates)
        weights = [chance.uniform(1, 4) for _ in choices]
        voters: list[list[int]] = [[] for _ in choices]
        for voter in candidates[:MAX_VOTERS]:
            chance.choices(voters, weights)[0].append(voter)
        ends_at = at + timedelta(minutes=draft.poll_minutes)
        details = draft.details | {
            "ends_at": int(ends_at.timestamp()),
            "counts": [len(uids) for uids in voters],
            "voters": sum(map(len, voters)),
            "is_end_pending": ends_at > self._spec.now,
        }
        return details, tuple(map(tuple, voters))

    def add_share_by_chance(self, *, author: int, at: datetime) -> bool:
        """Add a share of a followed user's post. Return False if the author shares nothing now."""
        if self._share_chance.random() > SHARE_RATE:
            return False
        followed = set(self._followed.get(author, ()))
        posts = [post for post in self._shareable if post.author in followed]
        return self._add_share_of_any(author, at, posts)

    def add_share(self, *, author: int, at: datetime) -> None:
        """Add the first share of a post, possibly with pictures, by a user whom alice does not follow.

        Otherwise alice's home would not show the share, because it shows every post only once.
        """
        shared_ids = {post_id for _, post_id in self._shares}
        posts = [
            post for post in self._shareable if post.author != author and post.id not in shared_ids
        ]
        strangers = [post for post in posts if ALICE not in self._followers.get(post.author, ())]
        for candidates in ([post for post in strangers if post.motifs], strangers, posts):
            if self._add_share_of_any(author, at, candidates):
                return
        raise LookupError("There is no post to share.")

    def _add_share_of_any(self, author: int, at: datetime, posts: Sequence[PlannedPost]) -> bool:
        unshared = [post for post in posts if (author, post.id) not in self._shares]
        if not unshared:
            return False
        shared = self._share_chance.choice(unshared)
        self._shares.add((author, shared.id))
        self._posts.append(
            PlannedPost(
                id=planned_id(at=at, node=self._spec.node),
                author=author,
                text="",
                topic="",
                published_at=at,
                kind="share",
                share_of=shared.id,
            )
        )
        return True

    def _motifs(self, scenes: Sequence[str]) -> tuple[str, ...]:
        """Return different pictures of the scenes, fewer if there are not enough."""
        chosen: dict[str, None] = {}
        for scene in scenes:
            for _ in range(2 * SCENES[scene]):
                motif = self._motif(scene)
                if motif not in chosen:
                    chosen[motif] = None
                    break
        return tuple(chosen)

    def _motif(self, scene: str) -> str:
        """Return a picture of the scene. Each one is used before the first is used again."""
        numbers = self._motif_numbers.setdefault(scene, [])
        if not numbers:
            numbers += range(SCENES[scene])
            self._chance.shuffle(numbers)
        return f"{scene}-{numbers.pop()}"

    def planned_posts(self) -> list[PlannedPost]:
        share_counts = Counter(post.share_of for post in self._posts)
        quote_counts = Counter(post.quote_of for post in self._posts)
        return [
            replace(post, share_count=share_counts[post.id], quote_count=quote_counts[post.id])
            if post.id in share_counts or post.id in quote_counts
            else post
            for post in self._posts
        ]


def planned_id(*, at: datetime, node: int) -> int:
    """Return the id of a user or post that the plan creates at ``at``.

    Without a sequence number, the id is still unique. Users of a plan never share a millisecond, nor do
    posts, and all other ids are newer.
    """
    return first_id_at(moment=at) | node << SEQUENCE_BITS


def node_from_id(id: int) -> int:
    """Return the node number in an id. The number identifies the process that created the id."""
    return id >> SEQUENCE_BITS & (NODES - 1)
