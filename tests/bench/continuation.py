"""Compare designs of a list that is too long for one document: numbered parts, or listed parts.

With listed parts, the first document has a ``tbc`` ("to be continued") array with the ids of all other
documents. Both designs store the same audience in parts of a thousand users. With numbered parts, the edge
of a follow stores the number of the part, so a removal updates only this part. With listed parts, a removal
has to search for the user.
"""

from statistics import median
from time import perf_counter
from typing import Any, Protocol

from .database import connection, insert_batches
from .progress import ProgressListener
from .workload import Workload

PART_SIZE = 1000
AUTHOR_ID = 1

Figures = dict[str, Any]


class ContinuationDesign(Protocol):
    def load_parts(self, *, uids: list[int]) -> None: ...

    def read_part(self, *, number: int) -> list[int]:
        """Return the users of a part."""

    def remove_uid(self, *, uid: int, number: int) -> bool:
        """Remove a user from a part. Return whether the user was found."""

    def add_part(self, *, number: int) -> None:
        """Append an empty part."""


def measure(*, parts: int, samples: int, progress: ProgressListener) -> Figures:
    """Return ``<numbered|listed>``: {parts, reach_ms, remove_ms, open_ms, first_document}.

    The times are medians: read a part, remove a user, append a part. ``first_document`` is the size of the
    first document at the end, in bytes.
    """
    uids = Workload(user_count=parts * PART_SIZE).uids
    designs: list[tuple[str, ContinuationDesign]] = [
        ("numbered", NumberedParts()),
        ("listed", ListedParts()),
    ]
    results: Figures = {}
    for name, design in designs:
        progress.start_step(label=f"Continuation: {name}", total=samples + 1)
        design.load_parts(uids=uids)
        progress.step()
        times: dict[str, list[float]] = {"reach_ms": [], "remove_ms": [], "open_ms": []}
        for i in range(samples):
            number = (i * 7919 + parts * 9 // 10) % parts
            began = perf_counter()
            part = design.read_part(number=number)
            reached = perf_counter()
            is_removed = design.remove_uid(uid=part[-1], number=number)
            removed = perf_counter()
            design.add_part(number=parts + i)
            opened = perf_counter()
            if not is_removed:
                raise LookupError(f"{name}: part {number} has lost a user.")
            times["reach_ms"].append(reached - began)
            times["remove_ms"].append(removed - reached)
            times["open_ms"].append(opened - removed)
            progress.step()
        results[name] = {
            "parts": parts,
            **{key: round(median(seconds) * 1000, 3) for key, seconds in times.items()},
            "first_document": _first_document(name),
        }
    return results


class NumberedParts:
    """Documents ``{author, seq, uids, n}``. A part is found by the unique (author, seq)."""

    def load_parts(self, *, uids: list[int]) -> None:
        self._parts = connection.database["numbered"]
        self._parts.create_index([("author", 1), ("seq", 1)], unique=True)
        insert_batches(
            collection=self._parts,
            documents=(
                {
                    "author": AUTHOR_ID,
                    "seq": at // PART_SIZE,
                    "uids": uids[at : at + PART_SIZE],
                    "n": PART_SIZE,
                }
                for at in range(0, len(uids), PART_SIZE)
            ),
            batch_size=500,
        )

    def read_part(self, *, number: int) -> list[int]:
        return list(self._parts.find_one({"author": AUTHOR_ID, "seq": number})["uids"])

    def remove_uid(self, *, uid: int, number: int) -> bool:
        query = {"author": AUTHOR_ID, "seq": number, "uids": uid}
        done = self._parts.update_one(query, {"$pull": {"uids": uid}, "$inc": {"n": -1}})
        return bool(done.modified_count)

    def add_part(self, *, number: int) -> None:
        self._parts.insert_one({"author": AUTHOR_ID, "seq": number, "uids": [], "n": 0})


class ListedParts:
    """Documents ``{_id, uids, tbc: [ids]}``. The first document lists the ids of the other documents.

    Reading a part takes two commands. Appending a part takes two writes. A process that dies between the
    writes leaves a part that is not listed. The part of a user can only be found by a search.
    """

    def load_parts(self, *, uids: list[int]) -> None:
        self._parts = connection.database["listed"]
        ids = list(range(2, 1 + len(uids) // PART_SIZE))
        insert_batches(
            collection=self._parts,
            documents=(
                {"_id": 1 + at // PART_SIZE, "uids": uids[at : at + PART_SIZE], "n": PART_SIZE}
                | ({"tbc": ids} if at == 0 else {})
                for at in range(0, len(uids), PART_SIZE)
            ),
            batch_size=500,
        )

    def read_part(self, *, number: int) -> list[int]:
        if number == 0:
            return list(self._parts.find_one({"_id": AUTHOR_ID})["uids"])
        first = self._parts.find_one(
            {"_id": AUTHOR_ID}, {"tbc": {"$slice": [number - 1, 1]}, "uids": 0}
        )
        return list(self._parts.find_one({"_id": first["tbc"][0]})["uids"])

    def remove_uid(self, *, uid: int, number: int) -> bool:
        first = self._parts.find_one({"_id": AUTHOR_ID}, {"tbc": 1})
        query = {"_id": {"$in": [AUTHOR_ID, *first["tbc"]]}, "uids": uid}
        done = self._parts.update_one(query, {"$pull": {"uids": uid}, "$inc": {"n": -1}})
        return bool(done.modified_count)

    def add_part(self, *, number: int) -> None:
        self._parts.insert_one({"_id": number + 1, "uids": [], "n": 0})
        self._parts.update_one({"_id": AUTHOR_ID}, {"$push": {"tbc": number + 1}})


def _first_document(name: str) -> int:
    query = {"seq": 0} if name == "numbered" else {"_id": AUTHOR_ID}
    sized = connection.database[name].aggregate(
        [{"$match": query}, {"$project": {"bytes": {"$bsonSize": "$$ROOT"}}}]
    )
    return sum(int(document["bytes"]) for document in sized)
