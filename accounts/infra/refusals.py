"""Exceptions that services raise when they refuse a request."""


class Refused(ValueError):
    """The service refused the request and changed nothing. The message, if any, is for the user."""


class TryLater(Exception):
    """The service refused the request, but a later retry may succeed. The message is for the user.

    ``status`` is the HTTP status of the response. ``retry_after`` is in seconds.
    """

    status = 503

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after
