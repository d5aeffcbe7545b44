"""What a reader does not want to read: by words, and at home by kinds of activities."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from django.http import Http404
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.infra.ids import new_id
from accounts.infra.refusals import Refused
from feed.activities import home_kinds
from feed.store import filters
from feed.store.filters import Filter, Phrase


class CannotFilter(Refused):
    """The filter is refused; the message is for the person."""


def add_phrase_filter(*, owner: int, phrase: str, has_warning: bool, hours: int | None) -> int:
    """As ``make_filter``, with one phrase, for so many hours (None: for good)."""
    until = None if hours is None else timezone.now() + timedelta(hours=hours)
    return create_filter(
        owner=owner, title=phrase, phrases=[phrase], has_warning=has_warning, until=until
    )


def create_filter(
    *, owner: int, title: str, phrases: Sequence[str], has_warning: bool, until: datetime | None
) -> int:
    """Leave out posts with any of these phrases, or with ``folds`` fold them.

    Returns its id. Raises CannotFilter where there are as many as one may have.
    """
    _refuse_too_many(owner, len(phrases))
    named = tuple(Phrase(new_id(), one) for one in phrases)
    made = Filter(new_id(), title, named, has_warning, until)
    if not filters.add_filter(viewer=owner, new_filter=made):
        raise _too_many()
    return made.id


def update_filter(*, owner: int, updated_filter: Filter) -> None:
    """Have the filter with this id as it is here; phrases without an id (0) are new. Raises Http404 unless
    it is there, CannotFilter as ``add_filter``."""
    new = sum(not one.id for one in updated_filter.phrases)
    if new:
        _refuse_too_many(owner, new)
    phrases = tuple(one if one.id else Phrase(new_id(), one.text) for one in updated_filter.phrases)
    if not filters.replace_filter(
        viewer=owner, changed_filter=replace(updated_filter, phrases=phrases)
    ):
        raise Http404("No such filter.")


def delete_filter(*, owner: int, filter_id: int) -> None:
    filters.remove_filter(viewer=owner, id=filter_id)


def _refuse_too_many(reader: int, more: int) -> None:
    # Two at once may both pass: a few more phrases do no harm.
    there = filters.filters_of(viewer=reader)
    if (
        len(there) >= filters.MAX_FILTERS
        or sum(len(one.phrases) for one in there) + more > filters.MAX_FILTERS
    ):
        raise _too_many()


def _too_many() -> CannotFilter:
    return CannotFilter(
        _("You have %(number)d filters, and more do not fit. Delete one first.")
        % {"number": filters.MAX_FILTERS}
    )


def set_home_kinds(*, owner: int, shown_kinds: set[str]) -> None:
    """Have these kinds of activities in the home timeline, and no others that the site brings there."""
    hidden = [one.name for one in home_kinds() if one.name not in shown_kinds]
    filters.set_hidden_kinds(viewer=owner, kinds=hidden)
