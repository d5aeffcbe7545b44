"""Search public posts by their words.

    feed_post {..., text}                             text index of the public posts

The server's text index matches whole words, ignoring case and accents. The index separates words at spaces
and punctuation, for any language. So searches find few posts in Chinese, Japanese and Thai, which have no
spaces, and in Korean, which attaches endings to words. For these languages, and for words that very many
posts have, ``posts_containing`` reads the posts themselves, ``MAX_EXAMINED`` at a time.
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
"""Time limit of a search with the text index.

The index is not ordered by time, so the server examines all posts with a word, about 40,000 per second. If
this takes longer, so many posts match that ``posts_containing`` finds some quickly.
"""

MAX_EXAMINED = 5000
VISIBILITY_INDEX = "post_by_visibility"


class TooManyMatches(RuntimeError):
    """So many posts have these words that the search exceeds ``MAX_SEARCH_SECONDS``."""


def create_indexes() -> None:
    posts().create_index(
        [("text", TEXT)],
        name="public_words",
        partialFilterExpression=PUBLIC_FILTER,
        default_language="none",
        language_override="language_of_words",  # no post has this field, so the default applies
    )


def posts_with_words(
    *, phrases: Sequence[str], id_range: IdRange, limit: int, author: int | None = None
) -> list[PostRow]:
    """Return the newest public posts that have all these words or phrases.

    ``author`` limits the search to one author. Raises TooManyMatches. One command.
    """
    # Without quotes, the server would combine the words with "or", and a minus would exclude a word. A
    # quote inside a phrase cannot be escaped, so it becomes a space.
    search = " ".join('"' + re.sub(r'["\\]', " ", phrase) + '"' for phrase in phrases)
    query = {"$text": {"$search": search}, **PUBLIC_FILTER, **_by(author), **id_range.query}
    documents = posts().find(query, POST_FIELDS).sort(NEWEST_FIRST).limit(limit)
    documents = documents.max_time_ms(int(MAX_SEARCH_SECONDS * 1000))
    try:
        return [post_row(document) for document in documents]
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
    """Examine the newest ``MAX_EXAMINED`` public posts in a range. Return the posts with all phrases.

    Phrases also match inside words, unless ``whole_words``. Also return the id below which the next call
    continues, or None if there are no older posts. Two commands.
    """
    public = {**PUBLIC_FILTER, "share_of": None}
    last = posts().find({**public, **id_range.query}, {"_id": 1}, hint=VISIBILITY_INDEX)
    ends = [document["_id"] for document in last.sort(NEWEST_FIRST).skip(MAX_EXAMINED - 1).limit(1)]
    examined = IdRange(above=ends[0] - 1, below=id_range.below) if ends else id_range
    edge, unicode = (r"\b", "(*UCP)") if whole_words else ("", "")
    patterns = [f"{unicode}{edge}{re.escape(phrase)}{edge}" for phrase in phrases]
    matches = [{"text": {"$regex": pattern, "$options": "i"}} for pattern in patterns]
    query = {**public, **_by(author), "$and": matches, **examined.query}
    documents = posts().find(query, POST_FIELDS, hint=VISIBILITY_INDEX)
    documents = documents.sort(NEWEST_FIRST).limit(limit)
    return [post_row(document) for document in documents], ends[0] if ends else None


def _by(author: int | None) -> Document:
    return {} if author is None else {"author_id": author}


def post_ids_containing(*, text: str, newest_count: int, limit: int) -> list[int]:
    """Return the ids of posts that contain ``text``, ignoring case, newest first.

    Only the newest ``newest_count`` posts are examined, of any visibility. Two commands.
    """
    by_age = [("_id", -1)]
    last = next(
        posts().find({}, {"_id": 1}).sort(by_age).skip(newest_count - 1).limit(1), {"_id": 0}
    )
    query = {"_id": {"$gte": last["_id"]}, "text": {"$regex": re.escape(text), "$options": "i"}}
    rows = posts().find(query, {"_id": 1}).sort(by_age).limit(limit).batch_size(limit + 1)
    return [row["_id"] for row in rows]
