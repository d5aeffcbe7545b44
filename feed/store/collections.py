"""The PyMongo collections of the feed. They use Django's connection and its connection pool."""

from functools import partial

from accounts.infra.store.connection import collection

inbox_heads = partial(collection, "inbox_heads")
inbox_buckets = partial(collection, "inbox_buckets")
posts = partial(collection, "feed_post")
shares = partial(collection, "shares")
like_buckets = partial(collection, "like_buckets")
answer_buckets = partial(collection, "answer_buckets")
comment_buckets = partial(collection, "comment_buckets")
revisions = partial(collection, "revisions")
bookmarks = partial(collection, "bookmarks")
conversations = partial(collection, "conversations")
drafts = partial(collection, "drafts")
pins = partial(collection, "pins")
user_lists = partial(collection, "user_lists")
pending_cleanups = partial(collection, "pending_cleanups")
idempotency_keys = partial(collection, "idempotency_keys")
home_states = partial(collection, "home_states")
large_authors = partial(collection, "large_authors")
tags = partial(collection, "tags")
tag_authors = partial(collection, "tag_authors")
entry_heads = partial(collection, "entry_heads")
inbox_entries = partial(collection, "inbox_entries")
counted_heads = partial(collection, "counted_heads")
counted_buckets = partial(collection, "counted_buckets")
strategy_switch = partial(collection, "strategy_switch")
merged_posts = partial(collection, "merged_posts")
text_fingerprints = partial(collection, "text_fingerprints")
stat_hours = partial(collection, "stat_hours")
stat_days = partial(collection, "stat_days")
counted_viewers = partial(collection, "counted_viewers")
counted_viewer_keys = partial(collection, "counted_viewer_keys")
active_hours = partial(collection, "active_hours")
link_cards = partial(collection, "link_cards")
demo_specs = partial(collection, "demo_specs")

OF_CONTENTS = (like_buckets, bookmarks)
"""The collections of documents ``{post, ..}`` in which ``post`` is a post or a comment."""

OF_POSTS = (*OF_CONTENTS, shares, answer_buckets, conversations, comment_buckets, revisions)
"""The collections of documents ``{post, ..}`` of a post."""

BY_UID = (pins, user_lists, home_states, large_authors, inbox_heads, entry_heads, counted_heads)
BY_OWNER = (inbox_buckets, inbox_entries, counted_buckets, bookmarks, conversations, drafts)
BY_AUTHOR = (merged_posts, idempotency_keys, shares)
"""The collections of documents of a user, whose uid is their ``_id``, ``owner`` or ``author``."""
