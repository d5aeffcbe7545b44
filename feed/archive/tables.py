"""Whom somebody follows, blocks and so on, as the CSV files that Mastodon writes and reads."""

import csv
import io
import zipfile
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from accounts.selectors.follow_graph import followees_after, followers_after
from accounts.selectors.relationships import blocked_or_muted_after, hidden_users
from accounts.user_cards import cards_by_uid
from feed.selectors.filters import filters_of_viewer
from feed.selectors.user_lists import owned_lists

from .notes import full_handle

BATCH_SIZE = 500
Rows = Iterator[list[Any]]


def csv_tables(*, uid: int) -> Iterator[tuple[str, Rows]]:
    """(name, rows) of each file."""
    yield "following_accounts.csv", _following(uid)
    yield "followers.csv", _headed("Account address", _handles(followers_after, uid=uid))
    yield "blocked_accounts.csv", _rows(_handles(blocked_or_muted_after, uid=uid, kind="block"))
    yield (
        "muted_accounts.csv",
        _headed("Account address", _handles(blocked_or_muted_after, uid=uid, kind="mute")),
    )
    yield "lists.csv", _lists(uid)


def write_csv(*, zip_file: zipfile.ZipFile, file_name: str, rows: Rows) -> None:
    with (
        zip_file.open(file_name, "w") as out,
        io.TextIOWrapper(out, encoding="utf-8", newline="") as text,
    ):
        csv.writer(text).writerows(rows)


def filters_json(*, uid: int) -> list[dict[str, Any]]:
    """The words they do not want to read."""
    return [
        {
            "phrase": phrase.text,
            "action": "warn" if one.should_collapse else "hide",
            "expires_at": _moment(one.expires_at),
        }
        for one in filters_of_viewer(viewer=uid)
        for phrase in one.phrases
    ]


def _following(uid: int) -> Rows:
    hidden = hidden_users(viewer=uid).shares_hidden
    yield ["Account address", "Show boosts", "Notify on new posts", "Languages"]
    for other, name in _handles(followees_after, uid=uid):
        yield [name, "false" if other in hidden else "true", "false", ""]


def _lists(uid: int) -> Rows:
    for one in owned_lists(owner=uid):
        known = cards_by_uid(uids=one.uids)
        yield from ([one.title, full_handle(known[other])] for other in one.uids if other in known)


def _headed(title: str, found: Iterable[tuple[int, str]]) -> Rows:
    yield [title]
    yield from _rows(found)


def _rows(found: Iterable[tuple[int, str]]) -> Rows:
    return ([name] for _, name in found)


def _handles(ask: Any, **who: Any) -> Iterator[tuple[int, str]]:
    """(uid, name with the site) of those who are still here."""
    cursor = 0
    while found := ask(**who, cursor=cursor, limit=BATCH_SIZE):
        known = cards_by_uid(uids=[uid for _, uid in found])
        yield from ((uid, full_handle(known[uid])) for _, uid in found if uid in known)
        cursor = found[-1][0]


def _moment(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
