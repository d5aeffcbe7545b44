"""What is wrong with an archive as a whole."""


class BadArchive(ValueError):
    """Nothing of this archive is brought in; the message is for the person who sent it."""
