"""What a reader does not want to read: by words, and at home by kinds of activities."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.ids import new_id
from accounts.refusals import Refused
from feed.activities import distributed
from feed.store import filters
from feed.store.filters import Filter, Phrase


class CannotFilter(Refused):
    """The filter is refused; the message is for the person."""


def add_filter(*, reader: int, phrase: str, folds: bool, hours: int | None) -> int:
    """As ``make_filter``, with one phrase, for so many hours (None: for good)."""
    until = None if hours is None else timezone.now() + timedelta(hours=hours)
    return make_filter(reader=reader, title=phrase, phrases=[phrase], folds=folds, until=until)


def make_filter(
    *, reader: int, title: str, phrases: Sequence[str], folds: bool, until: datetime | None
) -> int:
    """Leave out posts with any of these phrases, or with ``folds`` fold them.

    Returns its id. Raises CannotFilter where there are as many as one may have.
    """
    _refuse_too_many(reader, len(phrases))
    named = tuple(Phrase(new_id(), one) for one in phrases)
    made = Filter(new_id(), title, named, folds, until)
    if not filters.add(reader=reader, one=made):
        raise _too_many()
    return made.id


def change_filter(*, reader: int, changed: Filter) -> None:
    """Have the filter with this id as it is here; phrases without an id (0) are new. Raises Http404 unless
    it is there, CannotFilter as ``add_filter``."""
    new = sum(not one.id for one in changed.phrases)
    if new:
        _refuse_too_many(reader, new)
    phrases = tuple(one if one.id else Phrase(new_id(), one.text) for one in changed.phrases)
    if not filters.replace(reader=reader, one=replace(changed, phrases=phrases)):
        raise Http404("No such filter.")


def remove_filter(*, reader: int, filter_id: int) -> None:
    filters.remove(reader=reader, id=filter_id)


def _refuse_too_many(reader: int, more: int) -> None:
    # Two at once may both pass: a few more phrases do no harm.
    there = filters.of(reader=reader)
    if len(there) >= filters.MOST or sum(len(one.phrases) for one in there) + more > filters.MOST:
        raise _too_many()


def _too_many() -> CannotFilter:
    return CannotFilter(
        _("You have %(number)d filters, and more do not fit. Delete one first.")
        % {"number": filters.MOST}
    )


def choose_kinds(*, reader: int, shown: set[str]) -> None:
    """Have these kinds of activities in the home timeline, and no others that the site brings there."""
    hidden = [one.name for one in distributed() if one.name not in shown]
    filters.hide_kinds(reader=reader, kinds=hidden)
