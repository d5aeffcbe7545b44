"""Whom somebody follows, blocks and so on, as the CSV files that Mastodon writes and reads."""

import csv
import io
import zipfile
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from accounts import selectors as people
from accounts.user_cards import cards
from feed.selectors import filters_of, lists_of

from .notes import handle

AT_ONCE = 500
Rows = Iterator[list[Any]]


def tables(*, uid: int) -> Iterator[tuple[str, Rows]]:
    """(name, rows) of each file."""
    yield "following_accounts.csv", _following(uid)
    yield "followers.csv", _headed("Account address", _handles(people.followers_after, uid=uid))
    yield "blocked_accounts.csv", _rows(_handles(people.boundaries_after, uid=uid, kind="block"))
    yield (
        "muted_accounts.csv",
        _headed("Account address", _handles(people.boundaries_after, uid=uid, kind="mute")),
    )
    yield "lists.csv", _lists(uid)


def write(*, into: zipfile.ZipFile, name: str, rows: Rows) -> None:
    with into.open(name, "w") as out, io.TextIOWrapper(out, encoding="utf-8", newline="") as text:
        csv.writer(text).writerows(rows)


def filters(*, uid: int) -> list[dict[str, Any]]:
    """The words they do not want to read."""
    return [
        {
            "phrase": phrase.text,
            "action": "warn" if one.folds else "hide",
            "expires_at": _moment(one.until),
        }
        for one in filters_of(reader=uid)
        for phrase in one.phrases
    ]


def _following(uid: int) -> Rows:
    hidden = people.hidden_by(viewer=uid).hides_shares
    yield ["Account address", "Show boosts", "Notify on new posts", "Languages"]
    for other, name in _handles(people.followees_after, uid=uid):
        yield [name, "false" if other in hidden else "true", "false", ""]


def _lists(uid: int) -> Rows:
    for one in lists_of(owner=uid):
        known = cards(uids=one.uids)
        yield from ([one.title, handle(known[other])] for other in one.uids if other in known)


def _headed(title: str, found: Iterable[tuple[int, str]]) -> Rows:
    yield [title]
    yield from _rows(found)


def _rows(found: Iterable[tuple[int, str]]) -> Rows:
    return ([name] for _, name in found)


def _handles(ask: Any, **who: Any) -> Iterator[tuple[int, str]]:
    """(uid, name with the site) of those who are still here."""
    cursor = 0
    while found := ask(**who, cursor=cursor, limit=AT_ONCE):
        known = cards(uids=[uid for _, uid in found])
        yield from ((uid, handle(known[uid])) for _, uid in found if uid in known)
        cursor = found[-1][0]


def _moment(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
