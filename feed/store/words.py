"""Finding public posts by their words.

    feed_post {..., text}                             text index of those that are public

The server's text index knows whole words, whatever their capitals and accents, in no particular language:
words are what stands between blanks and punctuation. Where people write without blanks, as in China, Japan
and Thailand, or glue endings to words, as in Korea, it finds little; ``containing`` reads the posts
themselves there, some thousands at a time; and also for words that are in very many posts.
"""

import re
from collections.abc import Sequence

from pymongo import DESCENDING, TEXT
from pymongo.errors import ExecutionTimeout

from .collections import Document, posts
from .rows import FIELDS, Bounds, PostRow, row_of

PUBLIC: Document = {"visibility": "public"}
NEWEST_FIRST = [("_id", DESCENDING)]
LONGEST_SECONDS = 0.5
"""The index is not in the order of time, so all posts with a word are looked at to find the newest: about
40,000 a second. What takes longer is in so many posts that ``containing`` soon finds some."""

EXAMINED = 5000
BY_VISIBILITY = "post_by_visibility"


class TooMany(RuntimeError):
    """There are too many posts with these words to look at all of them."""


def prepare() -> None:
    posts().create_index(
        [("text", TEXT)],
        name="public_words",
        partialFilterExpression=PUBLIC,
        default_language="none",
        language_override="language_of_words",  # no post has this: none says in what language it is
    )


def with_words(
    *, phrases: Sequence[str], bounds: Bounds, limit: int, author: int | None = None
) -> list[PostRow]:
    """The newest public posts, of one author or of everybody, with all of these words or phrases. Raises
    TooMany."""
    # In quotes a phrase must be there and a minus is no operator; a quote cannot be quoted.
    search = " ".join('"' + re.sub(r'["\\]', " ", one) + '"' for one in phrases)
    query = {"$text": {"$search": search}, **PUBLIC, **_by(author), **bounds.query}
    found = posts().find(query, FIELDS).sort(NEWEST_FIRST).limit(limit)
    try:
        return [row_of(one) for one in found.max_time_ms(int(LONGEST_SECONDS * 1000))]
    except ExecutionTimeout as error:
        raise TooMany from error


def containing(
    *,
    phrases: Sequence[str],
    bounds: Bounds,
    limit: int,
    author: int | None = None,
    whole_words: bool = False,
) -> tuple[list[PostRow], int | None]:
    """Those of the newest ``EXAMINED`` public posts within the bounds in which all of these stand, also
    inside of words unless these must be ``whole_words``. And the id to go on below; None if there are no
    older posts."""
    listed = {**PUBLIC, "share_of": None}
    last = posts().find({**listed, **bounds.query}, {"_id": 1}, hint=BY_VISIBILITY)
    ends = [one["_id"] for one in last.sort(NEWEST_FIRST).skip(EXAMINED - 1).limit(1)]
    examined = Bounds(above=ends[0] - 1, below=bounds.below) if ends else bounds
    edge, unicode = (r"\b", "(*UCP)") if whole_words else ("", "")
    patterns = [f"{unicode}{edge}{re.escape(one)}{edge}" for one in phrases]
    stand = [{"text": {"$regex": one, "$options": "i"}} for one in patterns]
    query = {**listed, **_by(author), "$and": stand, **examined.query}
    found = posts().find(query, FIELDS, hint=BY_VISIBILITY).sort(NEWEST_FIRST).limit(limit)
    return [row_of(one) for one in found], ends[0] if ends else None


def _by(author: int | None) -> Document:
    return {} if author is None else {"author_id": author}
