"""Users who recently published the same text, to recognize spam.

    text_fingerprints {_id: fingerprint, uids: [newest last], expires_at}

A fingerprint has the last ``MAX_UIDS`` users and expires a day after the last post with this text.
"""

from datetime import datetime, timedelta
from typing import Any

from pymongo import ASCENDING, ReturnDocument

from .collections import text_fingerprints

MAX_UIDS = 50
RETENTION_HOURS = 24


def create_indexes() -> None:
    text_fingerprints().create_index([("expires_at", ASCENDING)], expireAfterSeconds=0)


def remove_user(*, uid: int) -> None:
    """Remove a user from all fingerprints."""
    text_fingerprints().update_many({"uids": uid}, {"$pull": {"uids": uid}})


def record_fingerprint(*, fingerprint: str, uid: int, at: datetime) -> list[int]:
    """Record that a user publishes this text. One command.

    Return the uids of the users who recently published the text, newest last, including this user. A user
    who published the text several times is repeated.
    """
    document: Any = text_fingerprints().find_one_and_update(
        {"_id": fingerprint},
        {
            "$push": {"uids": {"$each": [uid], "$slice": -MAX_UIDS}},
            "$set": {"expires_at": at + timedelta(hours=RETENTION_HOURS)},
        },
        upsert=True,
        return_document=ReturnDocument.AFTER,
    )
    return list(document["uids"])
