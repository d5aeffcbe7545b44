"""Find users by the beginning of the username, the display name, or a word of these names.

    accounts_user {..., username, display_name, name_words: [..]}     one index each, with a collation

The collation ignores case, accents and character width in every script (Unicode's root order, primary
strength). So the database can store names as users write them.
"""

from pymongo import ASCENDING
from pymongo.collation import Collation, CollationStrength

from accounts.infra.store.connection import Document
from accounts.usernames import MAX_NAME_WORDS, split_names

from .collections import users

SEARCHED_FIELDS = ("username", "display_name", "name_words")
COLLATION = Collation("en", strength=CollationStrength.PRIMARY)
MAX_EXAMINED = 2_000
RANGE_END = "\uffff"
"""A character that sorts after all others in Unicode's collation. Unicode reserves it for ends of ranges
(UTS #35)."""


def create_indexes() -> None:
    for field in SEARCHED_FIELDS:
        users().create_index([(field, ASCENDING)], name=f"{field}_begins", collation=COLLATION)


def uids_by_prefix(*, text: str, limit: int) -> list[int]:
    """Return active users whose name begins with ``text``, each only once. One command.

    Up to ``limit`` users match by username, then up to ``limit`` by display name, then up to ``limit`` by
    words. A user matches by words if each word of ``text`` begins a word of the user's names.
    """
    first, *others = (_match_field(field, text, limit) for field in ("username", "display_name"))
    if words := split_names(text):
        others.append(_match_words(words, limit))
    unions = [{"$unionWith": {"coll": users().name, "pipeline": part}} for part in others]
    rows = users().aggregate(
        [*first, *unions], collation=COLLATION, batchSize=len(SEARCHED_FIELDS) * limit + 1
    )
    return list(dict.fromkeys(row["_id"] for row in rows))


def _match_words(words: list[str], limit: int) -> list[Document]:
    """Match users whose names contain words that begin with these words.

    The index finds users with the longest word. Only ``MAX_EXAMINED`` of these users are checked for the
    other words.
    """
    longest_first = sorted(words, key=len, reverse=True)[:MAX_NAME_WORDS]
    conditions: list[Document] = [
        {"name_words": {"$elemMatch": {"$gte": word, "$lt": word + RANGE_END}}}
        for word in longest_first
    ]
    return [
        {"$match": {**conditions[0], "is_active": True}},
        {"$limit": MAX_EXAMINED if len(conditions) > 1 else limit},
        *({"$match": condition} for condition in conditions[1:]),
        {"$limit": limit},
        {"$project": {"_id": 1}},
    ]


def _match_field(field: str, text: str, limit: int) -> list[Document]:
    begins = {"$gte": text, "$lt": text + RANGE_END}
    return [
        {"$match": {field: begins, "is_active": True}},
        {"$sort": {field: ASCENDING}},
        {"$limit": limit},
        {"$project": {"_id": 1}},
    ]
