"""Idempotency keys: a double click or a repeated request creates only one post or comment."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from feed.store import idempotency_keys


@dataclass(frozen=True, slots=True)
class KeyedInsert:
    """A post or comment to insert.

    Attributes:
        key: the idempotency key, "" for none.
        id: the id of the post or comment.
        is_new: False if the id belongs to an earlier insert with the same key.
    """

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
    """Record an insert under its key. If the key was used before, return the earlier insert instead.

    If the earlier post or comment no longer exists, the key is used for the new insert. Call this inside
    the transaction of the insert, so that an aborted insert does not use up the key.

    Args:
        exists: returns whether the post or comment with this id still exists.
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
