"""Lists of people, to read them apart from the home timeline."""

from collections.abc import Sequence

from django.http import Http404
from django.utils.translation import gettext as _

from accounts.infra.ids import new_id
from accounts.infra.refusals import Refused
from accounts.models import User
from accounts.selectors.profiles import get_profile_or_404
from accounts.selectors.relationships import relationships
from accounts.selectors.user_descriptions import user_descriptions
from feed.store import user_lists
from feed.store.user_lists import PeopleList


class CannotChangeList(Refused):
    """The list is refused; the message is for the person."""


def create_list(*, owner: User, title: str) -> int:
    """Returns its id. Raises CannotList where there are as many as one may have."""
    made = new_id()
    if not user_lists.create_list(owner=owner.pk, id=made, title=title):
        raise CannotChangeList(
            _("You have %(number)d lists, and more do not fit. Delete one first.")
            % {"number": user_lists.MAX_LISTS}
        )
    return made


def rename_list(*, owner: User, list_id: int, title: str) -> None:
    user_lists.rename_list(owner=owner.pk, id=list_id, title=title)


def delete_list(*, owner: User, list_id: int) -> None:
    user_lists.delete_list(owner=owner.pk, id=list_id)


def choose_lists(*, owner: User, username: str, list_ids: set[int]) -> None:
    """Put a person on exactly these of the owner's lists. They are not told.

    Raises Http404 for people who are gone or apart, CannotList where a list is full.
    """
    found = get_profile_or_404(username=username, viewer=owner.pk)
    if found.is_blocking or found.is_blocked_by:
        raise Http404("No such person.")
    uid = found.user_card.uid
    lists = user_lists.lists_of(owner=owner.pk)
    added = [one for one in lists if one.id in list_ids and uid not in one.uids]
    for one in added:
        if len(one.uids) >= user_lists.MAX_USERS:  # said before any list is changed
            raise _full(one)
    for one in added:
        if not user_lists.add_user(owner=owner.pk, id=one.id, uid=uid):
            raise _full(one)
    for one in lists:
        if one.id not in list_ids and uid in one.uids:
            user_lists.remove_users(owner=owner.pk, id=one.id, uids=[uid])


def _full(one: PeopleList) -> CannotChangeList:
    return CannotChangeList(_("The list “%(title)s” is full.") % {"title": one.title})


def add_to_list(*, owner: User, user_list: PeopleList, uids: Sequence[int]) -> None:
    """Put people whom the owner follows on a list. Raises as ``choose_lists``, before any is put there."""
    added = [uid for uid in dict.fromkeys(uids) if uid not in user_list.uids]
    there = user_descriptions(uids=added)
    relations = relationships(viewer=owner.pk, uids=added)
    if any(uid not in there or uid in relations.blocked for uid in added):
        raise Http404("No such person.")
    if set(added) - relations.followed - {owner.pk}:
        raise CannotChangeList(_("You can add only people whom you follow."))
    if len(user_list.uids) + len(added) > user_lists.MAX_USERS:
        raise _full(user_list)
    for uid in added:
        if not user_lists.add_user(owner=owner.pk, id=user_list.id, uid=uid):
            raise _full(user_list)


def remove_from_list(*, owner: User, list_id: int, uids: Sequence[int]) -> None:
    user_lists.remove_users(owner=owner.pk, id=list_id, uids=uids)
