"""Who has asked to follow whom, and waits for an answer.

    follow_requests {_id: request id, follower, followee, at}

Unique on (follower, followee). The id is the moment of asking and the cursor of the list.
"""

from dataclasses import dataclass
from datetime import datetime

from pymongo import ASCENDING, DESCENDING

from .collections import follow_requests, session
from .pages import find_page


@dataclass(frozen=True, slots=True)
class FollowRequest:
    id: int
    follower: int
    followee: int


def create_indexes() -> None:
    requests = follow_requests()
    requests.create_index([("follower", ASCENDING), ("followee", ASCENDING)], unique=True)
    requests.create_index([("followee", ASCENDING), ("_id", DESCENDING)])


def has_request(*, follower: int, followee: int) -> bool:
    query = {"follower": follower, "followee": followee}
    return follow_requests().find_one(query, {"_id": 1}, session=session()) is not None


def insert_request(*, request: FollowRequest, at: datetime) -> None:
    """Raises DuplicateKeyError if the follower has asked already."""
    follow_requests().insert_one(
        {
            "_id": request.id,
            "follower": request.follower,
            "followee": request.followee,
            "at": at,
        },
        session=session(),
    )


def delete_request(*, follower: int, followee: int) -> bool:
    """Whether there was one."""
    query = {"follower": follower, "followee": followee}
    return bool(follow_requests().delete_one(query, session=session()).deleted_count)


def delete_all_of_user(*, uid: int) -> None:
    """Those they made, and those made to them."""
    follow_requests().delete_many({"$or": [{"follower": uid}, {"followee": uid}]})


def requests_page(
    *, followee: int, below: int | None, above: int | None, limit: int
) -> list[FollowRequest]:
    """The newest requests to a person, newest first; see ``pages.page``."""
    found = find_page(
        collection=follow_requests(),
        query={"followee": followee},
        below=below,
        above=above,
        limit=limit,
    )
    return [FollowRequest(one["_id"], one["follower"], one["followee"]) for one in found]


def count_requests(*, followee: int) -> int:
    return follow_requests().count_documents({"followee": followee})
