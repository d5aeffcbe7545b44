"""How people stand to each other, in MongoDB.

``edges`` (who follows whom) and ``audiences`` (whom a post goes to) say the same fact, for two
questions; one transaction writes both. ``requests`` wait for an answer; ``boundaries`` are blocks,
mutes and what is hidden of somebody. ``pair_locks`` is where transactions about the same two people
meet. ``standings`` asks all of it at once, for readers. ``names`` finds people by how they are called;
``closures`` say why somebody is not there. ``limits`` counts how often somebody has done something lately.

Repositories of plain functions over PyMongo; nothing else in the app imports the driver.
"""

from accounts.infra.store import rate_limits

from . import account_status, audiences, blocks_and_mutes, edges, follow_requests, name_search


def create_indexes() -> None:
    """Make the indexes that are missing. Safe to repeat."""
    edges.create_indexes()
    audiences.create_indexes()
    follow_requests.create_indexes()
    blocks_and_mutes.create_indexes()
    name_search.create_indexes()
    rate_limits.create_indexes()
    account_status.create_indexes()
