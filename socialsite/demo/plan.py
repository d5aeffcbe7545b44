"""The whole demo in memory, before it is written to the database."""

import random
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from accounts.infra.ids import first_id_at
from accounts.infra.ids.layout import NODES, SEQUENCE_BITS
from feed.activities import Details

from .discussions import Discussion, DiscussionWriter
from .follows import make_follows, popularity_weights
from .front_page import PERIOD, front_page_drafts, front_page_size, front_page_times
from .personas import ALICE, Persona, make_personas
from .pictures import Motif
from .post_texts import Draft, PostWriter, choose_authors

RECENT_SHARE = 0.2
"""The fraction of posts, the newest, among which the conversations are."""

SHARE_RATE = 0.05
SHAREABLE_POSTS = 300
"""Users share only one of this many newest posts."""

POSTS_PER_MOTIF = 1000
MIN_MOTIFS_PER_SCENE, MAX_MOTIFS_PER_SCENE = 3, 10
MAX_EDIT_DELAY = timedelta(minutes=20)
NO_DISCUSSION = Discussion()


@dataclass(frozen=True, slots=True)
class DemoSpec:
    """The size and seed of a demo.

    Post ids derive from ``now`` and ``node``. The first attempt chooses both values. Later attempts reuse
    the values, so that all attempts create the same posts.
    """

    users: int
    follows: int
    posts: int
    seed: int
    now: datetime
    node: int


@dataclass(frozen=True, slots=True)
class PlannedPost:
    """A post, or a share of the post ``share_of``.

    ``kind`` to ``text_before_edit`` are as in ``post_texts.Draft``, and ``share_count`` is the number of
    shares of this post.
    """

    id: int
    author: int
    text: str
    published_at: datetime
    discussion: Discussion = NO_DISCUSSION
    kind: str = "note"
    details: Details = field(default_factory=dict)
    content_warning: str = ""
    motifs: tuple[Motif, ...] = ()
    text_before_edit: str = ""
    edited_at: datetime | None = None
    share_of: int | None = None
    share_count: int = 0


@dataclass(frozen=True, slots=True)
class Plan:
    """A generated demo.

    Indexes of ``personas`` identify users. ``followers`` maps followed users to their followers.
    """

    personas: Sequence[Persona]
    followers: Mapping[int, Sequence[int]]
    posts: Sequence[PlannedPost]

    @property
    def follow_count(self) -> int:
        return sum(map(len, self.followers.values()))


def make_plan(*, spec: DemoSpec) -> Plan:
    """Generate a plan. The same specification always produces the same plan."""
    seed = spec.seed
    people = make_personas(count=spec.users, seed=seed)
    weights = popularity_weights(count=len(people), seed=seed)
    followers = make_follows(personas=people, weights=weights, follows=spec.follows, seed=seed)
    followed: dict[int, list[int]] = {}
    for followee, follower_indexes in followers.items():
        for follower in follower_indexes:
            followed.setdefault(follower, []).append(followee)
    planner = _PostPlanner(spec, people, followers, followed)
    newest_count = front_page_size(posts=spec.posts)
    count = spec.posts - newest_count
    writer = PostWriter(personas=people, followed=followed, seed=seed)
    authors = choose_authors(weights=weights, count=count, seed=seed)
    times = make_publish_times(count=count, now=spec.now - PERIOD, seed=seed)
    for position, (author, at) in enumerate(zip(authors, times, strict=True)):
        if not planner.add_share_by_chance(author, at):
            is_recent = position > count * (1 - RECENT_SHARE)
            planner.add(author, at, writer.write(author=author, is_recent=is_recent))
    newest = front_page_drafts(personas=people, followed=followed, count=newest_count, seed=seed)
    for (author, draft), at in zip(
        newest, front_page_times(count=newest_count, now=spec.now), strict=True
    ):
        if draft is None:
            planner.add_share(author, _in_milliseconds(at))
        else:
            planner.add(author, _in_milliseconds(at), draft)
    return Plan(people, followers, planner.planned_posts())


