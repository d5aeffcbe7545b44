"""Errors with instructions for the developer."""


class LocalError(Exception):
    """An error with a message for the developer. Commands print it without a traceback and exit with 1."""
