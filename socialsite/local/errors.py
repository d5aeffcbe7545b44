"""Errors with instructions for the developer."""


class LocalError(Exception):
    """An error whose message commands print without a traceback, before they exit with 1."""