class _PostPlanner:
    """Turns drafts into planned posts, oldest first."""

    def __init__(
        self,
        spec: DemoSpec,
        people: Sequence[Persona],
        followers: Mapping[int, Sequence[int]],
        followed: Mapping[int, Sequence[int]],
    ) -> None:
        self._spec, self._followed = spec, followed
        self._followers = followers
        self._discussions = DiscussionWriter(
            personas=people, followers=followers, seed=spec.seed, now=spec.now, node=spec.node
        )
        self._chance = random.Random(f"{spec.seed}:posts")  # noqa: S311 - not a secret
        self._share_chance = random.Random(f"{spec.seed}:shares")  # noqa: S311 - not a secret
        self._posts: list[PlannedPost] = []
        self._shareable: deque[PlannedPost] = deque(maxlen=SHAREABLE_POSTS)
        self._shares: set[tuple[int, int]] = set()
        self._motif_numbers: dict[str, list[int]] = {}
        self._motifs_per_scene = min(
            MAX_MOTIFS_PER_SCENE, max(MIN_MOTIFS_PER_SCENE, spec.posts // POSTS_PER_MOTIF)
        )

    def add(self, author: int, at: datetime, draft: Draft) -> None:
        edited_at = None
        if draft.text_before_edit:
            longest = min(MAX_EDIT_DELAY, self._spec.now - at)
            edited_at = _in_milliseconds(at + longest * self._chance.uniform(0.1, 0.6))
        post = PlannedPost(
            id=_id(at, self._spec.node),
            author=author,
            text=draft.text,
            published_at=at,
            discussion=self._discussions.write(author=author, at=at, draft=draft),
            kind=draft.kind,
            details=draft.details,
            content_warning=draft.content_warning,
            motifs=self._motifs(draft.scenes),
            text_before_edit=draft.text_before_edit,
            edited_at=edited_at,
        )
        self._posts.append(post)
        self._shareable.append(post)

    def add_share_by_chance(self, author: int, at: datetime) -> bool:
        """Add a share of a followed user's post. Return False if the author shares nothing now."""
        if self._share_chance.random() > SHARE_RATE:
            return False
        followed = set(self._followed.get(author, ()))
        posts = [post for post in self._shareable if post.author in followed]
        return self._add_share_of_any(author, at, posts)

    def add_share(self, author: int, at: datetime) -> None:
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
                id=_id(at, self._spec.node),
                author=author,
                text="",
                published_at=at,
                kind="share",
                share_of=shared.id,
            )
        )
        return True

    def _motifs(self, scenes: Sequence[str]) -> tuple[Motif, ...]:
        """Return different pictures of the scenes, fewer if there are not enough."""
        chosen: dict[Motif, None] = {}
        for scene in scenes:
            for _ in range(2 * self._motifs_per_scene):
                motif = self._motif(scene)
                if motif not in chosen:
                    chosen[motif] = None
                    break
        return tuple(chosen)

    def _motif(self, scene: str) -> Motif:
        """Return a picture of the scene. Each one is used before the first is used again."""
        numbers = self._motif_numbers.setdefault(scene, [])
        if not numbers:
            numbers += range(self._motifs_per_scene)
            self._chance.shuffle(numbers)
        return Motif(scene, numbers.pop())

    def planned_posts(self) -> list[PlannedPost]:
        share_counts = Counter(post.share_of for post in self._posts)
        return [
            replace(post, share_count=share_counts[post.id]) if post.id in share_counts else post
            for post in self._posts
        ]


def node_from_id(id: int) -> int:
    """Return the node number in an id. The number identifies the process that created the id."""
    return id >> SEQUENCE_BITS & (NODES - 1)


def _in_milliseconds(moment: datetime) -> datetime:
    """Return the moment with the precision of MongoDB."""
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def _id(at: datetime, node: int) -> int:
    # Without a sequence number, the id is still unique. Posts of a plan never share a millisecond, and all
    # other ids are newer.
    return first_id_at(moment=at) | node << SEQUENCE_BITS


# Posts are spread over thirty days: more in recent days, and more by day than by night.
POST_HISTORY = timedelta(days=30)
HALF_LIFE = timedelta(days=9)
AM_ACTIVITY = (30, 18, 10, 8, 8, 14, 30, 55, 72, 76, 74, 76)
PM_ACTIVITY = (86, 80, 70, 68, 72, 80, 90, 98, 100, 96, 78, 52)
HOURLY_ACTIVITY = AM_ACTIVITY + PM_ACTIVITY
"""The activity in each hour of the day, in percent of the busiest hour."""


def make_publish_times(*, count: int, now: datetime, seed: int) -> list[datetime]:
    """Return ``count`` ascending times before ``now``, with different milliseconds."""
    chance = random.Random(f"{seed}:moments")  # noqa: S311 - not a secret
    drawn: set[int] = set()
    while len(drawn) < count:
        age = timedelta(seconds=chance.expovariate(0.693 / HALF_LIFE.total_seconds()))
        if age < POST_HISTORY:
            moment = now - age
            # Shift the hour by up to one, as if authors lived in neighbouring time zones.
            if (
                chance.random() * 100
                < HOURLY_ACTIVITY[(moment.hour + chance.randrange(-1, 2)) % 24]
            ):
                drawn.add(1 + age // timedelta(milliseconds=1))
    return [now - timedelta(milliseconds=age) for age in sorted(drawn, reverse=True)]
