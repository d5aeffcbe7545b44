"""Write functions of the feed, one module per resource.

Each function performs one write and then sends one signal. Every function is safe to run twice.
"""
