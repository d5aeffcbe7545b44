"""Create and change user lists. Each list has a timeline with the posts of its members.

The home timeline leaves out the members of exclusive lists. It does not read the lists: every change of a
list also updates which users are hidden from home (``accounts.services.blocks_and_mutes``), in the same
transaction.
"""

from collections.abc import Iterable, Sequence

from django.http import Http404
from django.utils.translation import gettext as _

from accounts.infra.ids import new_id
from accounts.infra.refusals import Refused
from accounts.infra.transactions import transactional
from accounts.models import User
from accounts.selectors.profiles import get_profile_or_404
from accounts.selectors.relationships import relationships
from accounts.services.blocks_and_mutes import set_hidden_from_home
from accounts.user_cards import cards_by_uid
from feed.store import user_lists
from feed.store.user_lists import UserList


def create_list(
    *,
    owner: User,
    title: str,
    is_exclusive: bool = False,
    replies_policy: str = user_lists.LIST,
) -> int:
    """Create a list and return its id. Raises Refused if the owner has ``MAX_LISTS`` lists.

    Args:
        is_exclusive: whether the home timeline leaves out posts by members.
        replies_policy: one of ``user_lists.REPLIES_POLICIES``.
    """
    list_id = new_id()
    if not user_lists.create_list(
        owner=owner.pk,
        id=list_id,
        title=title,
        is_exclusive=is_exclusive,
        replies_policy=replies_policy,
    ):
        raise Refused(
            _("You can have up to %(number)d lists. Delete a list first.")
            % {"number": user_lists.MAX_LISTS}
        )
    return list_id


@transactional(retry_duplicate_keys=True)
def update_list(
    *,
    owner: User,
    list_id: int,
    title: str | None = None,
    is_exclusive: bool | None = None,
    replies_policy: str | None = None,
) -> None:
    """Change the given properties of a list."""
    properties = {"title": title, "is_exclusive": is_exclusive, "replies_policy": replies_policy}
    changes = {name: value for name, value in properties.items() if value is not None}
    if not changes:
        return
    user_lists.update_list(owner=owner.pk, id=list_id, changes=changes)
    user_list = user_lists.get_list(owner=owner.pk, id=list_id)
    if is_exclusive is not None and user_list is not None:
        _update_home(owner, user_list.uids)


@transactional(retry_duplicate_keys=True)
def delete_list(*, owner: User, list_id: int) -> None:
    user_list = user_lists.get_list(owner=owner.pk, id=list_id)
    user_lists.delete_list(owner=owner.pk, id=list_id)
    if user_list is not None:
        _update_home(owner, user_list.uids)


def _update_home(owner: User, uids: Iterable[int]) -> None:
    """Hide these users from the owner's home timeline exactly if an exclusive list contains them.

    Concurrent changes cannot miss each other, because each writes the owner's document of lists.
    """
    changed = set(uids)
    lists = user_lists.lists_of(owner=owner.pk)
    exclusive = {uid for user_list in lists if user_list.is_exclusive for uid in user_list.uids}
    set_hidden_from_home(owner=owner.pk, hidden=changed & exclusive, shown=changed - exclusive)


def choose_lists(*, owner: User, username: str, list_ids: set[int]) -> None:
    """Add a user to these lists and remove the user from the owner's other lists.

    The user is not notified. Raises Http404 if the user is deleted or if there is a block between the
    user and the owner, and Refused if a list is full.
    """
    profile = get_profile_or_404(username=username, viewer=owner.pk)
    if profile.is_blocking or profile.is_blocked_by:
        raise Http404("No such person.")
    _choose_lists(owner=owner, uid=profile.user_card.uid, list_ids=list_ids)


@transactional(retry_duplicate_keys=True)
def _choose_lists(*, owner: User, uid: int, list_ids: set[int]) -> None:
    lists = user_lists.lists_of(owner=owner.pk)
    added = [
        user_list for user_list in lists if user_list.id in list_ids and uid not in user_list.uids
    ]
    for user_list in added:
        if not user_lists.add_user(owner=owner.pk, id=user_list.id, uid=uid):
            raise _list_full_error(user_list)
    for user_list in lists:
        if user_list.id not in list_ids and uid in user_list.uids:
            user_lists.remove_users(owner=owner.pk, id=user_list.id, uids=[uid])
    _update_home(owner, [uid])


def _list_full_error(user_list: UserList) -> Refused:
    return Refused(
        _("The list “%(title)s” is full. Remove someone first.") % {"title": user_list.title}
    )


def add_to_list(*, owner: User, user_list: UserList, uids: Sequence[int]) -> None:
    """Add followed users to a list.

    Raises the exceptions of ``choose_lists``, and Refused if the owner does not follow a user.
    If an exception is raised, no user was added.
    """
    added = [uid for uid in dict.fromkeys(uids) if uid not in user_list.uids]
    existing_users = cards_by_uid(uids=added)
    relations = relationships(viewer=owner.pk, uids=added)
    if any(uid not in existing_users or uid in relations.blocked for uid in added):
        raise Http404("No such person.")
    if set(added) - relations.followed - {owner.pk}:
        raise Refused(_("You can add only people you follow. Follow this person first."))
    if len(user_list.uids) + len(added) > user_lists.MAX_USERS:
        raise _list_full_error(user_list)
    _add_members(owner=owner, user_list=user_list, uids=added)


@transactional(retry_duplicate_keys=True)
def _add_members(*, owner: User, user_list: UserList, uids: Sequence[int]) -> None:
    for uid in uids:
        if not user_lists.add_user(owner=owner.pk, id=user_list.id, uid=uid):
            raise _list_full_error(user_list)
    _update_home(owner, uids)


@transactional(retry_duplicate_keys=True)
def remove_from_list(*, owner: User, list_id: int, uids: Sequence[int]) -> None:
    user_lists.remove_users(owner=owner.pk, id=list_id, uids=uids)
    _update_home(owner, uids)


@transactional(retry_duplicate_keys=True)
def remove_from_all_lists(*, owner: int, uid: int) -> None:
    """Remove a user whom the owner no longer follows from the owner's lists. Safe to repeat."""
    if user_lists.remove_user_from_all(owner=owner, uid=uid):
        set_hidden_from_home(owner=owner, hidden=(), shown=[uid])
