"""The store of the feed: plain functions that query MongoDB with PyMongo, one module per resource.

Only this package and ``feed.timeline.store`` (inboxes and deliveries) import the driver.

* Posts: ``posts`` and ``post_rows`` (lists), ``attributes``, ``text_search``, ``tags``, ``revisions``,
  ``post_counters``, ``recount``.
* Conversation: ``comments``, ``comment_pages``, ``conversations`` (of direct posts), ``hidden_comments``,
  ``likes``, ``polls``, ``shares``.
* Data of one user: ``bookmarks``, ``drafts``, ``pins``, ``user_lists``, ``filters``, ``home_states``,
  ``interactions``, ``user_content``.
* Stats: ``stats``, ``counted_viewers``, ``active_hours``.
* Data of other sites: ``link_cards``.
* Housekeeping: ``idempotency_keys``, ``pending_cleanups``, ``erasure``, ``text_fingerprints``, ``bulk``.
"""

from . import (
    attributes,
    bookmarks,
    comment_pages,
    comments,
    conversations,
    counted_viewers,
    drafts,
    filters,
    home_states,
    idempotency_keys,
    likes,
    link_cards,
    pending_cleanups,
    polls,
    revisions,
    shares,
    stats,
    tags,
    text_fingerprints,
    text_search,
    user_content,
)


def create_indexes() -> None:
    """Create the missing indexes. Safe to repeat."""
    for store in (
        attributes,
        text_search,
        tags,
        comments,
        comment_pages,
        shares,
        likes,
        polls,
        user_content,
        bookmarks,
        conversations,
        drafts,
        revisions,
        pending_cleanups,
        idempotency_keys,
        home_states,
        filters,
        text_fingerprints,
        stats,
        counted_viewers,
        link_cards,
    ):
        store.create_indexes()
