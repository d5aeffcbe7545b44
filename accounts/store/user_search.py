"""Find users by their search keys (``accounts.search_keys``).

    accounts_user {..., search_keys: [..]}     one multikey index

A query reads ranges of the index that begin with a word, and at most ``MAX_EXAMINED`` users of each range.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from pymongo import ASCENDING, UpdateOne

from accounts.infra.store.connection import Document
from accounts.search_keys import BIO, NAME, SOURCE_FIELDS, TYPO, deletions, keys_of

from .collections import users

INDEX = [("search_keys", ASCENDING), ("_id", ASCENDING)]
MAX_EXAMINED = 2_000
NAME_MATCH, BIO_MATCH = 0, 1


@dataclass(frozen=True, slots=True)
class Match:
    """A user whose names (``NAME_MATCH``) or names and bio (``BIO_MATCH``) have all words of a query."""

    uid: int
    username: str
    display_name: str
    kind: int


def create_indexes() -> None:
    users().create_index(INDEX)


def matches(
    *, words: Sequence[str], limit: int, uids: Collection[int] | None = None
) -> list[Match]:
    """Return active users with words that begin with these words, name matches first. One command.

    Args:
        words: folded words, at least one.
        limit: the maximum number of name matches, and of bio matches.
        uids: find only these users. None finds all users.
    """
    ordered = sorted(words, key=len, reverse=True)
    in_names = [_prefix(NAME, word) for word in ordered]
    anywhere = [{"$in": [_prefix(NAME, word), _prefix(BIO, word)]} for word in ordered]
    return _find(
        [_pipeline(in_names, NAME_MATCH, limit, uids), _pipeline(anywhere, BIO_MATCH, limit, uids)],
        limit,
    )


def similar_matches(*, words: Sequence[str], limit: int) -> list[Match]:
    """Return active users each of whose words has one letter more, less or different. One command.

    The result may contain users with two differences. The caller checks the names.
    """
    ordered = sorted(words, key=len, reverse=True)
    conditions = [{"$in": [_prefix(NAME, word), *_similar_keys(word)]} for word in ordered]
    return _find([_pipeline(conditions, NAME_MATCH, limit, None)], limit)


def _similar_keys(word: str) -> list[str]:
    shorter = deletions(word)
    if not shorter:
        return []
    return [TYPO + word, *(NAME + part for part in shorter), *(TYPO + part for part in shorter)]


def _prefix(kind: str, word: str) -> re.Pattern[str]:
    # Without re.ASCII, the driver sends the flag "u", and with a flag the server reads the whole index.
    return re.compile("^" + re.escape(kind + word), re.ASCII)


def _pipeline(
    conditions: Sequence[Any], kind: int, limit: int, uids: Collection[int] | None
) -> list[Document]:
    """Match users whose keys meet all conditions. The index is read for the first condition only."""
    first, *others = conditions
    among = {} if uids is None else {"_id": {"$in": list(uids)}}
    return [
        {"$match": {"search_keys": first, "is_active": True, **among}},
        {"$limit": MAX_EXAMINED if others else limit},
        *({"$match": {"search_keys": condition}} for condition in others),
        {"$limit": limit},
        {"$project": {"username": 1, "display_name": 1, "kind": {"$literal": kind}}},
    ]


def _find(pipelines: list[list[Document]], limit: int) -> list[Match]:
    first, *others = pipelines
    unions = [{"$unionWith": {"coll": users().name, "pipeline": part}} for part in others]
    rows = users().aggregate([*first, *unions], batchSize=len(pipelines) * limit + 1)
    matches_by_uid: dict[int, Match] = {}
    for row in rows:
        match = Match(row["_id"], row["username"], row["display_name"], row["kind"])
        matches_by_uid.setdefault(match.uid, match)
    return list(matches_by_uid.values())


def count_users() -> int:
    return users().estimated_document_count()


def rebuild_keys(*, after: int, limit: int, is_dry_run: bool = False) -> tuple[int, int, int]:
    """Correct the keys of the next ``limit`` users after a uid. At most two commands.

    A user who changes meanwhile is left out, because saving a user writes the keys.

    Returns:
        The number of examined users, the number of users with other keys, and the last uid (0: no user).
    """
    fields = dict.fromkeys((*SOURCE_FIELDS, "search_keys"), 1)
    rows = list(users().find({"_id": {"$gt": after}}, fields).sort("_id", ASCENDING).limit(limit))
    updates = []
    for row in rows:
        source = {field: row[field] for field in SOURCE_FIELDS}
        if (keys := keys_of(**source)) != row.get("search_keys"):
            query = {"_id": row["_id"], **source}
            updates.append(UpdateOne(query, {"$set": {"search_keys": keys}}))
    if updates and not is_dry_run:
        users().bulk_write(updates, ordered=False)
    return len(rows), len(updates), rows[-1]["_id"] if rows else 0
