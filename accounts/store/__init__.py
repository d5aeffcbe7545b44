"""MongoDB queries about users and the relationships between them.

* ``edges``: who follows whom. ``audiences``: the followers to deliver posts to. Both store the same
  follows, for different questions, so one transaction writes both. ``bulk_follows`` writes many at once.
* ``follow_requests``: pending follow requests. ``blocks_and_mutes``: blocks, mutes and hidden shares.
  ``user_notes``: private notes.
* ``relationship_kinds``: reads from all collections above with one command.
* ``pair_locks``: serializes transactions about the same two users.
* ``users``: the user of a request, cards, why an account is inactive, and whose profile links are due for a
  check. ``user_search``: finds users by words.

The modules contain plain functions over PyMongo. Outside of the stores, nothing imports the driver.
"""

from accounts.infra.store import rate_limits

from . import audiences, blocks_and_mutes, edges, follow_requests, user_notes, user_search, users

STORES = (
    *(edges, audiences, follow_requests, blocks_and_mutes, user_notes),
    *(users, user_search, rate_limits),
)


def create_indexes() -> None:
    """Create missing indexes. Safe to repeat."""
    for store in STORES:
        store.create_indexes()
