"""API endpoints for posts, comments and accounts.

``serializers`` turns the results of selectors into JSON. The endpoints call the same services and selectors
as the pages of the site.
"""
