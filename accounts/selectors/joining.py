"""How many people joined, and when."""

from collections.abc import Sequence
from datetime import datetime

from accounts.counting import counted
from accounts.store.collections import people


def joined_between(*, moments: Sequence[datetime], most: int) -> list[int]:
    """From each of these moments until the next, each at most so many: one command."""
    return counted(collection=people(), moments=moments, most=most)
