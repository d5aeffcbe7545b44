"""Lists of people that somebody keeps, to read them apart; nobody else sees them.

user_lists {_id: owner, lists: [<= 50: {id, title, uids: [<= 500]}]}
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pymongo.errors import DuplicateKeyError

from accounts.infra.store.connection import Document

from .collections import user_lists

MAX_LISTS = 50
MAX_USERS = 500


@dataclass(frozen=True, slots=True)
class UserList:
    id: int
    title: str
    uids: list[int]


def lists_of(*, owner: int) -> list[UserList]:
    """In the order in which they were made: one command."""
    found = user_lists().find_one({"_id": owner})
    return [] if found is None else [_list(list_) for list_ in found["lists"]]


def get_list(*, owner: int, id: int) -> UserList | None:
    found = user_lists().find_one({"_id": owner, "lists.id": id}, {"lists.$": 1})
    return None if found is None else _list(found["lists"][0])


def create_list(*, owner: int, id: int, title: str) -> bool:
    """False if there are as many as one may have."""
    room = {"_id": owner, f"lists.{MAX_LISTS - 1}": {"$exists": False}}
    made = {"id": id, "title": title, "uids": []}
    try:
        user_lists().update_one(room, {"$push": {"lists": made}}, upsert=True)
    except DuplicateKeyError:  # there is the document, without room; or two made the first at once
        return bool(user_lists().update_one(room, {"$push": {"lists": made}}).matched_count)
    return True


def rename_list(*, owner: int, id: int, title: str) -> None:
    user_lists().update_one({"_id": owner, "lists.id": id}, {"$set": {"lists.$.title": title}})


def delete_list(*, owner: int, id: int) -> None:
    user_lists().update_one({"_id": owner}, {"$pull": {"lists": {"id": id}}})


def add_user(*, owner: int, id: int, uid: int) -> bool:
    """Whether the person is on the list now; False if it is full or gone."""
    room: Document = {"id": id, "uids": {"$ne": uid}, f"uids.{MAX_USERS - 1}": {"$exists": False}}
    pushed = user_lists().update_one(
        {"_id": owner, "lists": {"$elemMatch": room}}, {"$push": {"lists.$.uids": uid}}
    )
    if pushed.matched_count:
        return True
    found = get_list(owner=owner, id=id)
    return found is not None and uid in found.uids


def remove_users(*, owner: int, id: int, uids: Sequence[int]) -> None:
    change = {"$pullAll": {"lists.$.uids": list(uids)}}
    user_lists().update_one({"_id": owner, "lists.id": id}, change)


def _list(document: Document) -> UserList:
    return UserList(id=document["id"], title=document["title"], uids=document["uids"])
