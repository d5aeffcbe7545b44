"""JSON shapes of the API as types, from which ``openapi`` publishes schemas, and functions that fill them.

Shapes and names follow https://docs.joinmastodon.org/entities/. A list is serialized as a whole, so the
number of database commands does not depend on its length.
"""
