"""Correct the search keys of users (``manage.py rebuild_search``)."""

from accounts.store.user_search import count_users
from accounts.store.user_search import rebuild_keys as rebuild_search_keys

__all__ = ["count_users", "rebuild_search_keys"]
