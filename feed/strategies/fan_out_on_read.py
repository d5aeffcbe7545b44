"""Fan-out on read: nothing is written for anybody, and every page asks for its authors' posts.

Publishing is free and reading costs more the more people one follows. All of the timeline lies
below this strategy's floor, where ``selectors`` reads the posts themselves.
"""

from accounts.ids import MAX_ID

from .entries import Entries


def deliver(*, activity: int, readers: list[int]) -> None:
    """Nothing to do: the post is there."""


def entries(*, reader: int) -> Entries:
    return Entries(newest=[], floor=MAX_ID, everything=lambda: ([], MAX_ID))


def add_older(*, reader: int, activities: list[int], floor: int) -> None:
    """Nothing to do: the posts are there."""


def warm_among(*, readers: list[int]) -> set[int]:
    return set()
