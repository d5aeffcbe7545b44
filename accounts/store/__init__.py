"""MongoDB queries about users and the relationships between them.

* ``edges``: who follows whom. ``audiences``: the followers to deliver posts to. Both store the same
  follows, for different questions, so one transaction writes both. ``bulk_follows`` writes many at once.
* ``follow_requests``: pending follow requests. ``blocks_and_mutes``: blocks, mutes and hidden shares.
  ``user_notes``: private notes.
* ``relationship_kinds``: reads from all collections above with one command.
* ``pair_locks``: serializes transactions about the same two users.
* ``profile_links``: whose profile links are due for a check.
* ``account_status``: why an account is inactive. ``user_search``: finds users by words.

The modules contain plain functions over PyMongo. Outside of the stores, nothing imports the driver.
"""

from accounts.infra.store import rate_limits

from . import (
    account_status,
    audiences,
    blocks_and_mutes,
    edges,
    follow_requests,
    profile_links,
    user_notes,
    user_search,
)


def create_indexes() -> None:
    """Create missing indexes. Safe to repeat."""
    edges.create_indexes()
    audiences.create_indexes()
    follow_requests.create_indexes()
    blocks_and_mutes.create_indexes()
    user_notes.create_indexes()
    profile_links.create_indexes()
    user_search.create_indexes()
    rate_limits.create_indexes()
    account_status.create_indexes()
