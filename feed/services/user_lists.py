"""Create and change user lists. Each list has a timeline with the posts of its members."""

from collections.abc import Sequence

from django.http import Http404
from django.utils.translation import gettext as _

from accounts.infra.ids import new_id
from accounts.infra.refusals import Refused
from accounts.models import User
from accounts.selectors.profiles import get_profile_or_404
from accounts.selectors.relationships import relationships
from accounts.user_cards import cards_by_uid
from feed.store import user_lists
from feed.store.user_lists import UserList


class CannotChangeList(Refused):
    """The list cannot be changed. The message is shown to its owner."""


def create_list(*, owner: User, title: str) -> int:
    """Create a list and return its id. Raises CannotChangeList if the owner has ``MAX_LISTS`` lists."""
    list_id = new_id()
    if not user_lists.create_list(owner=owner.pk, id=list_id, title=title):
        raise CannotChangeList(
            _("You can have up to %(number)d lists. Delete a list first.")
            % {"number": user_lists.MAX_LISTS}
        )
    return list_id


def rename_list(*, owner: User, list_id: int, title: str) -> None:
    user_lists.rename_list(owner=owner.pk, id=list_id, title=title)


def delete_list(*, owner: User, list_id: int) -> None:
    user_lists.delete_list(owner=owner.pk, id=list_id)


def choose_lists(*, owner: User, username: str, list_ids: set[int]) -> None:
    """Add a user to these lists and remove the user from the owner's other lists.

    The user is not notified. Raises Http404 if the user is deleted or if there is a block between the
    user and the owner, and CannotChangeList if a list is full.
    """
    profile = get_profile_or_404(username=username, viewer=owner.pk)
    if profile.is_blocking or profile.is_blocked_by:
        raise Http404("No such person.")
    uid = profile.user_card.uid
    lists = user_lists.lists_of(owner=owner.pk)
    added = [
        user_list for user_list in lists if user_list.id in list_ids and uid not in user_list.uids
    ]
    for user_list in added:
        if (
            len(user_list.uids) >= user_lists.MAX_USERS
        ):  # checked for all lists before the first change
            raise _list_full_error(user_list)
    for user_list in added:
        if not user_lists.add_user(owner=owner.pk, id=user_list.id, uid=uid):
            raise _list_full_error(user_list)
    for user_list in lists:
        if user_list.id not in list_ids and uid in user_list.uids:
            user_lists.remove_users(owner=owner.pk, id=user_list.id, uids=[uid])


def _list_full_error(user_list: UserList) -> CannotChangeList:
    return CannotChangeList(
        _("The list “%(title)s” is full. Remove someone first.") % {"title": user_list.title}
    )


def add_to_list(*, owner: User, user_list: UserList, uids: Sequence[int]) -> None:
    """Add followed users to a list.

    Raises the exceptions of ``choose_lists``, and CannotChangeList if the owner does not follow a user.
    If an exception is raised, no user was added, unless a concurrent request filled the list.
    """
    added = [uid for uid in dict.fromkeys(uids) if uid not in user_list.uids]
    existing_users = cards_by_uid(uids=added)
    relations = relationships(viewer=owner.pk, uids=added)
    if any(uid not in existing_users or uid in relations.blocked for uid in added):
        raise Http404("No such person.")
    if set(added) - relations.followed - {owner.pk}:
        raise CannotChangeList(_("You can add only people you follow. Follow this person first."))
    if len(user_list.uids) + len(added) > user_lists.MAX_USERS:
        raise _list_full_error(user_list)
    for uid in added:
        if not user_lists.add_user(owner=owner.pk, id=user_list.id, uid=uid):
            raise _list_full_error(user_list)


def remove_from_list(*, owner: User, list_id: int, uids: Sequence[int]) -> None:
    user_lists.remove_users(owner=owner.pk, id=list_id, uids=uids)
