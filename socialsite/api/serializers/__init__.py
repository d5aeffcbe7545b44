"""JSON types of the API, and functions that turn views of posts and users into these types.

``socialsite.api.plumbing.openapi`` publishes the types as schemas. Names and fields follow
https://docs.joinmastodon.org/entities/. The functions serialize a whole list at a time, so the number of
database commands does not depend on the length of the list.
"""
