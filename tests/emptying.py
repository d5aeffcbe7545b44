"""Empties the test database between tests and between histories."""

from collections.abc import Set

from django.db import connection


def empty_the_database(*, but: Set[str]) -> None:
    """Delete all documents. One question finds the collections that have any, whoever wrote them."""
    database = connection.database
    names = [
        name
        for name in database.list_collection_names(filter={"type": "collection"})
        if name not in but and not name.startswith("system.")
    ]
    first, *others = (
        [{"$limit": 1}, {"$project": {"_id": 0, "name": {"$literal": name}}}] for name in names
    )
    unions = [
        {"$unionWith": {"coll": name, "pipeline": one}}
        for name, one in zip(names[1:], others, strict=True)
    ]
    for found in database[names[0]].aggregate([*first, *unions]):
        database[found["name"]].delete_many({})
