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

from accounts.infra.store.connection import Document

from .collections import posts
from .post_rows import POST_FIELDS, IdRange, PostRow, post_row

PUBLIC_FILTER: Document = {"visibility": "public"}
NEWEST_FIRST = [("_id", DESCENDING)]
MAX_SEARCH_SECONDS = 0.5
"""The index is not in the order of time, so all posts with a word are looked at to find the newest: about
40,000 a second. What takes longer is in so many posts that ``containing`` soon finds some."""

MAX_EXAMINED = 5000
VISIBILITY_INDEX = "post_by_visibility"


class TooManyMatches(RuntimeError):
    """There are too many posts with these words to look at all of them."""


def create_indexes() -> None:
    posts().create_index(
        [("text", TEXT)],
        name="public_words",
        partialFilterExpression=PUBLIC_FILTER,
        default_language="none",
        language_override="language_of_words",  # no post has this: none says in what language it is
    )


def posts_with_words(
    *, phrases: Sequence[str], id_range: IdRange, limit: int, author: int | None = None
) -> list[PostRow]:
    """The newest public posts, of one author or of everybody, with all of these words or phrases. Raises
    TooMany."""
    # In quotes a phrase must be there and a minus is no operator; a quote cannot be quoted.
    search = " ".join('"' + re.sub(r'["\\]', " ", phrase) + '"' for phrase in phrases)
    query = {"$text": {"$search": search}, **PUBLIC_FILTER, **_by(author), **id_range.query}
    found = posts().find(query, POST_FIELDS).sort(NEWEST_FIRST).limit(limit)
    try:
        return [post_row(one) for one in found.max_time_ms(int(MAX_SEARCH_SECONDS * 1000))]
    except ExecutionTimeout as error:
        raise TooManyMatches from error


def posts_containing(
    *,
    phrases: Sequence[str],
    id_range: IdRange,
    limit: int,
    author: int | None = None,
    whole_words: bool = False,
) -> tuple[list[PostRow], int | None]:
    """Those of the newest ``EXAMINED`` public posts within the bounds in which all of these stand, also
    inside of words unless these must be ``whole_words``. And the id to go on below; None if there are no
    older posts."""
    listed = {**PUBLIC_FILTER, "share_of": None}
    last = posts().find({**listed, **id_range.query}, {"_id": 1}, hint=VISIBILITY_INDEX)
    ends = [document["_id"] for document in last.sort(NEWEST_FIRST).skip(MAX_EXAMINED - 1).limit(1)]
    examined = IdRange(above=ends[0] - 1, below=id_range.below) if ends else id_range
    edge, unicode = (r"\b", "(*UCP)") if whole_words else ("", "")
    patterns = [f"{unicode}{edge}{re.escape(phrase)}{edge}" for phrase in phrases]
    stand = [{"text": {"$regex": pattern, "$options": "i"}} for pattern in patterns]
    query = {**listed, **_by(author), "$and": stand, **examined.query}
    found = posts().find(query, POST_FIELDS, hint=VISIBILITY_INDEX).sort(NEWEST_FIRST).limit(limit)
    return [post_row(document) for document in found], ends[0] if ends else None


def _by(author: int | None) -> Document:
    return {} if author is None else {"author_id": author}


def post_ids_containing(*, text: str, newest_count: int, limit: int) -> list[int]:
    """Return the newest of the last ``newest_count`` posts whose text contains ``text``, ignoring case.

    Costs two database commands.
    """
    by_age = [("_id", -1)]
    last = next(
        posts().find({}, {"_id": 1}).sort(by_age).skip(newest_count - 1).limit(1), {"_id": 0}
    )
    query = {"_id": {"$gte": last["_id"]}, "text": {"$regex": re.escape(text), "$options": "i"}}
    rows = posts().find(query, {"_id": 1}).sort(by_age).limit(limit).batch_size(limit + 1)
    return [row["_id"] for row in rows]
