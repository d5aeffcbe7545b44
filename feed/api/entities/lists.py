"""Lists of people: https://docs.joinmastodon.org/entities/List/."""

from typing import TypedDict

from .values import Id


class UserList(TypedDict):
    id: Id
    title: str
    replies_policy: str
    exclusive: bool


def list_json(*, id: int, title: str) -> UserList:
    return {"id": str(id), "title": title, "replies_policy": "none", "exclusive": False}
