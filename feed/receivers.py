"""What follows in the feed from what happens among people."""

from typing import Any

from django.dispatch import receiver

from accounts.signals import followed, followers_added

from . import store, tasks


@receiver(followed)
def bring_older_posts_of_followed(follower: int, followee: int, **_: Any) -> None:
    # In the request, so that the next page shows them. If it fails, the edge is still marked and
    # the sweeper does it.
    tasks.backfill(follower=follower, followee=followee)


@receiver(followers_added)
def bring_older_posts_after_import(**_: Any) -> None:
    tasks.backfill_all()


def prepare_collections(**_: Any) -> None:
    """After every migrate, so that a database that has its tables has its collections too."""
    store.prepare()
