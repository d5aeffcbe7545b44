"""People as one viewer sees them: no more of them than their pages tell."""

from collections.abc import Sequence

from accounts import selectors as people
from accounts.selectors import PersonRow

from .accounts import Account, accounts_of


def accounts_seen(*, rows: Sequence[PersonRow], is_fresh: bool = False) -> list[Account]:
    """In their order; as many commands as ``accounts_of``."""
    uids = [row.card.uid for row in rows]
    known = accounts_of(uids=uids, is_fresh=is_fresh, in_full=True)
    return [_seen(known[row.card.uid], row) for row in rows if row.card.uid in known]


def accounts_by_id(*, uids: list[int], viewer: int | None, is_fresh: bool = False) -> list[Account]:
    """In their order, without those who are gone; also of people whom a block keeps apart."""
    rows = people.people_rows(uids=uids, viewer=viewer, with_apart=True)
    return accounts_seen(rows=rows, is_fresh=is_fresh)


def _seen(account: Account, row: PersonRow) -> Account:
    made: Account = {**account}
    if row.is_self or not (row.is_closed or row.is_blocked_by):
        made.pop("limited", None)  # only strangers are told
        return made
    made["statuses_count"], made["last_status_at"] = 0, None
    if row.is_blocked_by:
        made.pop("limited", None)
        made["followers_count"] = made["following_count"] = 0
    if row.is_blocked_by or made.get("limited"):
        made["note"] = ""
    return made
