"""Fan-out on read: nothing is written for anybody, and every page asks for its authors' posts.

Publishing is free and reading costs more the more people one follows. All of the timeline lies
below this strategy's floor, where ``selectors`` reads the posts themselves.
"""

from datetime import datetime

from .entries import Entries, nothing_held


def deliver(*, activity: int, readers: list[int]) -> None:
    """Nothing to do: the post is there."""


def entries(*, reader: int) -> Entries:
    return nothing_held()


def add_older(*, reader: int, activities: list[int], floor: int) -> None:
    """Nothing to do: the posts are there."""


def build(*, reader: int) -> None:
    """Nothing to do: the posts are there."""


class _Nobody:
    """For no reader anything is held."""

    def among(self, *, owners: list[int]) -> set[int]:
        return set()

    def seen_lately(self, *, limit: int) -> list[int]:
        return []

    def drop_unseen(self, *, before: datetime, limit: int) -> int:
        return 0

    def after(self, *, above: int, limit: int) -> list[int]:
        return []

    def clear(self, *, below: int) -> None:
        """Nothing to do: nothing is held."""


lives = _Nobody()
