"""Who has asked to follow whom, and waits for an answer.

    follow_requests {_id: request id, follower, followee, at}

Unique on (follower, followee). The id is the moment of asking and the cursor of the list.
"""

from dataclasses import dataclass
from datetime import datetime

from pymongo import ASCENDING, DESCENDING

from .collections import follow_requests, session
from .pages import page


@dataclass(frozen=True, slots=True)
class Request:
    id: int
    follower: int
    followee: int


def prepare() -> None:
    requests = follow_requests()
    requests.create_index([("follower", ASCENDING), ("followee", ASCENDING)], unique=True)
    requests.create_index([("followee", ASCENDING), ("_id", DESCENDING)])


def exists(*, follower: int, followee: int) -> bool:
    query = {"follower": follower, "followee": followee}
    return follow_requests().find_one(query, {"_id": 1}, session=session()) is not None


def insert(*, request: Request, at: datetime) -> None:
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


def delete(*, follower: int, followee: int) -> bool:
    """Whether there was one."""
    query = {"follower": follower, "followee": followee}
    return bool(follow_requests().delete_one(query, session=session()).deleted_count)


def delete_all_of(*, uid: int) -> None:
    """Those they made, and those made to them."""
    follow_requests().delete_many({"$or": [{"follower": uid}, {"followee": uid}]})


def page_of_requests(
    *, followee: int, below: int | None, above: int | None, limit: int
) -> list[Request]:
    """The newest requests to a person, newest first; see ``pages.page``."""
    found = page(
        collection=follow_requests(),
        query={"followee": followee},
        below=below,
        above=above,
        limit=limit,
    )
    return [Request(one["_id"], one["follower"], one["followee"]) for one in found]


def count(*, followee: int) -> int:
    return follow_requests().count_documents({"followee": followee})
