"""The follow graph of the demo.

A few users have many followers, most have few. Users mostly follow users with the same language.
Popularity falls with a power of the rank, as in Zipf's law, because real follow graphs are similar.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from .personas import FIXED_PERSONAS, Persona

POPULARITY_POWER, POPULARITY_SHIFT = 0.8, 8
FIXED_FOLLOW_COUNT = 40
FIXED_RANKS = (6, 11, 17, 60)
OTHER_LANGUAGE_RATE = 0.2
DRAW_BATCH_SIZE = 4096
MAX_DRAWS_PER_FOLLOW = 20
"""If a new follow takes more draws than this on average, the other follows are drawn without weights."""


def popularity_weights(*, count: int, seed: int) -> list[float]:
    """Return the popularity of each user: the weight with which other users follow this user."""
    chance = random.Random(f"{seed}:popularity")  # noqa: S311 - not a secret
    ranks = list(range(count))
    chance.shuffle(ranks)
    for position, rank in zip(range(len(FIXED_PERSONAS)), FIXED_RANKS, strict=True):
        other = ranks.index(min(rank, count - 1))
        ranks[position], ranks[other] = ranks[other], ranks[position]
    return [float(rank + POPULARITY_SHIFT) ** -POPULARITY_POWER for rank in ranks]


def max_follows(*, user_count: int) -> int:
    """Return the maximum number of follows for this number of users: half of all pairs."""
    return user_count * (user_count - 1) // 2


def make_follows(
    *, personas: Sequence[Persona], weights: Sequence[float], follows: int, seed: int
) -> dict[int, list[int]]:
    """Return ``{followed user: [followers]}`` with ``follows`` followers in total.

    Indexes of ``personas`` identify users.
    """
    chance = random.Random(f"{seed}:follows")  # noqa: S311 - not a secret
    everybody = range(len(personas))
    pairs = dict.fromkeys(_of_fixed(chance, personas, weights, follows))
    cumulative = list(accumulate(weights))
    # ``_of_fixed`` has already drawn the follows of the fixed users. The activity of all other users
    # follows a power law, like popularity.
    activity_levels = [
        0.0 if uid < len(FIXED_PERSONAS) else chance.paretovariate(1.6) for uid in everybody
    ]
    follower_weights = list(accumulate(min(level, 12.0) for level in activity_levels))
    while len(pairs) < follows:
        before = len(pairs)
        followers = chance.choices(everybody, cum_weights=follower_weights, k=DRAW_BATCH_SIZE)
        followees = chance.choices(everybody, cum_weights=cumulative, k=DRAW_BATCH_SIZE)
        for pair in zip(followers, followees, strict=True):
            if len(pairs) < follows and _is_likely(chance, personas, *pair):
                pairs[pair] = None
        if (len(pairs) - before) * MAX_DRAWS_PER_FOLLOW < DRAW_BATCH_SIZE:
            cumulative = follower_weights = [*everybody[1:], len(personas)]
    followers_by_user: dict[int, list[int]] = {}
    for follower, followee in pairs:
        followers_by_user.setdefault(followee, []).append(follower)
    return followers_by_user


def _is_likely(
    chance: random.Random, people: Sequence[Persona], follower: int, followee: int
) -> bool:
    same = people[follower].language == people[followee].language
    return follower != followee and (same or chance.random() < OTHER_LANGUAGE_RATE)


def _of_fixed(
    chance: random.Random, personas: Sequence[Persona], weights: Sequence[float], follows: int
) -> list[tuple[int, int]]:
    """Return ``(follower, followed user)`` pairs: fixed users follow each other and some popular users."""
    everybody = range(len(personas))
    number = min(FIXED_FOLLOW_COUNT, follows // (2 * len(FIXED_PERSONAS)), len(everybody) - 1)
    pairs = []
    for n in range(len(FIXED_PERSONAS)):
        chosen = dict.fromkeys(other for other in range(len(FIXED_PERSONAS) - 1) if other != n)
        while len(chosen) < number:
            other = chance.choices(everybody, weights)[0]
            if _is_likely(chance, personas, n, other):
                chosen[other] = None
        pairs += [(n, other) for other in list(chosen)[:number]]
    return pairs


def follow_batches(
    *, followers: Mapping[int, Sequence[int]], uids: Sequence[int], size: int
) -> Iterator[dict[int, list[int]]]:
    """Yield batches of ``size`` follows. Each batch maps a followee's uid to the uids of new followers.

    Args:
        followers: for each followee's position, the positions of the followers.
        uids: uids of all users, by position.
    """
    batch: dict[int, list[int]] = {}
    free_count = size
    for followee, positions in followers.items():
        start = 0
        while start < len(positions):
            part = positions[start : start + free_count]
            batch[uids[followee]] = [uids[position] for position in part]
            start += len(part)
            free_count -= len(part)
            if not free_count:
                yield batch
                batch, free_count = {}, size
    if batch:
        yield batch
