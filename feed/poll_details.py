"""``Post.details`` of a poll. ``store.polls`` counts the votes, ``selectors.polls`` shows the poll.

    {choices: ["Tea", "Coffee"], is_multiple, hides_totals, ends_at, counts: [3, 5], voters: 8,
     is_end_pending, is_imported?}

* ``ends_at`` is a time in seconds since 1970.
* ``counts`` are the votes for each choice, ``voters`` is the number of users who voted. Both are written in
  the transaction of the vote.
* ``is_end_pending`` is True until the voters are notified about the end.
* ``is_imported`` is True if the numbers are from an archive of another site. Nobody can vote.
"""

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

MIN_CHOICES, MAX_CHOICES = 2, 4
MAX_CHOICE_LENGTH = 50
MIN_SECONDS, MAX_SECONDS = 300, 2_629_746
"""The shortest and the longest duration, as in Mastodon: five minutes and a month."""


def new_details(
    *, choices: Sequence[str], is_multiple: bool, hides_totals: bool, seconds: int
) -> dict[str, Any]:
    """Return the details of a poll without votes that ends in ``seconds``."""
    return {
        "choices": list(choices),
        "is_multiple": is_multiple,
        "hides_totals": hides_totals,
        "ends_at": int(timezone.now().timestamp()) + seconds,
        "counts": [0] * len(choices),
        "voters": 0,
        "is_end_pending": True,
    }


def changed_details(*, old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Return the details of an edited poll.

    Other choices, or another number of choices per voter, begin a new poll without votes. Otherwise the
    votes stay. A poll that has ended then stays as it is.
    """
    if any(old[name] != new[name] for name in ("choices", "is_multiple")):
        return new
    if is_over(old):
        return old
    return {**old, "hides_totals": new["hides_totals"], "ends_at": new["ends_at"]}


def is_over(details: dict[str, Any]) -> bool:
    return bool(details["ends_at"] <= timezone.now().timestamp())
