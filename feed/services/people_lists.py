"""Lists of people, to read them apart from the home timeline."""

from collections.abc import Sequence

from django.http import Http404
from django.utils.translation import gettext as _

from accounts import selectors as people
from accounts.ids import new_id
from accounts.models import User
from accounts.refusals import Refused
from feed.store import people_lists
from feed.store.people_lists import PeopleList


class CannotList(Refused):
    """The list is refused; the message is for the person."""


def create_list(*, owner: User, title: str) -> int:
    """Returns its id. Raises CannotList where there are as many as one may have."""
    made = new_id()
    if not people_lists.create(owner=owner.pk, id=made, title=title):
        raise CannotList(
            _("You have %(number)d lists, and more do not fit. Delete one first.")
            % {"number": people_lists.MOST_LISTS}
        )
    return made


def rename_list(*, owner: User, list_id: int, title: str) -> None:
    people_lists.rename(owner=owner.pk, id=list_id, title=title)


def delete_list(*, owner: User, list_id: int) -> None:
    people_lists.delete(owner=owner.pk, id=list_id)


def choose_lists(*, owner: User, username: str, chosen: set[int]) -> None:
    """Put a person on exactly these of the owner's lists. They are not told.

    Raises Http404 for people who are gone or apart, CannotList where a list is full.
    """
    found = people.profile(username=username, viewer=owner.pk)
    if found.blocks_them or found.blocked_by_them:
        raise Http404("No such person.")
    uid = found.person.uid
    lists = people_lists.of(owner=owner.pk)
    added = [one for one in lists if one.id in chosen and uid not in one.uids]
    for one in added:
        if len(one.uids) >= people_lists.MOST_PEOPLE:  # said before any list is changed
            raise _full(one)
    for one in added:
        if not people_lists.add_person(owner=owner.pk, id=one.id, uid=uid):
            raise _full(one)
    for one in lists:
        if one.id not in chosen and uid in one.uids:
            people_lists.remove_people(owner=owner.pk, id=one.id, uids=[uid])


def _full(one: PeopleList) -> CannotList:
    return CannotList(_("The list “%(title)s” is full.") % {"title": one.title})


def add_to_list(*, owner: User, found: PeopleList, uids: Sequence[int]) -> None:
    """Put people whom the owner follows on a list. Raises as ``choose_lists``, before any is put there."""
    added = [uid for uid in dict.fromkeys(uids) if uid not in found.uids]
    there = people.described_people(uids=added)
    relations = people.relations(viewer=owner.pk, uids=added)
    if any(uid not in there or uid in relations.blocks for uid in added):
        raise Http404("No such person.")
    if set(added) - relations.follows - {owner.pk}:
        raise CannotList(_("You can add only people whom you follow."))
    if len(found.uids) + len(added) > people_lists.MOST_PEOPLE:
        raise _full(found)
    for uid in added:
        if not people_lists.add_person(owner=owner.pk, id=found.id, uid=uid):
            raise _full(found)


def remove_from_list(*, owner: User, list_id: int, uids: Sequence[int]) -> None:
    people_lists.remove_people(owner=owner.pk, id=list_id, uids=uids)
