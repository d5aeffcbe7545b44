"""The store of the feed: plain functions that query MongoDB with PyMongo, one module per resource.

Only this package and ``feed.timeline.store`` (inboxes and deliveries) import the driver.

* Posts: ``posts`` and ``post_rows`` (lists), ``attributes``, ``text_search``, ``tags``, ``revisions``,
  ``post_counters``, ``recount``.
* Conversation: ``comments``, ``comment_pages``, ``conversations`` (of direct posts), ``hidden_comments``,
  ``likes``, ``answers``, ``shares``.
* Data of one user: ``bookmarks``, ``drafts``, ``pins``, ``user_lists``, ``filters``, ``home_states``,
  ``interactions``, ``user_content``.
* Stats: ``stats``, ``counted_viewers``, ``active_hours``.
* Data of other sites: ``link_cards``.
* Housekeeping: ``idempotency_keys``, ``pending_cleanups``, ``erasure``, ``text_fingerprints``, ``bulk``.
"""

from importlib import import_module
from pkgutil import iter_modules


def create_indexes() -> None:
    """Create the missing indexes of all modules here that have ``create_indexes``. Safe to repeat."""
    for module in iter_modules(__path__, f"{__name__}."):
        store = import_module(module.name)
        if hasattr(store, "create_indexes"):
            store.create_indexes()
