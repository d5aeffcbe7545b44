"""Designs of the follow graph: edges and audience buckets, or arrays in the documents of users.

Both designs write a follow in one transaction. The first design writes the edge and the audience bucket,
like ``accounts.store``. The second design writes the arrays of followers and of followed users.

The services of the site are not used, because they call ``new_id``, which does not work in the temporary
database. The checks of the services would cost the same in both designs.
"""

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from django.utils import timezone

from .database import Document, connection, insert_batches

BUCKET_CAPACITY = 1000
PAGE_SIZE = 20


class FollowDesign(Protocol):
    """A design that stores the followers of one author. ``load_followers`` replaces all followers."""

    @property
    def collections(self) -> tuple[str, ...]: ...

    def load_followers(self, *, author: int, followers: list[int]) -> None: ...
    def follow(self, *, follower: int) -> None: ...
    def unfollow(self, *, follower: int) -> None: ...
    def newest_followers(self) -> list[int]: ...
    def followers_among(self, *, uids: list[int]) -> set[int]: ...


class EdgeDesign:
    collections = ("follow_edges", "audience_buckets")

    def load_followers(self, *, author: int, followers: list[int]) -> None:
        self._author, self._last = author, len(followers)
        edges, buckets = (connection.database[name] for name in self.collections)
        edges.delete_many({})
        buckets.delete_many({})
        now = timezone.now()

        def new_edges() -> Iterator[Document]:
            for i, uid in enumerate(followers):
                yield {
                    "_id": author + i,
                    "follower": uid,
                    "followee": author,
                    "at": now,
                    "bucket": i // BUCKET_CAPACITY,
                }

        insert_batches(collection=edges, documents=new_edges())
        parts = [
            followers[at : at + BUCKET_CAPACITY] for at in range(0, len(followers), BUCKET_CAPACITY)
        ]
        insert_batches(
            collection=buckets,
            documents=(
                {"author": author, "seq": seq, "uids": uids, "n": len(uids)}
                for seq, uids in enumerate(parts)
            ),
        )

    def follow(self, *, follower: int) -> None:
        self._last += 1
        _in_transaction(lambda session: self._follow(follower, session))

    def _follow(self, follower: int, session: Any) -> None:
        edges, buckets = (connection.database[name] for name in self.collections)
        author = self._author
        open_bucket = buckets.find_one_and_update(
            {"author": author, "n": {"$lt": BUCKET_CAPACITY}},
            {"$push": {"uids": follower}, "$inc": {"n": 1}},
            sort=[("seq", -1)],
            projection={"seq": 1},
            hint=[("author", 1), ("seq", -1), ("n", 1)],
            session=session,
        )
        seq = (self._last - 1) // BUCKET_CAPACITY if open_bucket is None else open_bucket["seq"]
        if open_bucket is None:
            bucket = {"author": author, "seq": seq, "uids": [follower], "n": 1}
            buckets.insert_one(bucket, session=session)
        edge = {"_id": author + self._last, "follower": follower, "followee": author}
        edges.insert_one({**edge, "at": timezone.now(), "bucket": seq}, session=session)

    def unfollow(self, *, follower: int) -> None:
        _in_transaction(lambda session: self._unfollow(follower, session))

    def _unfollow(self, follower: int, session: Any) -> None:
        edges, buckets = (connection.database[name] for name in self.collections)
        author = self._author
        edge = edges.find_one({"follower": follower, "followee": author}, session=session)
        buckets.update_one(
            {"author": author, "seq": edge["bucket"], "uids": follower},
            {"$pull": {"uids": follower}, "$inc": {"n": -1}},
            session=session,
        )
        edges.delete_one({"_id": edge["_id"]}, session=session)

    def newest_followers(self) -> list[int]:
        edges = connection.database["follow_edges"]
        documents = edges.find({"followee": self._author}).sort("_id", -1).limit(PAGE_SIZE)
        return [document["follower"] for document in documents]

    def followers_among(self, *, uids: list[int]) -> set[int]:
        edges = connection.database["follow_edges"]
        query = {"followee": self._author, "follower": {"$in": uids}}
        documents = edges.find(query, {"_id": 0, "follower": 1})
        return {
            document["follower"] for document in documents.hint([("follower", 1), ("followee", 1)])
        }


class ArrayDesign:
    collections = ("array_people",)

    def load_followers(self, *, author: int, followers: list[int]) -> None:
        self._author, self._users = author, connection.database["array_people"]
        self._users.delete_many({})
        self._users.insert_one({"_id": author, "followers": followers, "following": []})
        insert_batches(
            collection=self._users,
            documents=({"_id": uid, "followers": [], "following": [author]} for uid in followers),
        )

    def follow(self, *, follower: int) -> None:
        _in_transaction(lambda session: self._follow(follower, session))

    def _follow(self, follower: int, session: Any) -> None:
        author = self._author
        self._users.update_one(
            {"_id": author, "followers": {"$ne": follower}},
            {"$push": {"followers": follower}},
            session=session,
        )
        self._users.update_one(
            {"_id": follower, "following": {"$ne": author}},
            {"$push": {"following": author}},
            upsert=True,
            session=session,
        )

    def unfollow(self, *, follower: int) -> None:
        _in_transaction(lambda session: self._unfollow(follower, session))

    def _unfollow(self, follower: int, session: Any) -> None:
        author = self._author
        for owner, field, other in (
            (author, "followers", follower),
            (follower, "following", author),
        ):
            self._users.update_one({"_id": owner}, {"$pull": {field: other}}, session=session)

    def newest_followers(self) -> list[int]:
        document = self._users.find_one(
            {"_id": self._author}, {"followers": {"$slice": -PAGE_SIZE}}
        )
        return list(document["followers"])

    def followers_among(self, *, uids: list[int]) -> set[int]:
        matching = {"$setIntersection": ["$followers", {"$literal": uids}]}
        document = self._users.find_one({"_id": self._author}, {"_id": 0, "matching": matching})
        return set(document["matching"])


def _in_transaction(work: Callable[[Any], None]) -> None:
    with connection.database.client.start_session() as session:
        session.with_transaction(work)
