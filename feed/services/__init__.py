"""Functions that write feed data, one module per resource.

Each function performs one write and then sends a signal. Every function is safe to run twice.
"""
