"""What all endpoints share: callers and their scopes, inputs, results, pages, errors and the schema.

``endpoints`` is the place to begin.
"""
