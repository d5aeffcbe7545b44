"""What the API sends, as types: ``openapi`` describes them, and mypy holds what is sent to them.

Shapes and names are those of https://docs.joinmastodon.org/entities/. Lists are made at once, with the same
number of commands however long they are.
"""
