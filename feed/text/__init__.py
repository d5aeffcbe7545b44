"""Parse and render the plain text of posts. Pure functions, no database.

``spans`` finds mentions, hashtags and URLs by the published twitter-text rules, ``rendering`` writes HTML.
``accounts.infra.plain_text`` cleans texts before they are stored.
"""
