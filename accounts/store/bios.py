"""The bios of users, which lists of users show."""

from collections.abc import Iterable, Sequence

from accounts.infra.store.connection import Document
from accounts.infra.store.unions import Query

from .collections import users


def bio_queries(*, uids: Sequence[int]) -> list[Query]:
    """Return the query for the bios of these users, to read it with others in one command."""
    with_bio = {"_id": {"$in": list(uids)}, "bio": {"$gt": ""}}
    return [(users().name, [{"$match": with_bio}, {"$project": {"bio": 1}}])] if uids else []


def bios_in(*, documents: Iterable[Document]) -> dict[int, str]:
    """Return the bios by uid in a result that includes that of ``bio_queries``."""
    return {document["_id"]: document["bio"] for document in documents if "bio" in document}
