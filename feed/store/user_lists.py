"""User lists: named lists of followed users. Only the owner sees a list.

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
    """Return the lists of an owner in order of creation. One command."""
    document = user_lists().find_one({"_id": owner})
    return [] if document is None else [_user_list(element) for element in document["lists"]]


def get_list(*, owner: int, id: int) -> UserList | None:
    document = user_lists().find_one({"_id": owner, "lists.id": id}, {"lists.$": 1})
    return None if document is None else _user_list(document["lists"][0])


def create_list(*, owner: int, id: int, title: str) -> bool:
    """Create an empty list. Return False if the owner has ``MAX_LISTS``."""
    room = {"_id": owner, f"lists.{MAX_LISTS - 1}": {"$exists": False}}
    new_list = {"id": id, "title": title, "uids": []}
    try:
        user_lists().update_one(room, {"$push": {"lists": new_list}}, upsert=True)
    except DuplicateKeyError:  # the document is full, or another process just inserted it
        return bool(user_lists().update_one(room, {"$push": {"lists": new_list}}).matched_count)
    return True


def rename_list(*, owner: int, id: int, title: str) -> None:
    user_lists().update_one({"_id": owner, "lists.id": id}, {"$set": {"lists.$.title": title}})


def delete_list(*, owner: int, id: int) -> None:
    user_lists().update_one({"_id": owner}, {"$pull": {"lists": {"id": id}}})


def add_user(*, owner: int, id: int, uid: int) -> bool:
    """Add a user to a list. Return False if the list is full or does not exist. Safe to repeat."""
    room: Document = {"id": id, "uids": {"$ne": uid}, f"uids.{MAX_USERS - 1}": {"$exists": False}}
    pushed = user_lists().update_one(
        {"_id": owner, "lists": {"$elemMatch": room}}, {"$push": {"lists.$.uids": uid}}
    )
    if pushed.matched_count:
        return True
    user_list = get_list(owner=owner, id=id)
    return user_list is not None and uid in user_list.uids


def remove_users(*, owner: int, id: int, uids: Sequence[int]) -> None:
    change = {"$pullAll": {"lists.$.uids": list(uids)}}
    user_lists().update_one({"_id": owner, "lists.id": id}, change)


def _user_list(document: Document) -> UserList:
    return UserList(id=document["id"], title=document["title"], uids=document["uids"])
