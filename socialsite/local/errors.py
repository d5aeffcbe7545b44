"""What goes wrong on somebody's machine, said so that they can mend it."""


class LocalError(Exception):
    """Its text is for the person at the terminal: commands print it, without a traceback, and exit 1."""
