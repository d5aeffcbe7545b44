"""Finding people by how their user name, their name, or a word of these begins.

    accounts_user {..., username, display_name, name_words: [..]}     an index of each, with a collation

By the collation, capitals, accents and the width of letters make no difference, in any script (Unicode's
root order, primary strength). So names are kept as people write them.
"""

from pymongo import ASCENDING
from pymongo.collation import Collation, CollationStrength

from accounts.usernames import MAX_NAME_WORDS, split_names

from .collections import Document, users

SEARCHED_FIELDS = ("username", "display_name", "name_words")
COLLATION = Collation("en", strength=CollationStrength.PRIMARY)
MAX_EXAMINED = 2_000
RANGE_END = "\uffff"
"""Comes after every character in Unicode's collation, made for ends of ranges (UTS #35)."""


def create_indexes() -> None:
    for field in SEARCHED_FIELDS:
        users().create_index([(field, ASCENDING)], name=f"{field}_begins", collation=COLLATION)


def uids_by_prefix(*, text: str, limit: int) -> list[int]:
    """Up to ``limit`` people whose user name begins so, as many whose name does, and as many with words
    that begin like all words of the text; each once. Without those whose accounts are closed. One command.
    """
    first, *others = (_part(field, text, limit) for field in ("username", "display_name"))
    if words := split_names(text):
        others.append(_with_words(words, limit))
    unions = [{"$unionWith": {"coll": users().name, "pipeline": part}} for part in others]
    found = users().aggregate(
        [*first, *unions], collation=COLLATION, batchSize=len(SEARCHED_FIELDS) * limit + 1
    )
    return list(dict.fromkeys(row["_id"] for row in found))


def _with_words(words: list[str], limit: int) -> list[Document]:
    """The longest word is looked up, and the rest sought in ``EXAMINED`` of those who have it."""
    first, *others = sorted(words, key=len, reverse=True)[:MAX_NAME_WORDS]
    begins: list[Document] = [
        {"name_words": {"$elemMatch": {"$gte": word, "$lt": word + RANGE_END}}}
        for word in (first, *others)
    ]
    return [
        {"$match": {**begins[0], "is_active": True}},
        {"$limit": MAX_EXAMINED if others else limit},
        *({"$match": one} for one in begins[1:]),
        {"$limit": limit},
        {"$project": {"_id": 1}},
    ]


def _part(field: str, text: str, limit: int) -> list[Document]:
    begins = {"$gte": text, "$lt": text + RANGE_END}
    return [
        {"$match": {field: begins, "is_active": True}},
        {"$sort": {field: ASCENDING}},
        {"$limit": limit},
        {"$project": {"_id": 1}},
    ]
