"""Make a double click or a repeated request create a post or comment only once."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from feed.store import idempotency_keys


@dataclass(frozen=True, slots=True)
class KeyedInsert:
    """A document about to be inserted: its author, the author's key ("" for none) and its id."""

    author: int
    key: str
    id: int
    is_new: bool = True

    def is_repeat(self) -> bool:
        """Return whether the author has used this key before."""
        return (
            bool(self.key)
            and idempotency_keys.get_created_id(author=self.author, key=self.key) is not None
        )


def claim_key(*, insert: KeyedInsert, exists: Callable[[int], bool]) -> KeyedInsert:
    """Record an insert under its key, or return the earlier insert if its document still exists.

    Call this only inside a transaction.
    """
    if not insert.key:
        return insert
    author, key = insert.author, insert.key
    earlier_id = idempotency_keys.claim(author=author, key=key, created_id=insert.id)
    if earlier_id is None:
        return insert
    if exists(earlier_id):
        return replace(insert, id=earlier_id, is_new=False)
    idempotency_keys.set_created_id(author=author, key=key, created_id=insert.id)
    return insert
