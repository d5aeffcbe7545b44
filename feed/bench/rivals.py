"""What the default strategy is compared with: the least that can be done, and what was published."""

from typing import Any

from feed.store.collections import inbox_heads
from feed.store.sealing import BUCKET_SIZE, SEAL_AT

from .throwaway import connection

Collection = Any  # a driver's collection; only stores import the driver


class Bare:
    """The one command of a delivery and nothing else, in a copy of the same heads.

    Arrays that only grow would make it slower than it is. So ``trim``, which is not timed, cuts after
    every post those that are as long as a head may get, just as far as sealing would: both loops
    always push to arrays of the same lengths, with the same past.
    """

    def __init__(self) -> None:
        inbox_heads().aggregate([{"$out": "bare_heads"}])
        self._heads: Collection = connection.database["bare_heads"]

    def deliver(self, *, activity: int, readers: list[int]) -> None:
        self._heads.update_many(
            {"_id": {"$in": readers}, "ids": {"$ne": activity}},
            {"$push": {"ids": activity}, "$inc": {"n": 1}},
        )

    def trim(self) -> None:
        cut = SEAL_AT - BUCKET_SIZE
        shorter = {"ids": {"$slice": ["$ids", cut, SEAL_AT]}, "n": {"$subtract": ["$n", cut]}}
        self._heads.update_many({"n": {"$gte": SEAL_AT}}, [{"$set": shorter}])


class CountedAsPublished:
    """A counter on the user, ``floor(count / 50)``, push: two round trips for each recipient.

    From Asya Kamsky, Darren Wood and Antoine Girbal, "Socialite", MongoDB World 2014. Left as it was,
    with its short first bucket and the hole it gets when a writer dies between the two commands. Like
    the others it waits for the write concern of the connection.
    """

    def __init__(self) -> None:
        self._users: Collection = connection.database["counted_users"]
        self._buckets: Collection = connection.database["counted_buckets"]
        self._buckets.create_index([("owner", 1), ("seq", 1)], unique=True)

    def deliver(self, *, activity: int, readers: list[int]) -> None:
        for owner in readers:
            user = self._users.find_one_and_update(
                {"_id": owner}, {"$inc": {"count": 1}}, upsert=True, return_document=True
            )
            self._buckets.update_one(
                {"owner": owner, "seq": user["count"] // BUCKET_SIZE},
                {"$push": {"ids": activity}},
                upsert=True,
            )
