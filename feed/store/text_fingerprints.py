"""Who has said the same lately: ``text_fingerprints {_id: fingerprint, by: [uids, newest last], until}``.

Only the newest ``KEPT`` are kept, and nothing longer than a day after the last one.
"""

from datetime import datetime, timedelta
from typing import Any

from pymongo import ASCENDING, ReturnDocument

from .collections import text_fingerprints

MAX_UIDS = 50
RETENTION_HOURS = 24


def create_indexes() -> None:
    text_fingerprints().create_index([("until", ASCENDING)], expireAfterSeconds=0)


def remove_user(*, uid: int) -> None:
    """Of what this person has said, nothing is known any more."""
    text_fingerprints().update_many({"by": uid}, {"$pull": {"by": uid}})


def record_fingerprint(*, fingerprint: str, uid: int, at: datetime) -> list[int]:
    """Somebody says it now; returns the uids of those who lately did, also theirs. One command."""
    found: Any = text_fingerprints().find_one_and_update(
        {"_id": fingerprint},
        {
            "$push": {"by": {"$each": [uid], "$slice": -MAX_UIDS}},
            "$set": {"until": at + timedelta(hours=RETENTION_HOURS)},
        },
        upsert=True,
        return_document=ReturnDocument.AFTER,
    )
    return list(found["by"])
