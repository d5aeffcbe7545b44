"""A list that is too long for one document: numbered parts, or a first part that lists the others.

The second is the ``tbc`` ("to be continued") array: the first document holds the ids of all that follow.
Both hold the same audience here, in parts of a thousand people. With numbers, the edge of a follow
remembers the part, so that to take somebody out touches that one alone; with a list, one has to look.
"""

from statistics import median
from time import perf_counter
from typing import Any, Protocol

from .throwaway import connection, insert
from .watch import Watch
from .workload import Workload

PART = 1000
AUTHOR = 1

Figures = dict[str, Any]


class Continued(Protocol):
    def load(self, *, people: list[int]) -> None: ...

    def part(self, *, number: int) -> list[int]:
        """The people of one part."""

    def remove(self, *, uid: int, number: int) -> bool:
        """Take out somebody who is in this part."""

    def open(self, *, number: int) -> None:
        """Begin another part at the end."""


def measure(*, parts: int, samples: int, watch: Watch) -> Figures:
    """``<numbered|listed>``: {parts, reach_ms, remove_ms, open_ms, first_document}, medians: to read a part
    somewhere, to take one person out, to begin another part; and the bytes of the first document in the
    end."""
    people = Workload(readers=parts * PART).readers
    designs: list[tuple[str, Continued]] = [("numbered", Numbered()), ("listed", Listed())]
    found: Figures = {}
    for name, design in designs:
        watch.begin(label=f"Continuation: {name}", total=samples + 1)
        design.load(people=people)
        watch.step()
        times: dict[str, list[float]] = {"reach_ms": [], "remove_ms": [], "open_ms": []}
        for i in range(samples):
            number = (i * 7919 + parts * 9 // 10) % parts
            began = perf_counter()
            part = design.part(number=number)
            reached = perf_counter()
            is_removed = design.remove(uid=part[-1], number=number)
            removed = perf_counter()
            design.open(number=parts + i)
            opened = perf_counter()
            if not is_removed:
                raise LookupError(f"{name}: part {number} has lost somebody.")
            times["reach_ms"].append(reached - began)
            times["remove_ms"].append(removed - reached)
            times["open_ms"].append(opened - removed)
            watch.step()
        found[name] = {
            "parts": parts,
            **{key: round(median(some) * 1000, 3) for key, some in times.items()},
            "first_document": _first_document(name),
        }
    return found


class Numbered:
    """``{author, seq, uids, n}``; unique (author, seq). A person's part is known by its number."""

    def load(self, *, people: list[int]) -> None:
        self._parts = connection.database["numbered"]
        self._parts.create_index([("author", 1), ("seq", 1)], unique=True)
        insert(
            collection=self._parts,
            documents=(
                {"author": AUTHOR, "seq": at // PART, "uids": people[at : at + PART], "n": PART}
                for at in range(0, len(people), PART)
            ),
            at_once=500,
        )

    def part(self, *, number: int) -> list[int]:
        return list(self._parts.find_one({"author": AUTHOR, "seq": number})["uids"])

    def remove(self, *, uid: int, number: int) -> bool:
        query = {"author": AUTHOR, "seq": number, "uids": uid}
        done = self._parts.update_one(query, {"$pull": {"uids": uid}, "$inc": {"n": -1}})
        return bool(done.modified_count)

    def open(self, *, number: int) -> None:
        self._parts.insert_one({"author": AUTHOR, "seq": number, "uids": [], "n": 0})


class Listed:
    """``{_id, uids, tbc: [ids]}``. To reach a part is two commands, to begin one is two writes, and
    who dies between them leaves a part that nobody finds. Where somebody is, only a search tells."""

    def load(self, *, people: list[int]) -> None:
        self._parts = connection.database["listed"]
        ids = list(range(2, 1 + len(people) // PART))
        insert(
            collection=self._parts,
            documents=(
                {"_id": 1 + at // PART, "uids": people[at : at + PART], "n": PART}
                | ({"tbc": ids} if at == 0 else {})
                for at in range(0, len(people), PART)
            ),
            at_once=500,
        )

    def part(self, *, number: int) -> list[int]:
        if number == 0:
            return list(self._parts.find_one({"_id": AUTHOR})["uids"])
        first = self._parts.find_one(
            {"_id": AUTHOR}, {"tbc": {"$slice": [number - 1, 1]}, "uids": 0}
        )
        return list(self._parts.find_one({"_id": first["tbc"][0]})["uids"])

    def remove(self, *, uid: int, number: int) -> bool:
        first = self._parts.find_one({"_id": AUTHOR}, {"tbc": 1})
        query = {"_id": {"$in": [AUTHOR, *first["tbc"]]}, "uids": uid}
        done = self._parts.update_one(query, {"$pull": {"uids": uid}, "$inc": {"n": -1}})
        return bool(done.modified_count)

    def open(self, *, number: int) -> None:
        self._parts.insert_one({"_id": number + 1, "uids": [], "n": 0})
        self._parts.update_one({"_id": AUTHOR}, {"$push": {"tbc": number + 1}})


def _first_document(name: str) -> int:
    query = {"seq": 0} if name == "numbered" else {"_id": AUTHOR}
    sized = connection.database[name].aggregate(
        [{"$match": query}, {"$project": {"bytes": {"$bsonSize": "$$ROOT"}}}]
    )
    return sum(int(one["bytes"]) for one in sized)
