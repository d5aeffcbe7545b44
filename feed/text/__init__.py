"""Parse and render the plain text of posts, with pure functions that use no database.

``spans`` finds mentions, hashtags and URLs by the published twitter-text rules. ``renderer`` writes HTML.
``accounts.infra.plain_text`` cleans texts before they are stored.
"""
