"""The whole demo in memory, before anything of it is written."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from accounts.ids import first_id_at
from accounts.ids.layout import NODES, SEQUENCE_BITS

from .graph import make_follows, popularity
from .moments import make_moments
from .people import Persona, make_people
from .talking import Talk, Talkers
from .writing import Writers, choose_authors


@dataclass(frozen=True, slots=True)
class Order:
    """What was asked for. ``now`` and ``node`` are chosen once, when the order is first given: from
    them come the ids of the posts, so that a second attempt makes the very same."""

    people: int
    follows: int
    posts: int
    seed: int
    now: datetime
    node: int


@dataclass(frozen=True, slots=True)
class PlannedPost:
    id: int
    author: int
    text: str
    at: datetime
    talk: Talk


@dataclass(frozen=True, slots=True)
class Plan:
    """People are named by their positions in ``people``. ``followers``: by followee."""

    people: Sequence[Persona]
    followers: Mapping[int, Sequence[int]]
    posts: Sequence[PlannedPost]

    @property
    def follows(self) -> int:
        return sum(map(len, self.followers.values()))


def make_plan(*, order: Order) -> Plan:
    """The same people, texts and follows for the same seed and numbers."""
    seed = order.seed
    people = make_people(count=order.people, seed=seed)
    weights = popularity(count=len(people), seed=seed)
    followers = make_follows(people=people, weights=weights, follows=order.follows, seed=seed)
    followed: dict[int, list[int]] = {}
    for followee, some in followers.items():
        for follower in some:
            followed.setdefault(follower, []).append(followee)
    writers = Writers(people=people, followed=followed, seed=seed)
    talkers = Talkers(people=people, followers=followers, seed=seed, now=order.now, node=order.node)
    posts = [
        PlannedPost(
            id=_id(at, order.node),
            author=author,
            text=writers.write(author=author),
            at=at,
            talk=talkers.about(author=author, at=at),
        )
        for author, at in zip(
            choose_authors(weights=weights, count=order.posts, seed=seed),
            make_moments(count=order.posts, now=order.now, seed=seed),
            strict=True,
        )
    ]
    return Plan(people, followers, posts)


def node_of(id: int) -> int:
    """The node number in an id: that of the process which made it."""
    return id >> SEQUENCE_BITS & (NODES - 1)


def _id(at: datetime, node: int) -> int:
    # No two posts of a plan share a millisecond, and ids of others are of later ones.
    return first_id_at(moment=at) | node << SEQUENCE_BITS
