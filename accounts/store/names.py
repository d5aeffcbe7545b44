"""Finding people by how their user name, their name, or a word of these begins.

    accounts_user {..., username, display_name, name_words: [..]}     an index of each, with a collation

By the collation, capitals, accents and the width of letters make no difference, in any script (Unicode's
root order, primary strength). So names are kept as people write them.
"""

from pymongo import ASCENDING
from pymongo.collation import Collation, CollationStrength

from accounts.name_words import MOST_WORDS, words_of

from .collections import Document, people

FIELDS = ("username", "display_name", "name_words")
COLLATION = Collation("en", strength=CollationStrength.PRIMARY)
EXAMINED = 2_000
LAST = "\uffff"
"""Comes after every character in Unicode's collation, made for ends of ranges (UTS #35)."""


def prepare() -> None:
    for field in FIELDS:
        people().create_index([(field, ASCENDING)], name=f"{field}_begins", collation=COLLATION)


def beginning_with(*, text: str, limit: int) -> list[int]:
    """Up to ``limit`` people whose user name begins so, as many whose name does, and as many with words
    that begin like all words of the text; each once. Without those whose accounts are closed. One command.
    """
    first, *others = (_part(field, text, limit) for field in ("username", "display_name"))
    if words := words_of(text):
        others.append(_with_words(words, limit))
    unions = [{"$unionWith": {"coll": people().name, "pipeline": part}} for part in others]
    found = people().aggregate(
        [*first, *unions], collation=COLLATION, batchSize=len(FIELDS) * limit + 1
    )
    return list(dict.fromkeys(row["_id"] for row in found))


def _with_words(words: list[str], limit: int) -> list[Document]:
    """The longest word is looked up, and the rest sought in ``EXAMINED`` of those who have it."""
    first, *others = sorted(words, key=len, reverse=True)[:MOST_WORDS]
    begins: list[Document] = [
        {"name_words": {"$elemMatch": {"$gte": word, "$lt": word + LAST}}}
        for word in (first, *others)
    ]
    return [
        {"$match": {**begins[0], "is_active": True}},
        {"$limit": EXAMINED if others else limit},
        *({"$match": one} for one in begins[1:]),
        {"$limit": limit},
        {"$project": {"_id": 1}},
    ]


def _part(field: str, text: str, limit: int) -> list[Document]:
    begins = {"$gte": text, "$lt": text + LAST}
    return [
        {"$match": {field: begins, "is_active": True}},
        {"$sort": {field: ASCENDING}},
        {"$limit": limit},
        {"$project": {"_id": 1}},
    ]
