"""Exceptions that services raise when they refuse a request."""


class Refused(ValueError):
    """The service refused the request and changed nothing; the message, if any, is for the user."""


class TryLater(Exception):
    """The request is refused for now; the message is for the user.

    ``status``: of the response. ``retry_after``: seconds.
    """

    status = 503

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after
