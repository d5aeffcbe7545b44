"""Fan-out on read: deliveries write nothing, and every page reads the posts of the followed users.

Publishing costs nothing, and a page costs more if the viewer follows more users. The floor of this strategy
is above all ids, so ``candidates`` reads the whole timeline from the posts.
"""

from datetime import datetime

from accounts.infra.store.unions import Query, UnionResult

from .contents import InboxContents


def deliver(*, activity: int, recipients: list[int], threads: int = 1) -> None:
    """Do nothing: the post is already stored."""


def head_queries(*, owner: int) -> list[Query]:
    return []


def read_inbox(*, owner: int, union: UnionResult | None = None) -> InboxContents:
    return InboxContents()


def add_older(*, owner: int, activities: list[int], floor: int) -> None:
    """Do nothing: the posts are already stored."""


def build_inbox(*, owner: int) -> None:
    """Do nothing: the posts are already stored."""


class _NoInboxes:
    """The lifecycle of a strategy without inboxes."""

    def owners_among(self, *, owners: list[int]) -> set[int]:
        return set()

    def recent_owners(self, *, limit: int) -> list[int]:
        return []

    def drop_dormant(self, *, before: datetime, limit: int) -> int:
        return 0

    def owners_after(self, *, above: int, limit: int) -> list[int]:
        return []

    def drop_generations(self, *, below: int) -> None:
        """Do nothing: there are no inboxes."""


lifecycle = _NoInboxes()
