"""What services raise when they do not do what was asked."""


class Refused(ValueError):
    """It is not done, and nothing of it; the message, if there is one, is for the person."""


class TryLater(Exception):
    """The request is refused for now; the message is for the user.

    ``status``: of the response. ``retry_after``: seconds.
    """

    status = 503

    def __init__(self, message: str, *, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after
