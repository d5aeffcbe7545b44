"""Time-ordered ids: 63-bit integers that the application generates.

An id is ``milliseconds since 2010 (41 bits) | node (10 bits) | sequence (12 bits)``, the layout of
Twitter's Snowflake (https://github.com/twitter-archive/snowflake). The id of a document is its ``_id`` and
the cursor for paging.

* ``generator`` generates ids.
* ``store`` leases a node number to each process.
* ``fields`` connects ids to the ORM.

JSON represents ids as strings, because JavaScript's numbers have only 53 bits.
"""

from .fields import TimeOrderedIdField
from .generator import new_id, new_ids
from .layout import MAX_ID, first_id_at, time_of
from .store import NoNodeLease

__all__ = [
    "MAX_ID",
    "NoNodeLease",
    "TimeOrderedIdField",
    "first_id_at",
    "new_id",
    "new_ids",
    "time_of",
]
