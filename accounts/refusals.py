"""What services raise when they do not do what was asked."""


class Refused(ValueError):
    """It is not done, and nothing of it; the message, if there is one, is for the person."""
