"""What a reader does not want to read: by words, and at home by kinds of activities."""

from datetime import timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.ids import new_id
from accounts.refusals import Refused
from feed.activities import distributed
from feed.store import filters
from feed.store.filters import Filter


class CannotFilter(Refused):
    """The filter is refused; the message is for the person."""


def add_filter(*, reader: int, phrase: str, folds: bool, hours: int | None) -> int:
    """Leave out posts with this phrase, or with ``folds`` fold them, for so long (None: for good).

    Returns its id. Raises CannotFilter where there are as many as one may have.
    """
    made = new_id()
    until = None if hours is None else timezone.now() + timedelta(hours=hours)
    if not filters.add(reader=reader, one=Filter(made, phrase, folds, until)):
        raise CannotFilter(
            _("You have %(number)d filters, and more do not fit. Delete one first.")
            % {"number": filters.MOST}
        )
    return made


def remove_filter(*, reader: int, filter_id: int) -> None:
    filters.remove(reader=reader, id=filter_id)


def choose_kinds(*, reader: int, shown: set[str]) -> None:
    """Have these kinds of activities in the home timeline, and no others that the site brings there."""
    hidden = [one.name for one in distributed() if one.name not in shown]
    filters.hide_kinds(reader=reader, kinds=hidden)
