"""Notify users who quoted or shared a post that its author has edited it.

A post may have many quotes and shares, so a worker notifies them in batches. A recipient whose box still
contains the notification of an earlier edit gets no second one.
"""

from collections.abc import Iterator
from typing import Any

from feed.selectors.stored_content import post_row, quotes_after, shares_after, uids_with_access

from .delivery import notify

BATCH_SIZE = 500


def notify_about_edit(*, post_id: int) -> None:
    """Notify the authors of quotes about their quoting posts, and users who shared the post about the post.

    Users who may no longer read the post are not notified.
    """
    post = post_row(post_id=post_id)
    if post is None:
        return
    for quotes in _batches(quotes_after, post_id):
        readers = uids_with_access(post=post, uids={author for _, author in quotes})
        for quoting_id, author in quotes:
            if author in readers:
                notify(kind="quoted_edit", actor=post.author, recipients=[author], post=quoting_id)
    for shares in _batches(shares_after, post_id):
        readers = uids_with_access(post=post, uids={author for _, author in shares})
        notify(kind="shared_edit", actor=post.author, recipients=readers, post=post.id)


def _batches(read: Any, post_id: int) -> Iterator[list[tuple[int, int]]]:
    cursor = 0
    while batch := read(post=post_id, cursor=cursor, limit=BATCH_SIZE):
        yield batch
        cursor = batch[-1][0]
