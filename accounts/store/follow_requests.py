"""Pending follow requests.

    follow_requests {_id: request id, follower, followee, at, notify?}

Unique on (follower, followee). The id contains the time of the request and is the cursor of the list.
The edge of an accepted request gets its ``notify``.
"""

from datetime import datetime

from pymongo import ASCENDING, DESCENDING

from accounts.infra.cursors import PageBounds
from accounts.infra.store.connection import Document, session

from .collections import find_page, follow_requests, users


def create_indexes() -> None:
    requests = follow_requests()
    requests.create_index([("follower", ASCENDING), ("followee", ASCENDING)], unique=True)
    requests.create_index([("followee", ASCENDING), ("_id", DESCENDING)])


def has_request(*, follower: int, followee: int) -> bool:
    query = {"follower": follower, "followee": followee}
    return follow_requests().find_one(query, {"_id": 1}, session=session()) is not None


def insert_request(*, id: int, follower: int, followee: int, at: datetime) -> None:
    """Insert a request. Raises DuplicateKeyError if the request already exists."""
    document = {"_id": id, "follower": follower, "followee": followee, "at": at}
    follow_requests().insert_one(document, session=session())


def delete_request(*, follower: int, followee: int) -> bool:
    """Delete a request. Return whether there was one."""
    query = {"follower": follower, "followee": followee}
    return bool(follow_requests().delete_one(query, session=session()).deleted_count)


def set_notify(*, follower: int, followee: int, is_on: bool) -> bool:
    """Set or remove ``notify`` of a request. Return False if there is no request. Safe to repeat."""
    change = {"$set": {"notify": True}} if is_on else {"$unset": {"notify": 1}}
    pair = {"follower": follower, "followee": followee}
    return bool(follow_requests().update_one(pair, change, session=session()).matched_count)


def has_notify(*, follower: int, followee: int) -> bool:
    """Return whether there is a request with ``notify``."""
    query = {"follower": follower, "followee": followee, "notify": True}
    return follow_requests().find_one(query, {"_id": 1}, session=session()) is not None


def delete_all_of_user(*, uid: int) -> None:
    """Delete all requests that this user sent or received."""
    follow_requests().delete_many({"$or": [{"follower": uid}, {"followee": uid}]})


def requests_page(*, followee: int, bounds: PageBounds) -> list[tuple[int, int]]:
    """Return (request id, follower) of a page of the requests to a user, newest first."""
    query = {"followee": followee}
    rows = find_page(collection=follow_requests(), query=query, bounds=bounds)
    return [(row["_id"], row["follower"]) for row in rows]


def count_requests(*, followee: int) -> int:
    return follow_requests().count_documents({"followee": followee})


def unlocked_users() -> list[int]:
    """Return the users with requests who no longer approve followers. Reads an index key for each user."""
    join = {"from": users().name, "localField": "_id", "foreignField": "_id", "as": "account"}
    stages: list[Document] = [{"$group": {"_id": "$followee"}}, {"$lookup": join}]
    rows = follow_requests().aggregate([*stages, {"$match": {"account.is_private": False}}])
    return [row["_id"] for row in rows]
