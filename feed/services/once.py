"""A double click, or a request that is sent again, makes one thing."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from feed.store import publish_keys


@dataclass(frozen=True, slots=True)
class Once:
    """What is about to be made: by whom, under which ``key`` of theirs ("": none), and its id."""

    author: int
    key: str
    id: int
    is_new: bool = True

    def is_known(self) -> bool:
        """Whether something was made under this key before."""
        return bool(self.key) and publish_keys.get(author=self.author, key=self.key) is not None


def once(*, wanted: Once, is_there: Callable[[int], bool]) -> Once:
    """Note that it is made, or tell what was made under this key before, if that ``is_there`` still. Only
    inside a transaction."""
    if not wanted.key:
        return wanted
    there = publish_keys.get(author=wanted.author, key=wanted.key)
    if there is not None and is_there(there):
        return replace(wanted, id=there, is_new=False)
    publish_keys.put(author=wanted.author, key=wanted.key, made=wanted.id)
    return wanted
