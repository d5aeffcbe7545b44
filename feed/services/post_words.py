"""Correct the search words of posts (``manage.py rebuild_search``)."""

from feed.store.text_search import count_posts
from feed.store.text_search import rebuild_words as rebuild_post_words

__all__ = ["count_posts", "rebuild_post_words"]
