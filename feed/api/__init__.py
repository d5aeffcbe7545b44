"""API endpoints for posts, comments and accounts.

``serializers`` turns what selectors return into JSON. The endpoints call the same services and selectors
as the pages.
"""
