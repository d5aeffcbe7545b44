"""Whom an archive says its owner followed, and what they kept: only what is of this site counts."""

import csv
import re

from accounts import usernames

from .addresses import host_of, host_of_site, own_post
from .jsons import damaged, items
from .opening import Source

MOST_HANDLES = 7_500
MOST_BOOKMARKS = 20_000
_HANDLE = re.compile(rf"@?({usernames.PATTERN})(?:@([\w.:-]+))?", re.ASCII)


def handles(*, source: Source) -> tuple[list[str], int]:
    """Whom its owner followed of the people of this site, by name, each once; and how many others."""
    if not source.has("following_accounts.csv"):
        return [], 0
    text = source.read("following_accounts.csv").decode("utf-8-sig", "replace")
    names: dict[str, None] = {}
    others = 0
    try:
        for row in csv.reader(text.splitlines()):
            if not row or row[0].strip() == "Account address":
                continue
            found = _HANDLE.fullmatch(row[0].strip())
            is_here = found and (found[2] or host_of_site()).lower() == host_of_site()
            if found and is_here and len(names) < MOST_HANDLES:
                names[found[1].lower()[: usernames.MAX_LENGTH + 1]] = None
            else:
                others += 1
    except csv.Error as error:
        raise damaged(name="following_accounts.csv") from error
    return list(names), others


def bookmarks(*, source: Source) -> tuple[list[int], int]:
    """The posts of this site that its owner kept, the first first; and how many others."""
    if not source.has("bookmarks.json"):
        return [], 0
    found: dict[int, None] = {}
    others = 0
    with source.open("bookmarks.json") as file:
        for one in items(file=file, name="bookmarks.json"):
            post = (
                own_post(one) if isinstance(one, str) and host_of(one) == host_of_site() else None
            )
            if post is not None and len(found) < MOST_BOOKMARKS:
                found[post] = None
            else:
                others += 1
    return list(found), others
