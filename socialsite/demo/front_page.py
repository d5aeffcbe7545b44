"""The newest posts of the demo, written by hand, so that alice's home begins with every kind of post."""

import random
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from .languages import Entry, load_front_page, load_languages
from .personas import ALICE, FIXED_PERSONAS, Persona
from .post_texts import CLIP_FORMS, Draft, draft_from_entry

MIN_POSTS = 200
"""A smaller demo has no front page, because these posts would be most of its posts."""

NEWEST_AGE = timedelta(minutes=2)
PERIOD = timedelta(minutes=185)
"""The time in which only these posts are published."""


FrontPageEntry = tuple[str, str, Entry]
"""Author, topic and entry of a post."""


def front_page_entries(*, posts: int, has_clips: bool) -> list[FrontPageEntry]:
    """Return the newest posts of a demo with ``posts`` posts, newest first."""
    if posts < MIN_POSTS:
        return []
    entries = load_front_page()
    return [row for row in entries if has_clips or row[2].form not in CLIP_FORMS]


def front_page_times(*, count: int, now: datetime) -> list[datetime]:
    """Return ascending times, closer together the newer they are."""
    span = PERIOD - 2 * NEWEST_AGE
    ages = [NEWEST_AGE + span * (n / count) ** 1.3 for n in reversed(range(count))]
    return [now - timedelta(seconds=age // timedelta(seconds=1)) for age in ages]


def front_page_drafts(
    *,
    personas: Sequence[Persona],
    followed: Mapping[int, Sequence[int]],
    entries: Sequence[FrontPageEntry],
    seed: int,
) -> Iterator[tuple[int, Draft | None]]:
    """Yield (author, draft), oldest first. The draft of a share is None."""
    chance = random.Random(f"{seed}:front")  # noqa: S311 - not a secret
    indexes = {persona.username: index for index, persona in enumerate(FIXED_PERSONAS)}
    used: set[int] = set()
    for author_name, topic, entry in reversed(entries):
        author = indexes.get(author_name)
        if author is None:
            author = _author(chance, personas, followed, topic, used)
            used.add(author)
        # Without a topic, the post gets no comments besides its own.
        yield author, None if entry.form == "share" else draft_from_entry(entry=entry, topic="")


def _author(
    chance: random.Random,
    personas: Sequence[Persona],
    followed: Mapping[int, Sequence[int]],
    topic: str,
    used: set[int],
) -> int:
    """Return a user whom alice follows, if possible one who writes about the topic."""
    language = next(code for code, texts in load_languages().items() if topic in texts.topics)
    users = [
        uid for uid in followed.get(ALICE, ()) if uid >= len(FIXED_PERSONAS) and uid not in used
    ]
    for candidates in (
        [uid for uid in users if topic in personas[uid].topics[:3]],
        [uid for uid in users if personas[uid].language == language],
        users,
    ):
        if candidates:
            return chance.choice(candidates)
    return ALICE
