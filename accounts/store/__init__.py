"""MongoDB queries about users and the relationships between them.

``edges`` (who follows whom) and ``audiences`` (the followers a post is delivered to) store the same
fact for two questions; one transaction writes both. ``bulk_follows`` writes many at once.
``follow_requests`` are pending, ``blocks_and_mutes`` also holds hidden shares, ``relationship_kinds``
reads all of these in one command. ``pair_locks`` serializes transactions about the same two users.
``account_status`` stores why an account is inactive, ``name_search`` finds users by name.

Plain functions over PyMongo. Outside the stores, nothing imports the driver.
"""

from accounts.infra.store import rate_limits

from . import account_status, audiences, blocks_and_mutes, edges, follow_requests, name_search


def create_indexes() -> None:
    """Create missing indexes. Safe to repeat."""
    edges.create_indexes()
    audiences.create_indexes()
    follow_requests.create_indexes()
    blocks_and_mutes.create_indexes()
    name_search.create_indexes()
    rate_limits.create_indexes()
    account_status.create_indexes()
