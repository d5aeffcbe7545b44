"""Fan-out on read: nothing is written for anybody, and every page asks for its authors' posts.

Publishing is free and reading costs more the more people one follows. All of the timeline lies
below this strategy's floor, where ``selectors`` reads the posts themselves.
"""

from datetime import datetime

from .contents import InboxContents, empty_inbox


def deliver(*, activity: int, recipients: list[int]) -> None:
    """Nothing to do: the post is there."""


def read_inbox(*, owner: int) -> InboxContents:
    return empty_inbox()


def add_older(*, owner: int, activities: list[int], floor: int) -> None:
    """Nothing to do: the posts are there."""


def build_inbox(*, owner: int) -> None:
    """Nothing to do: the posts are there."""


class _NoInboxes:
    """For no reader anything is held."""

    def owners_among(self, *, owners: list[int]) -> set[int]:
        return set()

    def recent_owners(self, *, limit: int) -> list[int]:
        return []

    def drop_dormant(self, *, before: datetime, limit: int) -> int:
        return 0

    def owners_after(self, *, above: int, limit: int) -> list[int]:
        return []

    def drop_generations(self, *, below: int) -> None:
        """Nothing to do: nothing is held."""


lifecycle = _NoInboxes()
