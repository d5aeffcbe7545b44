"""A double click, or a request that is sent again, makes one thing."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from feed.store import idempotency_keys


@dataclass(frozen=True, slots=True)
class KeyedInsert:
    """What is about to be made: by whom, under which ``key`` of theirs ("": none), and its id."""

    author: int
    key: str
    id: int
    is_new: bool = True

    def is_repeat(self) -> bool:
        """Whether something was made under this key before."""
        return (
            bool(self.key)
            and idempotency_keys.get_created_id(author=self.author, key=self.key) is not None
        )


def claim_key(*, insert: KeyedInsert, exists: Callable[[int], bool]) -> KeyedInsert:
    """Note that it is made, or tell what was made under this key before, if that ``is_there`` still. Only
    inside a transaction."""
    if not insert.key:
        return insert
    there = idempotency_keys.get_created_id(author=insert.author, key=insert.key)
    if there is not None and exists(there):
        return replace(insert, id=there, is_new=False)
    idempotency_keys.set_created_id(author=insert.author, key=insert.key, created_id=insert.id)
    return insert
