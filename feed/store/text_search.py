"""Search public posts by their words (``feed.post_words``).

    feed_post {..., words: [..]}                      index (words, _id descending)

The index has the posts with a word in order of time. For several words, the server reads the posts with the
rarest word and checks the other words. It examines at most ``MAX_EXAMINED`` posts for a page.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from pymongo import ASCENDING, DESCENDING, UpdateOne

from accounts.infra.store.connection import Document
from feed.models import Post
from feed.post_words import words_of

from .collections import posts
from .post_rows import POST_FIELDS, IdRange, PostRow, find_rows, post_row, range_of_first

WORDS_INDEX = "post_words"
MAX_EXAMINED = 5000
MAX_COUNTED_WORDS = 10


def create_indexes() -> None:
    # Posts that are not public have no words, so they are not in the index.
    posts().create_index(
        [("words", ASCENDING), ("_id", DESCENDING)],
        name=WORDS_INDEX,
        partialFilterExpression={"words": {"$gt": ""}},
    )


def rarest_word(*, words: Sequence[str]) -> tuple[str, bool]:
    """Return the word with the fewest posts, and whether more than ``MAX_EXAMINED`` posts have it.

    One command, which reads only the index. Of many words, the longest are counted.
    """
    counted = sorted(words, key=len, reverse=True)[:MAX_COUNTED_WORDS]
    first, *others = map(_count, counted)
    unions = [{"$unionWith": {"coll": posts().name, "pipeline": part}} for part in others]
    rows = posts().aggregate([*first, *unions], hint=WORDS_INDEX)
    counts = dict.fromkeys(counted, 0) | {row["word"]: row["n"] for row in rows}
    word = min(counted, key=counts.__getitem__)
    return word, counts[word] > MAX_EXAMINED


def _count(word: str) -> list[Document]:
    return [
        {"$match": {"words": word}},
        {"$limit": MAX_EXAMINED + 1},
        {"$group": {"_id": None, "n": {"$sum": 1}}},
        {"$project": {"_id": 0, "n": 1, "word": {"$literal": word}}},
    ]


def examined_range(*, word: str, id_range: IdRange) -> tuple[IdRange, int | None]:
    """Return the range of the newest ``MAX_EXAMINED`` posts with a word, like ``range_of_first``.

    Reads only the index.
    """
    newest_first = replace(id_range, is_ascending=False)
    query = {"words": word}
    return range_of_first(query=query, id_range=newest_first, number=MAX_EXAMINED, hint=WORDS_INDEX)


def posts_with_words(
    *,
    word: str,
    others: Collection[str] = (),
    excluded: Collection[str] = (),
    id_range: IdRange,
    limit: int,
) -> list[PostRow]:
    """Return the newest posts with ``word``, all ``others`` and none of the ``excluded`` words.

    The server reads the posts with ``word`` in the range, until it has ``limit`` posts. One command.
    """
    # In an expression, so that the server uses the index for ``word`` and not for another word.
    checks = [
        {"$setIsSubset": [{"$literal": list(others)}, "$words"]},
        {"$eq": [{"$setIntersection": [{"$literal": list(excluded)}, "$words"]}, []]},
    ]
    query: Document = {"words": word}
    if others or excluded:
        query["$expr"] = {"$and": checks}
    newest_first = replace(id_range, is_ascending=False)
    return find_rows(query=query, id_range=newest_first, limit=limit, hint=WORDS_INDEX)


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


def count_posts() -> int:
    return posts().estimated_document_count()


def rebuild_words(*, after: int, limit: int, is_dry_run: bool = False) -> tuple[int, int, int]:
    """Correct the words of the next ``limit`` posts after an id. At most two commands.

    A post that is edited meanwhile is left out, because saving a post writes the words. A migration calls
    this while posts still lack the fields of later migrations. Return the number of examined posts, the
    number of posts with other words, and the last id (0: no post).
    """
    fields = POST_FIELDS | {"words": 1}
    documents = posts().find({"_id": {"$gt": after}}, fields).sort("_id", ASCENDING).limit(limit)
    fields_of_posts = Post._meta.concrete_fields
    defaults = {str(field.column): field.get_default() for field in fields_of_posts}
    updates, count, last = [], 0, 0
    for document in documents:
        stored, edited_at = document.pop("words", None), document["edited_at"]
        row = post_row(defaults | document)
        count, last = count + 1, row.id
        words = words_of(
            row,
            author=row.author,
            kind=row.kind,
            visibility=row.visibility,
            attributes=row.attributes,
        )
        if words != stored:
            query = {"_id": row.id, "text": row.text, "edited_at": edited_at}
            updates.append(UpdateOne(query, {"$set": {"words": words}}))
    if updates and not is_dry_run:
        posts().bulk_write(updates, ordered=False)
    return count, len(updates), last
