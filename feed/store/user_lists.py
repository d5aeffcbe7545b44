"""User lists: named lists of followed users. Only the owner sees a list.

user_lists {_id: owner, lists: [<= 50: {id, title, is_exclusive?, replies_policy?, uids: [<= 500]}]}

All functions join the current transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from accounts.infra.store.connection import Document, session, upsert
from feed.post_content import known_fields

from .collections import user_lists

MAX_LISTS = 50
MAX_USERS = 500
FOLLOWED, LIST, NONE = "followed", "list", "none"
"""Whose posts the comments of members are about that the timeline of a list reports."""

REPLIES_POLICIES = (FOLLOWED, LIST, NONE)


@dataclass(frozen=True, slots=True)
class UserList:
    id: int
    title: str
    uids: list[int]
    is_exclusive: bool = False
    """the home timeline leaves out posts by members"""
    replies_policy: str = LIST
    """one of ``REPLIES_POLICIES``"""


def lists_of(*, owner: int) -> list[UserList]:
    """Return the lists of an owner in order of creation. One command."""
    document = user_lists().find_one({"_id": owner}, session=session())
    return [] if document is None else [_user_list(element) for element in document["lists"]]


def get_list(*, owner: int, id: int) -> UserList | None:
    query = {"_id": owner, "lists.id": id}
    document = user_lists().find_one(query, {"lists.$": 1}, session=session())
    return None if document is None else _user_list(document["lists"][0])


def create_list(
    *, owner: int, id: int, title: str, is_exclusive: bool, replies_policy: str
) -> bool:
    """Create an empty list. Return False if the owner has ``MAX_LISTS``. Not for transactions."""
    room = {"_id": owner, f"lists.{MAX_LISTS - 1}": {"$exists": False}}
    new_list = {
        "id": id,
        "title": title,
        "is_exclusive": is_exclusive,
        "replies_policy": replies_policy,
        "uids": [],
    }
    return upsert(collection=user_lists(), query=room, change={"$push": {"lists": new_list}})


def update_list(*, owner: int, id: int, changes: Document) -> None:
    """Set the given fields of a list: ``title``, ``is_exclusive``, ``replies_policy``."""
    change = {"$set": {f"lists.$.{name}": value for name, value in changes.items()}}
    user_lists().update_one({"_id": owner, "lists.id": id}, change, session=session())


def delete_list(*, owner: int, id: int) -> None:
    change = {"$pull": {"lists": {"id": id}}}
    user_lists().update_one({"_id": owner}, change, session=session())


def add_user(*, owner: int, id: int, uid: int) -> bool:
    """Add a user to a list. Return False if the list is full or does not exist. Safe to repeat."""
    room: Document = {"id": id, "uids": {"$ne": uid}, f"uids.{MAX_USERS - 1}": {"$exists": False}}
    pushed = user_lists().update_one(
        {"_id": owner, "lists": {"$elemMatch": room}},
        {"$push": {"lists.$.uids": uid}},
        session=session(),
    )
    if pushed.matched_count:
        return True
    user_list = get_list(owner=owner, id=id)
    return user_list is not None and uid in user_list.uids


def remove_users(*, owner: int, id: int, uids: Sequence[int]) -> None:
    change = {"$pullAll": {"lists.$.uids": list(uids)}}
    user_lists().update_one({"_id": owner, "lists.id": id}, change, session=session())


def remove_user_from_all(*, owner: int, uid: int) -> bool:
    """Remove a user from all lists of an owner. Return False if no list contains the user. One command."""
    change = {"$pull": {"lists.$[].uids": uid}}
    query = {"_id": owner, "lists.uids": uid}
    return bool(user_lists().update_one(query, change, session=session()).matched_count)


def _user_list(document: Document) -> UserList:
    return UserList(**known_fields(UserList, document))
