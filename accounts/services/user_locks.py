"""A lock for what a user may have only a limited number of."""

from accounts.store import pair_locks


def lock_user(*, uid: int) -> None:
    """Serialize the transactions of a user that count and then insert. One command.

    Must be the first command of a transaction with ``retry_duplicate_keys``. See ``store.pair_locks``.
    """
    pair_locks.lock_pair(uid=uid, other_uid=uid)
